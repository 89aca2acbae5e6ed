//! Permissions in a namespace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::access;

/// The strategy of `Role`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "rbac.authorization.k8s.io",
    kind: "Role",
    resource: "roles",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| access::validate_role(errors, object, old, Scope::Namespaced)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
