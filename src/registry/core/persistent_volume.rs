//! Persistent volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::tree::{child, set};
use crate::api::{Map, Object, Value};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::{metadata, storage};
use crate::registry::{defaults, preparation, warnings};
use serde_json::json;

/// What the server does with a `PersistentVolume`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "PersistentVolume",
    resource: "persistentvolumes",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::volume::persistent_volume(object)),
    default_times: None,
    status: ObjectStatus::Begun(|volume| set(volume, "status", json!({"phase": "Pending"}))),
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: Some(|volume, old, now| preparation::volume::fill_phase_time(volume, old, "", now)),
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        storage::validate_persistent_volume(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: Some(|volume, old, now| {
            preparation::volume::fill_phase_time(volume, old, "status", now);
        }),
        validate_update: Some(|errors, object, old, _| {
            metadata::validate_object_meta_update(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    warnings::volume::persistent_volume(object, spec, &mut warnings);
    warnings
}
