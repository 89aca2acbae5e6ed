//! Drivers of volumes on a node.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::csi_node;

/// What the server does with a `CSINode`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "CSINode",
    resource: "csinodes",
    versions: &["v1"],
    scope: Scope::Cluster,
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
    validate: Some(|errors, object, old, context| {
        csi_node::validate_csi_node(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
