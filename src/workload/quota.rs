//! The status of a `ResourceQuota`: its usage by existing objects.
//!
//! Source: `resource_quota_controller.go`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota::{self, CLUSTER_QUOTAS};
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object};

/// Computes the status of every quota that has no status.
pub(super) fn fill_all(cluster: &Arc<Cluster>, profile: &Arc<ServerProfile>) -> Vec<String> {
    let quotas = cluster.list_all(&RESOURCE_QUOTAS);
    let notes = quotas.iter().filter_map(|quota| fill(cluster, quota, profile));
    let over_projects = cluster.list_all(&CLUSTER_QUOTAS);
    let notes_over = over_projects.iter().filter_map(|quota| fill_over_projects(cluster, quota, profile));
    notes.chain(notes_over).collect()
}

/// Computes the status of `quota`, which selects projects, if it has none or its limits changed. Returns a note about
/// a status that was missing.
pub(super) fn fill_over_projects(
    cluster: &Arc<Cluster>,
    quota: &Arc<Object>,
    profile: &Arc<ServerProfile>,
) -> Option<String> {
    let known = quota.at(["status", "total", "hard"]);
    if known.is_some() && known == quota.at(["spec", "quota", "hard"]) {
        return None;
    }
    let mut filled = Object::clone(quota);
    filled.set(["status"], quota::calculate_status_over_projects(quota, cluster, profile));
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
        if quota::selects(&quota, project) != is_known {
            let mut filled = Object::clone(&quota);
            filled.set(["status"], quota::calculate_status_over_projects(&quota, cluster, profile));
            cluster.put(&CLUSTER_QUOTAS, Arc::new(filled));
        }
    }
}

/// Computes the status of `quota` if it has none, and returns a note about that.
pub(super) fn fill(
    cluster: &Arc<Cluster>,
    quota: &Arc<Object>,
    profile: &Arc<ServerProfile>,
) -> Option<String> {
    if quota.has(["status", "hard"]) {
        return None;
    }
    let mut filled = Object::clone(quota);
    filled.set(["status"], quota::calculate_status(quota, cluster, profile));
    let note = format!(
        "calculated the status of ResourceQuota {}/{} from the objects that exist (it has none)",
        quota.namespace(),
        quota.name()
    );
    cluster.put(&RESOURCE_QUOTAS, Arc::new(filled));
    Some(note)
}

/// Copies a change of `spec.hard` into the status.
pub(super) fn take_over(cluster: &Arc<Cluster>, quota: &Arc<Object>, profile: &Arc<ServerProfile>) {
    let (wanted, known) = (quota.at(["spec", "hard"]), quota.at(["status", "hard"]));
    if wanted == known {
        return;
    }
    let mut status = quota::calculate_status(quota, cluster, profile);
    let used = quota.child(["status", "used"]);
    for (name, amount) in used.into_iter().flatten() {
        if let Some(counted) = status["used"].get_mut(name) {
            counted.clone_from(amount);
        }
    }
    let mut quota = Object::clone(quota);
    quota.set(["status"], status);
    cluster.put(&RESOURCE_QUOTAS, Arc::new(quota));
}

/// Releases the usage of `count` deleted objects like `object`.
pub(super) fn release(
    cluster: &Arc<Cluster>,
    resource: &GroupResource,
    object: &Object,
    count: u64,
    profile: &Arc<ServerProfile>,
) {
    if object.namespace().is_empty() {
        return;
    }
    quota::release(resource, object, count, cluster, profile);
    quota::release_over_projects(resource, object, count, cluster, profile);
}
