//! The contents of every namespace: a name that is also a label, a phase, the default service account and the
//! certificates of the API server.
//!
//! Source: `serviceaccounts_controller.go`, `rootcacertpublisher`.

use std::sync::Arc;

use gotext::value::{Value, json};

use crate::cluster::Cluster;
use crate::workload::{openshift, token};
use kube_api::distribution::Distribution;
use kube_api::resources::NAMESPACES;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object};

/// Completes every namespace that exists.
pub(super) fn keep_all(cluster: &Cluster, profile: &ServerProfile) {
    for namespace in cluster.list_all(&NAMESPACES) {
        let mut kept = Object::clone(&namespace);
        kept.insert_default(["metadata", "labels", "kubernetes.io/metadata.name"], namespace.name());
        kept.insert_default(["status", "phase"], "Active");
        if kept != *namespace {
            cluster.put(&NAMESPACES, Arc::new(kept));
        }
        complete(cluster, namespace.name(), profile);
    }
}

/// Creates an undeclared Namespace, as a server would after `kubectl create namespace`.
pub fn make_namespace(cluster: &Cluster, name: &str, profile: &ServerProfile) {
    let value = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    });
    cluster.put(&NAMESPACES, Arc::new(Object::new(GroupVersionKind::new("", "v1", "Namespace"), value)));
    complete(cluster, name, profile);
}

/// The content of `ca.crt`, in place of the authority of a cluster, which is unknown.
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";

/// Creates the objects that a new namespace gets.
pub(super) fn complete(cluster: &Cluster, namespace: &str, profile: &ServerProfile) {
    for (kind, resource, name) in contents(profile.distribution()) {
        make(cluster, kind, resource, &json!({"name": name, "namespace": namespace}));
    }
    openshift::annotate(cluster, namespace, profile);
    token::keep(cluster, namespace, profile);
}

/// Whether every namespace has this object from the start.
pub fn is_made_with_namespace(distribution: Distribution, resource: &GroupResource, name: &str) -> bool {
    let mut contents = contents(distribution);
    resource.group.is_empty() && contents.any(|(_, of, made)| *of == *resource.resource && made == name)
}

/// Returns kind, resource and name of what every namespace has.
fn contents(distribution: Distribution) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    const OF_ALL: [(&str, &str, &str); 2] =
        [("ServiceAccount", "serviceaccounts", "default"), ("ConfigMap", "configmaps", "kube-root-ca.crt")];
    let others = openshift::accounts(distribution).iter();
    OF_ALL.into_iter().chain(others.map(|name| ("ServiceAccount", "serviceaccounts", *name)))
}

fn make(cluster: &Cluster, kind: &'static str, resource: &'static str, metadata: &Value) {
    let kind = GroupVersionKind::new("", "v1", kind);
    let resource = GroupResource::new("", resource);
    let mut value = json!({"apiVersion": "v1", "kind": kind.kind, "metadata": metadata});
    if kind.kind == "ConfigMap" {
        value["data"] = json!({"ca.crt": AUTHORITY});
    }
    let object = Object::new(kind, value);
    if !cluster.contains(&resource, object.namespace(), object.name()) {
        cluster.put(&resource, Arc::new(object));
    }
}
