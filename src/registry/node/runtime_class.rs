//! Ways to run containers.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/node`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::policy;
use crate::registry::warnings;

/// What the server does with a `RuntimeClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "node.k8s.io",
    kind: "RuntimeClass",
    resource: "runtimeclasses",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        policy::validate_runtime_class(errors, object, None, context.features);
        if old.is_some() {
            policy::validate_runtime_class(errors, object, old, context.features);
        }
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    warnings::node_label::runtime_class(map, &mut warnings);
    warnings
}
