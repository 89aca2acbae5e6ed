//! The Node itself: its labels and taints decide which pods run on it, so the kubelet must not choose them.

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::{Attributes, Operation, Refusal};
use gotext::quote;
use kube_api::Object;
use kube_api::field::Path;

/// The domain of labels that only administrators set.
const RESTRICTED: &str = "node-restriction.kubernetes.io";
/// Labels of Kubernetes that a kubelet sets.
const KUBELET_LABELS: &[&str] = &[
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];
/// Prefixes of labels that a kubelet may set freely.
const KUBELET_PREFIXES: &[&str] = &["kubelet.kubernetes.io", "node.kubernetes.io"];

pub(super) fn admit(node: &str, attributes: &Attributes, role_labels: &[&str]) -> Result<(), Refusal> {
    if attributes.name != node {
        let (node, name) = (quote(node), quote(&attributes.name));
        let error = format!("node {node} is not allowed to modify node {name}");
        return Err(attributes.new_forbidden(error).at(Path::new("metadata.name")));
    }
    match (attributes.operation, attributes.object.as_deref(), attributes.old_object.as_deref()) {
        (Operation::Create, Some(new), _) => admit_creation(&quote(node), new, attributes, role_labels),
        (Operation::Update, Some(new), Some(old)) => admit_update(&quote(node), new, old, attributes),
        _ => Ok(()),
    }
}

fn admit_creation(
    node: &str,
    new: &Object,
    attributes: &Attributes,
    role_labels: &[&str],
) -> Result<(), Refusal> {
    if new.has(["spec", "configSource"]) {
        let error = format!("node {node} is not allowed to create pods with a non-nil configSource");
        return Err(attributes.new_forbidden(error).at(Path::new("spec.configSource")));
    }
    let mut forbidden = forbidden_labels(new, None);
    forbidden.retain(|label| !role_labels.contains(label));
    if forbidden.is_empty() {
        return Ok(());
    }
    let error = format!("node {node} is not allowed to set the following labels: {}", forbidden.join(", "));
    Err(attributes.new_forbidden(error).at_all(label_paths(&forbidden)))
}

fn admit_update(node: &str, new: &Object, old: &Object, attributes: &Attributes) -> Result<(), Refusal> {
    let refuse = |error: String, path| Err(attributes.new_forbidden(error).at(Path::new(path)));
    // An old kubelet that does not know the field may omit it.
    let source = new.at(["spec", "configSource"]);
    if source.is_some() && source != old.at(["spec", "configSource"]) {
        let error =
            format!("node {node} is not allowed to update configSource to a new non-nil configSource");
        return refuse(error, "spec.configSource");
    }
    if new.list(["spec", "taints"]) != old.list(["spec", "taints"]) {
        return refuse(format!("node {node} is not allowed to modify taints"), "spec.taints");
    }
    let owners = ["metadata", "ownerReferences"];
    if new.list(owners) != old.list(owners) {
        let error = format!("node {node} is not allowed to modify ownerReferences");
        return refuse(error, "metadata.ownerReferences");
    }
    let forbidden = forbidden_labels(new, Some(old));
    if forbidden.is_empty() {
        return Ok(());
    }
    let error = format!("is not allowed to modify labels: {}", forbidden.join(", "));
    Err(attributes.new_forbidden(error).at_all(label_paths(&forbidden)))
}

/// Returns the labels that are added, removed or changed although the kubelet may not set them, ordered by key.
fn forbidden_labels<'a>(new: &'a Object, old: Option<&'a Object>) -> Vec<&'a str> {
    let new: BTreeMap<_, _> = new.labels().collect();
    let old: BTreeMap<_, _> = old.into_iter().flat_map(Object::labels).collect();
    let keys: BTreeSet<_> = new.keys().chain(old.keys()).copied().collect();
    keys.into_iter().filter(|key| new.get(key) != old.get(key) && is_forbidden(key)).collect()
}

fn is_forbidden(key: &str) -> bool {
    let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
    let is_below = |domain: &&str| {
        prefix.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_kubelets = KUBELET_LABELS.contains(&key) || KUBELET_PREFIXES.iter().any(is_below);
    is_below(&RESTRICTED) || ["kubernetes.io", "k8s.io"].iter().any(is_below) && !is_kubelets
}

fn label_paths(keys: &[&str]) -> impl Iterator<Item = Path> {
    keys.iter().map(|key| Path::new("metadata.labels").key(*key))
}
