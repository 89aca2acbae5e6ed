//! Classes of volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::storage;
use crate::registry::{defaults, warnings};

/// What the server does with a `StorageClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "StorageClass",
    resource: "storageclasses",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::storage_class(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        storage::validate_storage_class(errors, object, None);
        if old.is_some() {
            storage::validate_storage_class(errors, object, old);
        }
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    warnings::node_label::storage_class(map, &mut warnings);
    warnings
}
