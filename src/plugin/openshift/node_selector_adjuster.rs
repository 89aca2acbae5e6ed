//! Places the pods of the operator of the vertical pod autoscaler on the nodes of the control plane.
//!
//! # When it rejects
//!
//! - Never.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! The API server of a stand-alone cluster enables the plugin by its environment; here it runs only if it is named.
//!
//! # Since
//!
//! OpenShift 4.22, on stand-alone clusters only.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/scheduler/nodeselectoradjuster`

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::mutating(NodeSelectorAdjuster)
}

struct NodeSelectorAdjuster;

impl MutationInterface for NodeSelectorAdjuster {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let is_there = attributes.namespace == "openshift-vertical-pod-autoscaler";
        if !attributes.is_for("", "pods") || !is_there {
            return Ok(());
        }
        let label = attributes.object.as_deref().and_then(|pod| pod.label("k8s-app"));
        if label == Some("vertical-pod-autoscaler-operator")
            && let Some(pod) = attributes.object_mut()
        {
            pod.set(["spec", "nodeSelector", "node-role.kubernetes.io/control-plane"], "");
        }
        Ok(())
    }
}
