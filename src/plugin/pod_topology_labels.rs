//! Copies the zone and region of its node to a pod that is placed there, so that the pod can read its location through
//! the downward API, without access to nodes.
//!
//! # When it rejects
//!
//! Never.
//!
//! # Cluster objects it reads
//!
//! The Node that a binding or a new pod names. Its labels `topology.kubernetes.io/zone` and
//! `topology.kubernetes.io/region` replace the pod's own.
//!
//! # Offline
//!
//! A Node that is not among the cluster objects has no labels to copy.
//!
//! # Since
//!
//! 1.33 with the gate `PodTopologyLabelsAdmission`, on since 1.35; on by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::Object;
use kube_api::features::Feature;
use kube_api::resources::NODES;

const LABELS: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(PodTopologyLabels {
        cluster: initializer.cluster.clone(),
        enabled: initializer.profile.enabled(Feature::PodTopologyLabelsAdmission),
    })
}

struct PodTopologyLabels {
    cluster: Arc<Cluster>,
    enabled: bool,
}

impl MutationInterface for PodTopologyLabels {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.enabled {
            return Ok(());
        }
        let Some(node) = node_name(attributes).and_then(|name| self.cluster.get(&NODES, "", name)) else {
            return Ok(());
        };
        recorder.add_source(&NODES, "", node.name());
        for key in LABELS {
            let Some(value) = node.label(key) else { continue };
            if attributes.object.as_deref().is_some_and(|object| object.label(key) != Some(value))
                && let Some(object) = attributes.object_mut()
            {
                object.set(["metadata", "labels", key], value);
            }
        }
        Ok(())
    }
}

/// Returns the node that the pod is bound to, or is created for.
fn node_name(attributes: &Attributes) -> Option<&str> {
    let object: &Object = attributes.object.as_deref()?;
    if attributes.is_for("", "pods") {
        Some(object.text(["spec", "nodeName"]))
    } else if attributes.is_for_sub_resource("", "pods", "binding") {
        (object.text(["target", "kind"]) == "Node").then(|| object.text(["target", "name"]))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod};
    use gotext::value::json;
    use kube_api::{GroupVersionResource, Value};

    fn node() -> Value {
        let labels = json!({LABELS[0]: "eu", LABELS[1]: "eu-1", "kubernetes.io/hostname": "n1"});
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": labels}})
    }

    fn binding(kind: &str) -> Attributes {
        let target = json!({"kind": kind, "name": "n1"});
        let mut request = create(
            json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web"}, "target": target}),
        );
        request.resource = GroupVersionResource::new("", "v1", "pods");
        request.sub_resource = "binding".into();
        request
    }

    #[test]
    fn admits_pods_with_the_labels_of_their_node() {
        let mut web = pod(json!({"nodeName": "n1"}));
        web["metadata"]["labels"] = json!({"app": "web", LABELS[1]: "us-1"});
        let admitted = Bench::new("PodTopologyLabels", [node()]).admitted(create(web));
        assert_eq!(admitted["metadata"]["labels"], json!({"app": "web", LABELS[0]: "eu", LABELS[1]: "eu-1"}));
    }

    #[test]
    fn admits_bindings_with_the_labels_of_the_node() {
        let bench = Bench::new("PodTopologyLabels", [node()]);
        let admitted = bench.admitted(binding("Node"));
        assert_eq!(admitted["metadata"]["labels"], json!({LABELS[0]: "eu", LABELS[1]: "eu-1"}));
        assert!(bench.leaves_alone(binding("")));
    }

    #[test]
    fn ignores_pods_without_a_node_and_everything_without_the_gate() {
        let bench = Bench::new("PodTopologyLabels", [node()]);
        assert!(bench.leaves_alone(create(pod(json!({})))));
        assert!(bench.leaves_alone(create(pod(json!({"nodeName": "n2"})))));
        let bench = Bench::gated("PodTopologyLabels", "PodTopologyLabelsAdmission=false", [node()]);
        assert!(bench.leaves_alone(create(pod(json!({"nodeName": "n1"})))));
    }
}
