//! Requests that constraints do not apply to.
//!
//! Source: `shouldSkipSCCEvaluation`, `rbacregistry.IsOnlyMutatingGCFields`.

use crate::admission::{Attributes, Operation, Phase};
use kube_api::{Map, Object, Value, pairs};

/// Subresources that do not affect the rights of a pod.
const IGNORED_SUB_RESOURCES: [&str; 8] =
    ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
/// The annotation that the network writes to running pods.
const IGNORED_ANNOTATION: &str = "k8s.ovn.org/pod-networks";

/// Whether constraints do not apply to the request.
pub(crate) fn is_skipped(attributes: &Attributes, phase: Phase) -> bool {
    if !attributes.resource.is("", "pods") || IGNORED_SUB_RESOURCES.contains(&&*attributes.sub_resource) {
        return true;
    }
    let Some(pod) = attributes.object.as_deref() else { return true };
    if pod.text(["spec", "os", "name"]) == "windows" {
        return true;
    }
    match (attributes.operation, attributes.old_object.as_deref()) {
        (Operation::Update, Some(old)) => {
            // The server raises the generation between the phases, which makes the objects differ.
            let generation_is_raised = attributes.changes_spec() && phase == Phase::Validating;
            !generation_is_raised && is_same_to_constraints(pod, old)
        }
        _ => false,
    }
}

fn is_same_to_constraints(pod: &Object, old: &Object) -> bool {
    let mut pod = pod.clone();
    match old.at(["spec", "schedulingGates"]) {
        Some(gates) => pod.set(["spec", "schedulingGates"], gates.clone()),
        None => drop(pod.remove(["spec", "schedulingGates"])),
    }
    pod.at("spec") == old.at("spec")
        && changes_only_ignored_annotations(&pod, old)
        && without_collected(&pod) == without_collected(old)
}

fn changes_only_ignored_annotations(pod: &Object, old: &Object) -> bool {
    let of = |object: &Object| object.at(["metadata", "annotations"]).cloned();
    let (new, old) = (of(pod), of(old));
    let differs = |left: &Option<Value>, right: &Option<Value>| {
        pairs(left.as_ref()).any(|(key, value)| {
            let other = right.as_ref().and_then(|annotations| annotations.get(key)).and_then(Value::as_str);
            key != IGNORED_ANNOTATION && other != Some(value)
        })
    };
    !differs(&new, &old) && !differs(&old, &new)
}

/// Returns the object without annotations and without the fields that the garbage collector changes.
fn without_collected(object: &Object) -> Value {
    let mut value = object.value.clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["annotations", "ownerReferences", "finalizers", "managedFields"] {
            metadata.remove(field);
        }
        metadata.retain(|_, value| !value.as_object().is_some_and(Map::is_empty));
    }
    value
}
