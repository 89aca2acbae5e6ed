//! The addresses of a Service, in the form that `EndpointSlices` replace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;
use crate::registry::{defaults, warnings};

/// What the server does with a `Endpoints`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Endpoints",
    resource: "endpoints",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::endpoints(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        core::validate_endpoints(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    warnings::address::endpoints(object, map, &mut warnings);
    warnings
}
