//! The status of a `ResourceQuota`: its usage by existing objects.
//!
//! Source: `resource_quota_controller.go`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object};

/// Computes the status of every quota that has no status.
pub(super) fn fill_all(cluster: &Arc<Cluster>, profile: &Arc<ServerProfile>) -> Vec<String> {
    let quotas = cluster.list_all(&RESOURCE_QUOTAS);
    quotas.iter().filter_map(|quota| fill(cluster, quota, profile)).collect()
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
    quota::openshift::release(resource, object, count, cluster, profile);
}
