//! The status of a `ClusterResourceQuota`: the usage by existing objects of the projects that it selects.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota::openshift::{CLUSTER_QUOTAS, calculate_status, selects};
use kube_api::Object;
use kube_api::server_profile::ServerProfile;

/// Computes the status of every quota that has no status.
pub(super) fn fill_all(cluster: &Arc<Cluster>, profile: &Arc<ServerProfile>) -> Vec<String> {
    let quotas = cluster.list_all(&CLUSTER_QUOTAS);
    quotas.iter().filter_map(|quota| fill(cluster, quota, profile)).collect()
}

/// Computes the status of `quota`, which selects projects, if it has none or its limits changed. Returns a note about
/// a status that was missing.
pub(super) fn fill(
    cluster: &Arc<Cluster>,
    quota: &Arc<Object>,
    profile: &Arc<ServerProfile>,
) -> Option<String> {
    let known = quota.at(["status", "total", "hard"]);
    if known.is_some() && known == quota.at(["spec", "quota", "hard"]) {
        return None;
    }
    let mut filled = Object::clone(quota);
    filled.set(["status"], calculate_status(quota, cluster, profile));
    cluster.put(&CLUSTER_QUOTAS, Arc::new(filled));
    known.is_none().then(|| {
        format!(
            "calculated the status of ClusterResourceQuota {} from the objects that exist (it has none)",
            quota.name()
        )
    })
}

/// Computes the status of every quota that selects `project` again, or that selected it before.
pub(super) fn follow_project(cluster: &Arc<Cluster>, project: &Object, profile: &Arc<ServerProfile>) {
    for quota in cluster.list_all(&CLUSTER_QUOTAS) {
        let entries = quota.list(["status", "namespaces"]);
        let is_known = entries.iter().any(|entry| entry.text("namespace") == project.name());
        if selects(&quota, project) != is_known {
            let mut filled = Object::clone(&quota);
            filled.set(["status"], calculate_status(&quota, cluster, profile));
            cluster.put(&CLUSTER_QUOTAS, Arc::new(filled));
        }
    }
}
