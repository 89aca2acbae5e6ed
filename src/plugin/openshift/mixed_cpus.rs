//! Lets a container of a guaranteed pod use shared CPUs besides its own, if the namespace allows it: a request for
//! `workload.openshift.io/enable-shared-cpus` becomes an annotation for the runtime.
//!
//! # When it rejects
//!
//! - The namespace is not annotated with `workload.mixedcpus.openshift.io/allowed`.
//! - The pod is not of class Guaranteed.
//! - A container requests more than one.
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.16, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/autoscaling/mixedcpus`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;

const NAME: &str = "autoscaling.openshift.io/MixedCPUs";
const RESOURCE: &str = "workload.openshift.io/enable-shared-cpus";
const ALLOWED: &str = "workload.mixedcpus.openshift.io/allowed";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(MixedCPUs { cluster: initializer.cluster.clone() })
}

struct MixedCPUs {
    cluster: Arc<Cluster>,
}

impl MutationInterface for MixedCPUs {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.clone() else { return Ok(()) };
        let containers = pod.list(["spec", "containers"]);
        for container in containers {
            let Some(requested) = lookup::amount(container, "requests", RESOURCE) else { continue };
            let name = container.text("name");
            let (pod_name, namespace) = (pod.name(), &attributes.namespace);
            let found = lookup::namespace(&self.cluster, attributes)?;
            if found.annotation(ALLOWED).is_none() {
                return Err(attributes.new_forbidden(format!(
                    "{NAME} pod {pod_name} namespace {namespace} is not allowed for {RESOURCE} resource request"
                )));
            }
            if lookup::quality_of(containers) != "Guaranteed" {
                return Err(attributes.new_forbidden(format!(
                    "{NAME} {pod_name}/{name} requests for \"{RESOURCE}\" resource but pod is not Guaranteed QoS class"
                )));
            }
            if requested.value() > 1 {
                return Err(attributes.new_forbidden(format!(
                    "{NAME} {pod_name}/{name} more than a single \"{RESOURCE}\" resource is forbiden, please set the \
                     request to 1 or remove it"
                )));
            }
            if let Some(pod) = attributes.object_mut() {
                pod.set(["metadata", "annotations", &format!("cpu-shared.crio.io/{name}")], "enable");
            }
        }
        Ok(())
    }
}
