//! Priorities of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::registry::defaults;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;

/// What the server does with a `PriorityClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "scheduling.k8s.io",
    kind: "PriorityClass",
    resource: "priorityclasses",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::priority_class(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| core::validate_priority_class(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
