//! Who may talk to which Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::api::features::FeatureGates;
use crate::api::tree::child;
use crate::api::{Map, Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::network;
use crate::registry::{defaults, warnings};

/// What the server does with a `NetworkPolicy`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "NetworkPolicy",
    resource: "networkpolicies",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::network_policy(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        network::validate_network_policy(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    warnings::address::network_policy(spec, &mut warnings);
    warnings
}
