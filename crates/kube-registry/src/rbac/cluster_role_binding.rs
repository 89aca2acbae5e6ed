//! Grants of permissions in the whole cluster.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::defaults;
use crate::strategy::{Scope, Strategy};
use crate::validation::access;

/// The strategy of `ClusterRoleBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    defaults: Some(|object, _, _| defaults::cluster::role_binding(object)),
    validate: Some(|errors, object, old, _| {
        access::validate_role_binding(errors, object, old, Scope::Cluster);
    }),
    ..Strategy::new("rbac.authorization.k8s.io", "ClusterRoleBinding")
};
