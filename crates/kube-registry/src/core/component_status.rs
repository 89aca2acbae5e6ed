//! The health of the control plane, which is only read.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};

/// The strategy of `ComponentStatus`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "ComponentStatus",
    resource: "componentstatuses",
    versions: &["v1"],
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
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
