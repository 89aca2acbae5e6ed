//! The order in which a package manager installs objects: what others need comes first.
//!
//! Source: `InstallOrder` of Helm 3.

use crate::source::Node;

/// Kinds in the order of their installation.
const INSTALL_ORDER: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// When the object `manifest` is installed, compared with others. Kinds that the list does not know come last, ordered
/// by name.
pub fn install_rank(manifest: &Node) -> (usize, String) {
    let kind = manifest.get("kind").and_then(Node::as_str).unwrap_or_default();
    match INSTALL_ORDER.iter().position(|known| *known == kind) {
        Some(position) => (position, String::new()),
        None => (INSTALL_ORDER.len(), kind.to_owned()),
    }
}
