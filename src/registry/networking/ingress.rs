//! Ways into the cluster by HTTP.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::api::features::FeatureGates;
use crate::api::{Map, Object, Value};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::network;
use crate::registry::warnings;

/// What the server does with a `Ingress`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "Ingress",
    resource: "ingresses",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        network::validate_ingress(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: None,
        warnings: Some(warnings::address::of_status),
    }],
};

pub(in crate::registry) fn warnings(ingress: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        let empty = Map::new();
        let spec = ingress.at(&["spec"]).and_then(Value::as_object).unwrap_or(&empty);
        warnings::ingress(ingress, spec, &mut warnings);
    }
    warnings
}
