//! Objects to be stored in another version.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storagemigration`.

use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::migration;

/// What the server does with a `StorageVersionMigration`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storagemigration.k8s.io",
    kind: "StorageVersionMigration",
    resource: "storageversionmigrations",
    versions: &["v1beta1"],
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
        migration::validate_storage_version_migration(errors, object, old);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            migration::validate_migration_status(errors, object, old);
        }),
        warnings: None,
    }],
};
