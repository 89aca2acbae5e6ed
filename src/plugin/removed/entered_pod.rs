//! The pod that a user wants to enter, and why that is refused.

use crate::admission::{Attributes, Evidence, Refusal};
use crate::cluster::Cluster;
use kube_api::resources::PODS;
use kube_api::{Object, Status};
use kube_registry::pod::PodTemplate;

/// Refuses `exec` and `attach` into a pod for which `why_not` returns the responsible field of the spec and the reason.
/// All other requests pass.
pub(super) fn check(
    cluster: &Cluster,
    attributes: &Attributes,
    why_not: impl Fn(PodTemplate<'_>) -> Option<(&'static str, &'static str)>,
) -> Result<(), Refusal> {
    let enters = ["exec", "attach"].contains(&&*attributes.sub_resource);
    if !(attributes.resource.is("", "pods") && enters) {
        return Ok(());
    }
    let Some(pod) = cluster.get(&PODS, &attributes.namespace, &attributes.name) else {
        return Err(attributes.new_forbidden(Status::new_not_found(&PODS, &attributes.name).message));
    };
    let Some((says, reason)) = PodTemplate::of(&pod).and_then(why_not) else { return Ok(()) };
    Err(attributes.new_forbidden(reason).because(evidence(&pod, says)))
}

/// Whether any container is privileged, not only the entered one.
pub(super) fn is_privileged(pod: PodTemplate<'_>) -> bool {
    pod.containers().any(|container| {
        container.value.at(["securityContext", "privileged"]).is_some_and(|privileged| *privileged == true)
    })
}

fn evidence(pod: &Object, says: &str) -> Evidence {
    Evidence::of(PODS, pod, says)
}
