//! Attributes of volumes that can change.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::storage;

/// What the server does with a `VolumeAttributesClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "VolumeAttributesClass",
    resource: "volumeattributesclasses",
    versions: &["v1", "v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| storage::validate_volume_attributes_class(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
