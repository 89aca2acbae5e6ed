//! The objects that every API server creates itself.

use std::sync::Arc;

use crate::cluster::Cluster;
use gotext::value::json;
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

impl Cluster {
    /// Creates four namespaces, the system priority classes and the `kubernetes` service.
    pub(super) fn put_initial_objects(&self) {
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            self.put_built_in(
                "",
                "v1",
                "Namespace",
                "namespaces",
                json!({
                    "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
                    "spec": {"finalizers": ["kubernetes"]},
                    "status": {"phase": "Active"},
                }),
            );
        }
        let classes = [
            (
                "system-node-critical",
                2_000_001_000,
                "Used for system critical pods that must not be moved from their current node.",
            ),
            (
                "system-cluster-critical",
                2_000_000_000,
                "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
            ),
        ];
        for (name, value, description) in classes {
            self.put_built_in(
                "scheduling.k8s.io",
                "v1",
                "PriorityClass",
                "priorityclasses",
                json!({
                    "metadata": {"name": name},
                    "value": value,
                    "description": description,
                    "preemptionPolicy": "PreemptLowerPriority",
                }),
            );
        }
        self.put_built_in(
            "",
            "v1",
            "Service",
            "services",
            json!({
                "metadata": {
                    "name": "kubernetes",
                    "namespace": "default",
                    "labels": {"component": "apiserver", "provider": "kubernetes"},
                },
                "spec": {
                    "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443}],
                    "type": "ClusterIP",
                    "sessionAffinity": "None",
                    "internalTrafficPolicy": "Cluster",
                },
                "status": {"loadBalancer": {}},
            }),
        );
    }

    fn put_built_in(
        &self,
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        resource: &'static str,
        mut value: Value,
    ) {
        let kind = GroupVersionKind::new(group, version, kind);
        value["apiVersion"] = kind.api_version().into();
        value["kind"] = kind.kind.to_string().into();
        self.put(&GroupResource::new(group, resource), Arc::new(Object::new(kind, value)));
    }
}
