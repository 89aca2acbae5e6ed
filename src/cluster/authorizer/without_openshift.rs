//! The build without the feature `openshift`: roles and bindings are those of RBAC.

use std::sync::Arc;

use crate::cluster::Cluster;
use kube_api::resources::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES};
use kube_api::{GroupResource, Object};

pub(in crate::cluster) static RESOURCES: [GroupResource; 4] =
    [ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS];

pub(super) static BINDINGS: [GroupResource; 2] = [ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS];

pub(super) fn proxied(_: &Cluster, _: &GroupResource) -> Vec<Arc<Object>> {
    Vec::new()
}
