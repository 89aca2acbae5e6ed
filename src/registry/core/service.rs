//! Services.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

pub(in crate::registry) mod preparation;
pub(in crate::registry) mod validation;
pub(in crate::registry) mod warnings;

use crate::api::features::FeatureGates;
use crate::api::tree::child;
use crate::api::{Map, Object, Value};
use crate::registry::defaults;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::metadata;

/// What the server does with a `Service`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Service",
    resource: "services",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::service(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|service, _, _| preparation::begin_create(service)),
    prepare_for_update: Some(|service, old, _| preparation::for_update(service, old)),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| match old {
        None => validation::validate_service_create(errors, object, context.features),
        Some(old) => validation::validate_service_update(errors, object, old, context.features),
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            metadata::validate_object_meta_update(errors, object, old);
        }),
        warnings: Some(crate::registry::warnings::address::of_status),
    }],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    warnings::service(object, spec, &mut warnings);
    warnings
}
