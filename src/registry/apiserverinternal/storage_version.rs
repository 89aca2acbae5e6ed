//! Versions in which servers store a resource.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiserverinternal`.

use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::registration;

/// What the server does with a `StorageVersion`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "internal.apiserver.k8s.io",
    kind: "StorageVersion",
    resource: "storageversions",
    versions: &["v1alpha1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        if old.is_none() {
            registration::validate_storage_version(errors, object);
        }
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, _, _| {
            registration::validate_storage_version_status(errors, object);
        }),
        warnings: None,
    }],
};
