//! Configuration that Pods read.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;

/// What the server does with a `ConfigMap`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "ConfigMap",
    resource: "configmaps",
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
    validate: Some(|errors, object, old, _| core::validate_config_map(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
