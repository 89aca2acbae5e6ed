//! The generation of an object: how often its specification changed. The server counts, whatever a request says.
//!
//! Source: the strategies that set `metadata.generation`.

use crate::table;
use kube_api::tree::child_mut;
use kube_api::{GroupVersionKind, Map};

/// The built-in kinds whose objects have a generation, by group.
const WITH_GENERATION: &[(&str, &[&str])] = &[
    ("", &["Pod", "PodTemplate", "ReplicationController"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apps", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch", &["CronJob", "Job"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("policy", &["PodDisruptionBudget"]),
    ("resource.k8s.io", &["DeviceClass", "DeviceTaintRule", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
];

/// Whether objects of `kind` have a generation: custom resources have one, and some built-in kinds.
pub fn has_generation(kind: &GroupVersionKind) -> bool {
    table::of(kind).is_none() || is_counted(&kind.group, &kind.kind)
}

/// Forgets the generation in an object of a built-in kind that is to be created: the server sets it to 1.
pub(crate) fn forget(object: &mut Map, group: &str, kind: &str) {
    if is_counted(group, kind)
        && let Some(metadata) = child_mut(object, "metadata")
    {
        metadata.remove("generation");
    }
}

fn is_counted(group: &str, kind: &str) -> bool {
    let known = WITH_GENERATION.iter().find(|(known, _)| group == *known);
    known.is_some_and(|(_, kinds)| kinds.contains(&kind))
}
