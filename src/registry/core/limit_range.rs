//! Limits and defaults of what Pods and claims in a namespace request.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::registry::defaults;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;

/// What the server does with a `LimitRange`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "LimitRange",
    resource: "limitranges",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::limit_range(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, _, _| core::validate_limit_range(errors, object)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
