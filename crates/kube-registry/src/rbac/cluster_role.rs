//! Permissions in the whole cluster.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::strategy::{Scope, Strategy};
use crate::validation::access;

/// The strategy of `ClusterRole`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    validate: Some(|errors, object, old, _| access::validate_role(errors, object, old, Scope::Cluster)),
    ..Strategy::new("rbac.authorization.k8s.io", "ClusterRole")
};
