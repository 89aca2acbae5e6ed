//! Claims of persistent volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::tree::child;
use crate::api::{Map, Object, Value};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::claim;
use crate::registry::{defaults, preparation, warnings};

/// What the server does with a `PersistentVolumeClaim`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "PersistentVolumeClaim",
    resource: "persistentvolumeclaims",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::volume::claim(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|claim, context, _| preparation::volume::claim(claim, None, context.features)),
    prepare_for_update: Some(|claim, old, context| {
        preparation::volume::claim(claim, Some(old), context.features);
    }),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| match old {
        None => claim::validate_persistent_volume_claim(errors, object, claim::ClaimOptions::default()),
        Some(old) => claim::validate_persistent_volume_claim_update(errors, object, old),
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            claim::validate_persistent_volume_claim_status_update(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    warnings::volume::claim(object, spec, &mut warnings);
    warnings
}
