//! Permissions in a namespace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::strategy::{Scope, Strategy};
use crate::validation::access;

/// The strategy of `Role`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    validate: Some(|errors, object, old, _| access::validate_role(errors, object, old, Scope::Namespaced)),
    ..Strategy::new("rbac.authorization.k8s.io", "Role")
};
