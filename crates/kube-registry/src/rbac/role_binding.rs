//! Grants of permissions in a namespace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::defaults;
use crate::strategy::{Scope, Strategy};
use crate::validation::access;

/// The strategy of `RoleBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    defaults: Some(|object, _, _| defaults::cluster::role_binding(object)),
    validate: Some(|errors, object, old, _| {
        access::validate_role_binding(errors, object, old, Scope::Namespaced);
    }),
    ..Strategy::new("rbac.authorization.k8s.io", "RoleBinding")
};
