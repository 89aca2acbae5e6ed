//! Mirror pods, their removal, the status of pods and their eviction.

use super::{NODES, NodeRestriction, evidence, node_name, not_found, references, runs_elsewhere, uid};
use crate::admission::{Attributes, Operation, Refusal};
use gotext::quote;
use kube_api::field::Path;
use kube_api::{Object, Value};
use kube_registry::pod::PodTemplate;

pub(super) const MIRROR_POD: &str = "kubernetes.io/config.mirror";

impl NodeRestriction {
    pub(super) fn admit_pods(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        match (&*attributes.sub_resource, attributes.operation) {
            ("", Operation::Create) => self.admit_mirror_pod(node, attributes),
            ("", Operation::Delete) => admit_removal(node, attributes),
            ("", operation) => Err(attributes.new_forbidden(format!(
                "unexpected operation \"{operation}\", node {} can only create and delete mirror pods",
                quote(node)
            ))),
            ("status", Operation::Update) => admit_status(node, attributes),
            ("status", operation) => {
                Err(attributes.new_forbidden(format!("unexpected operation \"{operation}\"")))
            }
            ("eviction", Operation::Create) => self.admit_eviction(node, attributes),
            ("eviction", operation) => {
                Err(attributes.new_forbidden(format!("unexpected operation {operation}")))
            }
            (name, _) => Err(attributes.new_forbidden(format!(
                "unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
                quote(name)
            ))),
        }
    }

    fn admit_mirror_pod(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let refuse = |error: String, path: Path| Err(attributes.new_forbidden(error).at(path));
        let quoted = quote(node);
        if pod.annotation(MIRROR_POD).is_none() {
            let error = format!(
                "pod does not have \"{MIRROR_POD}\" annotation, node {quoted} can only create mirror pods"
            );
            return refuse(error, Path::new("metadata.annotations"));
        }
        if node_name(pod) != node {
            let error = format!("node {quoted} can only create pods with spec.nodeName set to itself");
            return refuse(error, Path::new("spec.nodeName"));
        }
        self.check_owner(node, pod, attributes)?;
        match PodTemplate::of(pod).map_or(Ok(None), |pod| references::first(&pod)) {
            Ok(None) => Ok(()),
            Ok(Some(found)) => {
                let error = format!("node {quoted} can not create pods that reference {}", found.what);
                refuse(error, found.path)
            }
            Err(found) => {
                refuse(format!("error checking mirror pod for API references: {}", found.what), found.path)
            }
        }
    }

    /// Checks the owner: a mirror pod belongs only to its Node, and never blocks the deletion of that.
    fn check_owner(&self, node: &str, pod: &Object, attributes: &Attributes) -> Result<(), Refusal> {
        let path = Path::new("metadata.ownerReferences");
        let refuse = |error: String, path: Path| Err(attributes.new_forbidden(error).at(path));
        let quoted = quote(node);
        let owners = pod.list(["metadata", "ownerReferences"]);
        let is_node = |owner: &Value| {
            ["apiVersion", "kind", "name"].map(|field| owner.text(field)) == ["v1", "Node", node]
        };
        let owner = match owners {
            [owner] if is_node(owner) => owner,
            [] | [_] => {
                let error =
                    format!("node {quoted} can only create pods with an owner reference set to itself");
                return refuse(error, path);
            }
            _ => {
                let error =
                    format!("node {quoted} can only create pods with a single owner reference set to itself");
                return refuse(error, path);
            }
        };
        let path = path.index(0);
        let is_set = |field| owner.flag(field);
        if !is_set("controller") {
            let error =
                format!("node {quoted} can only create pods with a controller owner reference set to itself");
            return refuse(error, path.child("controller"));
        }
        if is_set("blockOwnerDeletion") {
            let error = format!("node {quoted} must not set blockOwnerDeletion on an owner reference");
            return refuse(error, path.child("blockOwnerDeletion"));
        }
        let Some(stored) = self.cluster.get(&NODES, "", node) else {
            return Err(Refusal::from(not_found("node", node)).at(path.child("name")));
        };
        let (given, stored_uid) = (owner.text("uid"), uid(&stored));
        if given != stored_uid {
            let error = format!("node {node} UID mismatch: expected {given} got {stored_uid}");
            let evidence = evidence(NODES, &stored, "metadata.uid", format!("has the uid {stored_uid}"));
            return Err(attributes.new_forbidden(error).at(path.child("uid")).because(evidence));
        }
        Ok(())
    }

    fn admit_eviction(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        let eviction = attributes.object.as_deref().map_or("", Object::name);
        let name = Some(attributes.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(eviction);
        if name.is_empty() {
            return Err(attributes.new_forbidden("could not determine pod from request data"));
        }
        let pod = self.pod(&attributes.namespace, name)?;
        if node_name(&pod) != node {
            let error = format!("node {node} can only evict pods with spec.nodeName set to itself");
            return Err(attributes.new_forbidden(error).because(runs_elsewhere(&pod)));
        }
        Ok(())
    }
}

fn admit_removal(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    match attributes.old_object.as_deref() {
        Some(pod) if node_name(pod) != node => {
            let quoted = quote(node);
            let error = format!("node {quoted} can only delete pods with spec.nodeName set to itself");
            Err(attributes.new_forbidden(error).because(runs_elsewhere(pod)))
        }
        _ => Ok(()),
    }
}

fn admit_status(node: &str, attributes: &Attributes) -> Result<(), Refusal> {
    let (Some(old), Some(new)) = (attributes.old_object.as_deref(), attributes.object.as_deref()) else {
        return Ok(());
    };
    let quoted = quote(node);
    if node_name(old) != node {
        let error =
            format!("node {quoted} can only update pod status for pods with spec.nodeName set to itself");
        return Err(attributes.new_forbidden(error).because(runs_elsewhere(old)));
    }
    if !old.labels().eq(new.labels()) {
        let error = format!("node {quoted} cannot update labels through pod status");
        return Err(attributes.new_forbidden(error).at(Path::new("metadata.labels")));
    }
    let claims = |pod: &Object| {
        let statuses = pod.list(["status", "resourceClaimStatuses"]).iter();
        let fields = |status: &Value| {
            ["name", "resourceClaimName"].map(|field| status.at(field).cloned().unwrap_or_default())
        };
        statuses.map(fields).collect::<Vec<_>>()
    };
    if claims(old) != claims(new) {
        let error = format!("node {quoted} cannot update resource claim statues");
        return Err(attributes.new_forbidden(error).at(Path::new("status.resourceClaimStatuses")));
    }
    let path = ["status", "extendedResourceClaimStatus"];
    if old.at(path) != new.at(path) {
        let error = format!("node {quoted} cannot update extended resource claim status");
        return Err(attributes.new_forbidden(error).at(Path::new("status.extendedResourceClaimStatus")));
    }
    Ok(())
}
