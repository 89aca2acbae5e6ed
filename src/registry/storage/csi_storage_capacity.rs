//! How much room a class has.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::storage;
use crate::registry::warnings;

/// What the server does with a `CSIStorageCapacity`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "CSIStorageCapacity",
    resource: "csistoragecapacities",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        storage::validate_csi_storage_capacity(errors, object, None);
        if old.is_some() {
            storage::validate_csi_storage_capacity(errors, object, old);
        }
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    warnings::node_label::storage_capacity(map, &mut warnings);
    warnings
}
