//! Restricts a kubelet to its own node: it may write its own Node and lease, mirror pods and the status of pods that
//! run on it, and request tokens and certificates of these pods. A compromised node can then neither attract other pods
//! nor act for other nodes.
//!
//! Restricted are users called `system:node:<name>` in the group `system:nodes`.
//!
//! # When it rejects
//!
//! A node
//!
//! - creates a pod that is not its own mirror pod, or refers to other objects of the API; changes a pod; deletes,
//!   evicts or reports the status of a pod of another node; changes labels or resource claims through the status;
//! - writes another Node; sets labels on itself of `kubernetes.io`, `k8s.io` or `node-restriction.kubernetes.io` that
//!   kubelets may not set; changes its own taints, owners or config source;
//! - writes more of a persistent volume claim than capacity, conditions and allocated resources in its status;
//! - requests a token that is not bound to a pod that runs on it, or for an audience that no volume of the pod needs
//!   and that it has no right to;
//! - requests a certificate as another node, or for a pod that does not run on it;
//! - writes a lease outside `kube-node-lease` or not with its name, another `CSINode`, or a resource slice of another
//!   node.
//!
//! # Cluster objects it reads
//!
//! Pods, nodes and service accounts; for audiences persistent volume claims, persistent volumes and CSI drivers, and
//! the objects that the authorizer reads.
//!
//! # Offline
//!
//! A mirror pod or token names uids, which must be those of the objects in the cluster.
//!
//! # Since
//!
//! 1.7, off by default. Certificate signing requests since 1.31; audiences of tokens since 1.32, on by default since
//! 1.33; owners of Nodes since 1.34.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/noderestriction`

mod certificates;
mod claims;
mod nodes;
mod pods;
mod references;
mod tokens;

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Operation, Recorder, Refusal, UserInfo,
};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::{NODES, PODS};
use kube_api::version::Version;
use kube_api::{GroupResource, Object, Status};

const NODE_LEASES: &str = "kube-node-lease";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let enabled = |gate| initializer.profile.enabled(gate);
    Handler::mutating(NodeRestriction {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        role_labels: initializer.additions().node_labels,
        release: initializer.profile.release(),
        gates: Gates {
            recover_volume_expansion_failure: enabled(Feature::RecoverVolumeExpansionFailure),
            allow_insecure_kubelet_requests: enabled(Feature::AllowInsecureKubeletCertificateSigningRequests),
            audience_restriction: enabled(Feature::ServiceAccountNodeAudienceRestriction),
            pod_certificate_request: enabled(Feature::PodCertificateRequest),
        },
    })
}

struct NodeRestriction {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    gates: Gates,
    /// The labels of roles that kubelets may set in the distribution.
    role_labels: &'static [&'static str],
    release: Version,
}

/// The feature gates that affect the rights of nodes.
#[expect(clippy::struct_excessive_bools, reason = "each is a gate of its own")]
struct Gates {
    recover_volume_expansion_failure: bool,
    allow_insecure_kubelet_requests: bool,
    audience_restriction: bool,
    pod_certificate_request: bool,
}

impl MutationInterface for NodeRestriction {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let user = attributes.user_info.clone();
        let Some(node) = node_of(&user) else { return Ok(()) };
        if node.is_empty() {
            let error = format!("could not determine node from user {}", quote(&user.username));
            return Err(attributes.new_forbidden(error));
        }
        self.admit_from(node, attributes)
    }
}

impl NodeRestriction {
    fn admit_from(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        match (&*attributes.resource.group, &*attributes.resource.resource) {
            ("", "pods") => self.admit_pods(node, attributes),
            ("", "nodes") => nodes::admit(node, attributes, self.role_labels),
            ("", "persistentvolumeclaims") => self.admit_claim(node, attributes),
            ("", "serviceaccounts") => self.admit_token(node, attributes),
            ("certificates.k8s.io", "podcertificaterequests") => {
                self.admit_pod_certificate_request(node, attributes)
            }
            ("certificates.k8s.io", "certificatesigningrequests")
                if !self.gates.allow_insecure_kubelet_requests =>
            {
                certificates::admit_signing_request(node, attributes)
            }
            ("coordination.k8s.io", "leases") => admit_lease(node, attributes),
            ("storage.k8s.io", "csinodes") => admit_csi_node(node, attributes),
            ("resource.k8s.io", "resourceslices") => admit_resource_slice(node, attributes),
            _ => Ok(()),
        }
    }

    fn pod(&self, namespace: &str, name: &str) -> Result<Arc<Object>, Refusal> {
        self.cluster.get(&PODS, namespace, name).ok_or_else(|| not_found("pod", name).into())
    }
}

/// Returns the name of the node that the user is; empty if it is unknown.
fn node_of(user: &UserInfo) -> Option<&str> {
    let name = user.username.strip_prefix("system:node:")?;
    user.groups.iter().any(|group| group == "system:nodes").then_some(name)
}

fn admit_lease(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    if attributes.namespace != NODE_LEASES {
        let error = format!("can only access leases in the {} system namespace", quote(NODE_LEASES));
        return Err(attributes.new_forbidden(error).at(Path::new("metadata.namespace")));
    }
    if name_of(attributes) != node {
        let error = "can only access node lease with the same name as the requesting node";
        return Err(attributes.new_forbidden(error).at(Path::new("metadata.name")));
    }
    Ok(())
}

fn admit_csi_node(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    if name_of(attributes) != node {
        let error = "can only access CSINode with the same name as the requesting node";
        return Err(attributes.new_forbidden(error).at(Path::new("metadata.name")));
    }
    Ok(())
}

/// Checks creations and deletions; the node authorizer checks updates.
fn admit_resource_slice(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    let (slice, verb) = match attributes.operation {
        Operation::Create => (&attributes.object, "create"),
        Operation::Delete => (&attributes.old_object, "delete"),
        _ => return Ok(()),
    };
    if slice.as_deref().is_some_and(|slice| slice.text(["spec", "nodeName"]) == node) {
        return Ok(());
    }
    let error = format!("can only {verb} ResourceSlice with the same NodeName as the requesting node");
    Err(attributes.new_forbidden(error).at(Path::new("spec.nodeName")))
}

/// Returns the name of the object on a CREATE, else that of the URL.
fn name_of(attributes: &Attributes) -> &str {
    match &attributes.object {
        Some(object) if attributes.operation == Operation::Create => object.name(),
        _ => &attributes.name,
    }
}

fn node_name(pod: &Object) -> &str {
    pod.text(["spec", "nodeName"])
}

fn uid(object: &Object) -> &str {
    object.text(["metadata", "uid"])
}

/// Returns 404 as the server's cache reports it, which names a resource by its singular.
fn not_found(singular: &'static str, name: &str) -> Status {
    Status::new_not_found(&GroupResource::new("", singular), name)
}

/// Returns where `pod` of the cluster runs.
fn runs_elsewhere(pod: &Object) -> Evidence {
    let says = match node_name(pod) {
        "" => "runs on no node yet".to_owned(),
        node => format!("runs on node {node}"),
    };
    evidence(PODS, pod, "spec.nodeName", says)
}

fn evidence(resource: GroupResource, object: &Object, field: &'static str, says: String) -> Evidence {
    Evidence::of(resource, object, says).at(Path::new(field))
}

#[cfg(test)]
mod tests;
