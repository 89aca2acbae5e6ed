//! Certificates: a kubelet gets them for itself and for its pods.

use super::{
    NODES, NodeRestriction, PODS, evidence, node_name, not_found, pods::MIRROR_POD, runs_elsewhere, uid,
};
use crate::admission::{Attributes, Operation, Refusal};
use gotext::quote;
use kube_api::field::Path;
use kube_api::resources::SERVICE_ACCOUNTS;
use kube_api::{Object, Status};
use kube_registry::certificate_request::Subject;

/// The signers whose certificates identify a client or server as a node.
const NODE_SIGNERS: [&str; 2] =
    ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

pub(super) fn admit_signing_request(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    let Some(request) = attributes.object.as_deref() else { return Ok(()) };
    let is_nodes = NODE_SIGNERS.contains(&request.text(["spec", "signerName"]));
    if attributes.operation != Operation::Create || !is_nodes {
        return Ok(());
    }
    let refuse = |error: String| attributes.new_forbidden(error).at(Path::new("spec.request"));
    let subject = Subject::of_request(request.text(["spec", "request"]))
        .map_err(|error| refuse(format!("unable to parse csr: {error}")))?;
    if subject.common_name != format!("system:node:{node}") {
        return Err(refuse(format!("can only create a node CSR with CN=system:node:{node}")));
    }
    Ok(())
}

impl NodeRestriction {
    pub(super) fn admit_pod_certificate_request(
        &self,
        node: &str,
        attributes: &Attributes,
    ) -> Result<(), Refusal> {
        if !self.gates.pod_certificate_request {
            return Err(attributes.new_forbidden("PodCertificateRequest feature gate is disabled"));
        }
        if attributes.operation != Operation::Create {
            return Err(attributes.new_forbidden(format!("unexpected operation {}", attributes.operation)));
        }
        if attributes.has_sub_resource() {
            let error = format!("unexpected subresource {}", attributes.sub_resource);
            return Err(attributes.new_forbidden(error));
        }
        let Some(request) = attributes.object.as_deref() else { return Ok(()) };
        self.check_node(node, request, attributes)?;
        let pod = self.check_pod(request, attributes)?;
        self.check_service_account(request, &pod, attributes)
    }

    /// Checks the pod's node. What a lagging cache may explain is not a refusal but an error: a second try may succeed.
    fn check_node(&self, node: &str, request: &Object, attributes: &Attributes) -> Result<(), Refusal> {
        let name = request.text(["spec", "nodeName"]);
        let quoted = quote(name);
        if name != node {
            let error = format!(
                "PodCertificateRequest.Spec.NodeName={quoted}, which is not the requesting node {}",
                quote(node)
            );
            return Err(attributes.new_forbidden(error).at(Path::new("spec.nodeName")));
        }
        let Some(stored) = self.cluster.get(&NODES, "", name) else {
            let error = format!(
                "while retrieving node {quoted} named in the PodCertificateRequest: {}",
                not_found("node", name).message
            );
            return Err(Refusal::from(Status::from_error(error)).at(Path::new("spec.nodeName")));
        };
        let given = request.text(["spec", "nodeUID"]);
        if given != uid(&stored) {
            let error = format!(
                "PodCertificateRequest for pod {} names node UID {}, inconsistent with the running node ({})",
                pod_of(request, attributes),
                quote(given),
                quote(uid(&stored)),
            );
            let evidence = evidence(NODES, &stored, "metadata.uid", format!("has the uid {}", uid(&stored)));
            let refusal = Refusal::from(Status::from_error(error)).because(evidence);
            return Err(refusal.at(Path::new("spec.nodeUID")));
        }
        Ok(())
    }

    fn check_pod(&self, request: &Object, attributes: &Attributes) -> Result<Object, Refusal> {
        let (name, quoted) = (request.text(["spec", "podName"]), pod_of(request, attributes));
        let Some(pod) = self.cluster.get(&PODS, &attributes.namespace, name) else {
            let error = format!(
                "while retrieving pod {quoted} named in the PodCertificateRequest: {}",
                not_found("pod", name).message
            );
            return Err(Refusal::from(Status::from_error(error)).at(Path::new("spec.podName")));
        };
        let given = request.text(["spec", "podUID"]);
        if given != uid(&pod) {
            let error = format!(
                "PodCertificateRequest for pod {quoted} contains pod UID ({}) which differs from running pod {}",
                quote(given),
                quote(uid(&pod)),
            );
            let evidence = evidence(PODS, &pod, "metadata.uid", format!("has the uid {}", uid(&pod)));
            let refusal = Refusal::from(Status::from_error(error)).because(evidence);
            return Err(refusal.at(Path::new("spec.podUID")));
        }
        let node = request.text(["spec", "nodeName"]);
        if node_name(&pod) != node {
            let error = format!(
                "pod {quoted} is not running on node {} named in the PodCertificateRequest",
                quote(node)
            );
            let refusal = attributes.new_forbidden(error).because(runs_elsewhere(&pod));
            return Err(refusal.at(Path::new("spec.podName")));
        }
        if pod.annotation(MIRROR_POD).is_some() {
            let refusal = attributes.new_forbidden(format!("pod {quoted} is a mirror pod"));
            return Err(refusal.at(Path::new("spec.podName")));
        }
        Ok(Object::clone(&pod))
    }

    fn check_service_account(
        &self,
        request: &Object,
        pod: &Object,
        attributes: &Attributes,
    ) -> Result<(), Refusal> {
        let (name, quoted) = (request.text(["spec", "serviceAccountName"]), pod_of(request, attributes));
        let path = Path::new("spec.serviceAccountName");
        let of_pod = pod.text(["spec", "serviceAccountName"]);
        if name != of_pod {
            let error = format!(
                "PodCertificateRequest for pod {quoted} contains serviceAccountName ({}) that differs from running pod \
                 ({})",
                quote(name),
                quote(of_pod),
            );
            let says = format!("runs as {of_pod}");
            let evidence = evidence(PODS, pod, "spec.serviceAccountName", says);
            return Err(attributes.new_forbidden(error).at(path).because(evidence));
        }
        let Some(account) = self.cluster.get(&SERVICE_ACCOUNTS, &attributes.namespace, name) else {
            let error = format!(
                "while retrieving service account {} named in the PodCertificateRequest: {}",
                quote(&format!("{}/{name}", attributes.namespace)),
                not_found("serviceaccount", name).message
            );
            return Err(Refusal::from(Status::from_error(error)).at(path));
        };
        let given = request.text(["spec", "serviceAccountUID"]);
        if given != uid(&account) {
            let error = format!(
                "PodCertificateRequest for pod {quoted} names service account UID {}, which differs from the running \
                 service account ({})",
                quote(given),
                quote(uid(&account)),
            );
            let says = format!("has the uid {}", uid(&account));
            let evidence = evidence(SERVICE_ACCOUNTS, &account, "metadata.uid", says);
            let refusal = Refusal::from(Status::from_error(error)).because(evidence);
            return Err(refusal.at(Path::new("spec.serviceAccountUID")));
        }
        Ok(())
    }
}

/// Returns the pod of `request` as messages name it.
fn pod_of(request: &Object, attributes: &Attributes) -> String {
    quote(&format!("{}/{}", attributes.namespace, request.text(["spec", "podName"])))
}
