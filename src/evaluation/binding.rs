//! Bindings, by which a scheduler places a pod on a node. A binding is not stored, it changes its pod.
//!
//! Source: `BindingREST` of `k8s.io/kubernetes/pkg/registry/core/pod/storage`.

use gotext::value::json;

use crate::admission::Refusal;
use gotext::{names, quote};
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object, Status, Value, pairs};

/// Refuses a name that cannot be that of a stored pod.
///
/// Source: `NamespaceKeyFunc` of `k8s.io/apiserver/pkg/registry/generic/registry`.
pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    let errors = names::is_path_segment_name(name);
    let error = if name.is_empty() {
        "Name parameter required.".to_owned()
    } else if !errors.is_empty() {
        format!("Name parameter invalid: {}: {}", quote(name), errors.join(";"))
    } else {
        return Ok(());
    };
    Err(Status::new_bad_request(error).into())
}

/// Places `pod` on the node of `binding`, at the time `now`.
pub(super) fn assign(
    pod: &mut Object,
    binding: &Object,
    profile: &ServerProfile,
    now: &str,
) -> Result<(), Refusal> {
    refuse_assigned(pod)?;
    pod.set(["spec", "nodeName"], binding.text(["target", "name"]));
    if profile.enabled(Feature::ClearingNominatedNodeNameAfterBinding) {
        pod.remove(["status", "nominatedNodeName"]);
    }
    for (key, value) in pairs(binding.at(["metadata", "annotations"])) {
        pod.set(["metadata", "annotations", key], value);
    }
    if profile.enabled(Feature::PodTopologyLabelsAdmission) {
        for (key, value) in binding.labels() {
            pod.set(["metadata", "labels", key], value);
        }
    }
    set_scheduled(pod, now);
    Ok(())
}

fn refuse_assigned(pod: &Object) -> Result<(), Refusal> {
    let name = pod.name();
    let node = pod.text(["spec", "nodeName"]);
    let error = if pod.has(["metadata", "deletionTimestamp"]) {
        format!("pod {name} is being deleted, cannot be assigned to a host")
    } else if !node.is_empty() {
        format!("pod {name} is already assigned to node {}", quote(node))
    } else if !pod.list(["spec", "schedulingGates"]).is_empty() {
        format!("pod {name} has non-empty .spec.schedulingGates")
    } else {
        return Ok(());
    };
    Err(Status::new_conflict(&GroupResource::new("", "pods/binding"), name, &error).into())
}

/// Source: `UpdatePodCondition` of `k8s.io/kubernetes/pkg/api/pod`.
fn set_scheduled(pod: &mut Object, now: &str) {
    let is_about_it = |condition: &Value| condition["type"] == "PodScheduled";
    let path = ["status", "conditions"];
    let position = pod.list(path).iter().position(is_about_it);
    let old = position.map(|position| &pod.list(path)[position]);
    let since = match old {
        Some(old) if old["status"] == "True" => old["lastTransitionTime"].clone(),
        _ => now.into(),
    };
    let condition =
        json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": since});
    match (position, pod.at_mut(path)) {
        (Some(position), Some(conditions)) => conditions[position] = condition,
        _ => pod.append(path, condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::GroupVersionKind;

    const NOW: &str = "2026-01-01T00:00:00Z";

    fn object(kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", kind), value)
    }

    fn assigned(pod: Value) -> Result<Value, String> {
        let mut pod = object("Pod", pod);
        let metadata = json!({"name": "web", "labels": {"a": "1"}, "annotations": {"b": "2"}});
        let target = json!({"kind": "Node", "name": "n1"});
        let binding = object("Binding", json!({"metadata": metadata, "target": target}));
        assign(&mut pod, &binding, &ServerProfile::default(), NOW)
            .map_err(|refusal| refusal.status.message)?;
        Ok(pod.value)
    }

    #[test]
    fn a_pod_gets_node_labels_annotations_and_condition() {
        let condition = |status, since| json!({"type": "PodScheduled", "status": status, "lastProbeTime": null, "lastTransitionTime": since});
        let pod = json!({"metadata": {"name": "web", "labels": {"a": "0"}}, "status": {"conditions": [condition("False", "before")]}});
        let expected = json!({
            "metadata": {"name": "web", "labels": {"a": "1"}, "annotations": {"b": "2"}},
            "spec": {"nodeName": "n1"},
            "status": {"conditions": [condition("True", NOW)]},
        });
        assert_eq!(assigned(pod), Ok(expected));
    }

    #[test]
    fn a_name_with_a_slash_is_none_of_a_pod() {
        let error = |name| check_name(name).unwrap_err().status.message;
        assert_eq!(error(""), "Name parameter required.");
        assert_eq!(error("a/b"), "Name parameter invalid: \"a/b\": may not contain '/'");
        assert!(check_name("web").is_ok());
    }

    #[test]
    fn a_pod_that_cannot_be_placed_is_a_conflict() {
        let error = |spec: Value| assigned(json!({"metadata": {"name": "web"}, "spec": spec})).unwrap_err();
        let prefix = "Operation cannot be fulfilled on pods/binding \"web\": ";
        assert_eq!(
            error(json!({"nodeName": "n2"})),
            format!("{prefix}pod web is already assigned to node \"n2\"")
        );
        assert_eq!(
            error(json!({"schedulingGates": [{"name": "a"}]})),
            format!("{prefix}pod web has non-empty .spec.schedulingGates")
        );
    }
}
