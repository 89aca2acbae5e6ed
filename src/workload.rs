//! What the controllers of a cluster would do: the objects that they make where others come to exist.
//!
//! Source: `k8s.io/kubernetes/pkg/controller`.

use std::sync::Arc;

use serde_json::json;

use crate::api::features::FeatureGates;
use crate::api::{GroupResource, GroupVersionKind, Object};
use crate::cluster::Cluster;
use crate::plugin::resource_quota::calculate_status;

const NAMESPACES: GroupResource = GroupResource::new("", "namespaces");
const RESOURCE_QUOTAS: GroupResource = GroupResource::new("", "resourcequotas");
const SERVICE_ACCOUNTS: GroupResource = GroupResource::new("", "serviceaccounts");

/// Plays the controllers for everything that exists. What that took for granted is returned in words.
pub fn play_controllers(cluster: &Arc<Cluster>, features: &Arc<FeatureGates>) -> Vec<String> {
    for namespace in cluster.list_all(&NAMESPACES) {
        make_default_service_account(cluster, namespace.name());
    }
    let quotas = cluster.list_all(&RESOURCE_QUOTAS);
    quotas.iter().filter_map(|quota| fill_quota_status(cluster, quota, features)).collect()
}

/// Plays the controllers for an object that came to exist or changed.
pub fn follow_up(
    cluster: &Arc<Cluster>,
    object: &Arc<Object>,
    features: &Arc<FeatureGates>,
) -> Option<String> {
    if object.kind.is("", "Namespace") {
        make_default_service_account(cluster, object.name());
    }
    object.kind.is("", "ResourceQuota").then(|| fill_quota_status(cluster, object, features)).flatten()
}

/// Source: `resource_quota_controller.go`.
fn fill_quota_status(
    cluster: &Arc<Cluster>,
    quota: &Arc<Object>,
    features: &Arc<FeatureGates>,
) -> Option<String> {
    if quota.at(&["status", "hard"]).is_some() {
        return None;
    }
    let mut filled = Object::clone(quota);
    filled.set(&["status"], calculate_status(quota, cluster, features));
    let note = format!(
        "calculated the status of ResourceQuota {}/{} from the objects that exist (it has none)",
        quota.namespace(),
        quota.name()
    );
    cluster.put(&RESOURCE_QUOTAS, Arc::new(filled));
    Some(note)
}

/// Makes a Namespace that nobody declared, as a server would after `kubectl create namespace`.
pub fn make_namespace(cluster: &Cluster, name: &str) {
    let kind = GroupVersionKind::new("", "v1", "Namespace");
    let value = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    });
    cluster.put(&NAMESPACES, Arc::new(Object::new(kind, value)));
    make_default_service_account(cluster, name);
}

/// Source: `serviceaccounts_controller.go`.
fn make_default_service_account(cluster: &Cluster, namespace: &str) {
    if cluster.contains(&SERVICE_ACCOUNTS, namespace, "default") {
        return;
    }
    let kind = GroupVersionKind::new("", "v1", "ServiceAccount");
    let value = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": namespace},
    });
    cluster.put(&SERVICE_ACCOUNTS, Arc::new(Object::new(kind, value)));
}
