//! What the controllers of a cluster would do: the objects that they make where others come to exist.
//!
//! Source: `k8s.io/kubernetes/pkg/controller`.

use std::sync::Arc;

use serde_json::json;

use crate::api::{GroupResource, GroupVersionKind, Object};
use crate::cluster::Cluster;

const NAMESPACES: GroupResource = GroupResource::new("", "namespaces");
const SERVICE_ACCOUNTS: GroupResource = GroupResource::new("", "serviceaccounts");

/// Plays the controllers for everything that exists.
pub fn play_controllers(cluster: &Cluster) {
    for namespace in cluster.list_all(&NAMESPACES) {
        make_default_service_account(cluster, namespace.name());
    }
}

/// Plays the controllers for an object that came to exist or changed.
pub fn follow_up(cluster: &Cluster, object: Option<&Object>) {
    if let Some(namespace) = object.filter(|object| object.kind.is("", "Namespace")) {
        make_default_service_account(cluster, namespace.name());
    }
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
