//! Evictions of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};

/// The strategy of `Eviction`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "policy",
    kind: "Eviction",
    resource: "pods/eviction",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::Eviction),
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
