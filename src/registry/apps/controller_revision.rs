//! Earlier states of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::workload;

/// What the server does with a `ControllerRevision`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apps",
    kind: "ControllerRevision",
    resource: "controllerrevisions",
    versions: &["v1"],
    scope: Scope::Namespaced,
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
    validate: Some(|errors, object, old, _| workload::validate_controller_revision(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
