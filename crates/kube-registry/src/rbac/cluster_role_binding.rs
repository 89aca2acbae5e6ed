//! Grants of permissions in the whole cluster.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`.

use crate::defaults;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::access;

/// The strategy of `ClusterRoleBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "rbac.authorization.k8s.io",
    kind: "ClusterRoleBinding",
    resource: "clusterrolebindings",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::role_binding(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        access::validate_role_binding(errors, object, old, Scope::Cluster);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
