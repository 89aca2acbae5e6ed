//! Pods from templates, and the claims that controllers create for their ephemeral volumes and devices.
//!
//! Source: `GetPodFromTemplate`, `ephemeral_volume_controller.go`, `resourceclaim_controller.go`.

use std::sync::Arc;

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::owned::{self, make};
use crate::workload::{Event, Existing, Reaction, Template, Unmet};
use gotext::names;
use kube_api::field::Path;
use kube_api::kinds;
use kube_api::resources::{PERSISTENT_VOLUME_CLAIMS, RESOURCE_CLAIM_TEMPLATES};
use kube_api::{GroupVersionKind, Object, Value};

const PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Returns a pod as `owner` creates it from `template`; its name is still to be generated.
pub(super) fn from_template(owner: &Object, template: &Value) -> Object {
    let mut pod = make(owner, GroupVersionKind::new("", "v1", "Pod"), &json!({}));
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.at(["metadata", field]) {
            pod.set(["metadata", field], value.clone());
        }
    }
    pod.set(["metadata", "generateName"], name_prefix(owner.name()));
    if let Some(spec) = template.at("spec") {
        pod.set(["spec"], spec.clone());
    }
    pod
}

/// Returns the `spec.template` of a workload.
pub(super) fn template(owner: &Object) -> &Value {
    owner.at(["spec", "template"]).unwrap_or(&Value::Null)
}

/// Returns `pod`, which the template of its owner describes.
pub(super) fn templated(pod: Object) -> Template {
    Template { object: pod, path: Some(Path::new("spec.template")) }
}

/// The changes by which a workload gets the number of pods that it wants.
pub(super) struct Balance {
    /// The pods to delete.
    pub(super) deleted: Vec<Existing>,
    /// The number of pods that stay.
    pub(super) kept: u64,
    /// The number of pods to create.
    pub(super) missing: u64,
    /// The assumptions that were made.
    pub(super) notes: Vec<String>,
}

/// Returns the changes to the pods of `event`'s object, which wants `wanted` of them and wanted `before`.
pub(super) fn balance(event: &Event<'_>, wanted: u64, before: u64) -> Balance {
    let owner = event.object;
    let existing = owned::pods(event.cluster, owner);
    if existing.is_empty() && event.old_object.is_some_and(may_have_pods) && before > 0 {
        let missing = wanted.saturating_sub(before);
        let notes = (missing > 0).then(|| unknown_predecessors(owner)).into_iter().collect();
        return Balance { deleted: Vec::new(), kept: wanted - missing, missing, notes };
    }
    // Those that have ended count as neither.
    let existing: Vec<_> = existing.into_iter().filter(|pod| !owned::is_leaving(&pod.object)).collect();
    let kept = wanted.min(owned::count(&existing));
    let deleted = owned::with_dependents(event.cluster, owned::surplus(existing, kept));
    Balance { deleted, kept, missing: wanted - kept, notes: Vec::new() }
}

/// Whether an existing workload may have pods, judged by its status.
pub(super) fn may_have_pods(owner: &Object) -> bool {
    if owner.kind.is(kinds::JOB) {
        return true;
    }
    let field = if owner.kind.is(kinds::DAEMON_SET) { "currentNumberScheduled" } else { "replicas" };
    let number = owner.at(["status", field]).and_then(Value::as_u64).unwrap_or(0);
    owner.at(["status", "observedGeneration"]).is_none() || number > 0
}

/// Returns the note that pods which must exist are not among the cluster objects.
pub(super) fn unknown_predecessors(owner: &Object) -> String {
    format!(
        "the Pods that {} {}/{} had before are not among the cluster objects: quotas count them in addition to the new ones",
        owner.kind.kind,
        owner.namespace(),
        owner.name()
    )
}

/// Creates the claims of generic ephemeral volumes.
pub(super) fn claim_volumes(event: &Event<'_>) -> Vec<Reaction> {
    let pod = event.object;
    let volumes = pod.list(["spec", "volumes"]).iter().enumerate();
    let claims = volumes.filter_map(|(index, volume)| {
        let template = volume.at(["ephemeral", "volumeClaimTemplate"])?;
        let name = format!("{}-{}", pod.name(), volume.at("name")?.as_str()?);
        if event.cluster.contains(&PERSISTENT_VOLUME_CLAIMS, pod.namespace(), &name) {
            return None;
        }
        let mut claim =
            make(pod, GroupVersionKind::new("", "v1", "PersistentVolumeClaim"), &json!({"name": name}));
        take_over(&mut claim, template);
        let path = Path::new("spec.volumes").index(index).child("ephemeral").child("volumeClaimTemplate");
        Some(Reaction::of_equal(Template { object: claim, path: Some(path) }, event.count))
    });
    claims.collect()
}

/// Creates the resource claims that a new pod has a template for.
pub(super) fn claim_devices(event: &Event<'_>) -> Vec<Reaction> {
    let pod = event.object;
    if event.old_object.is_some() {
        return Vec::new();
    }
    let claims = pod.list(["spec", "resourceClaims"]).iter().enumerate();
    let claims = claims.filter_map(|(index, claim)| {
        let template_name = claim.at("resourceClaimTemplateName")?.as_str()?;
        let name = claim.at("name")?.as_str()?;
        let Some(template) = event.cluster.get(&RESOURCE_CLAIM_TEMPLATES, pod.namespace(), template_name)
        else {
            if event.knows_all {
                let message = format!(
                    "PodResourceClaim {name}: resource claim template \"{template_name}\": \
                     resourceclaimtemplate.resource.k8s.io \"{template_name}\" not found"
                );
                let kind = GroupVersionKind::new("resource.k8s.io", "v1", "ResourceClaim");
                let path = Path::new("spec.resourceClaims").index(index);
                return Some(Reaction { unmet: Some(Unmet { kind, message, path }), ..Reaction::default() });
            }
            let note = format!(
                "ResourceClaimTemplate {}/{template_name} is not among the cluster objects: no claim was \
                 made of it",
                pod.namespace()
            );
            return Some(Reaction::default().note(note));
        };
        let kind = GroupVersionKind::new("resource.k8s.io", template.kind.version.clone(), "ResourceClaim");
        let metadata = json!({
            "generateName": format!("{}-{name}-", pod.name()),
            "annotations": {"resource.kubernetes.io/pod-claim-name": name},
        });
        let mut claim = make(pod, kind, &metadata);
        take_over(&mut claim, template.at("spec").unwrap_or(&Value::Null));
        let path = Path::new("spec.resourceClaims").index(index);
        Some(Reaction::of_equal(Template { object: claim, path: Some(path) }, event.count))
    });
    claims.collect()
}

/// Protects claims from deletion while pods use them.
///
/// Source: `pvc_protection_controller.go`.
pub(super) fn protect_claims(cluster: &Cluster) {
    for claim in cluster.list_all(&PERSISTENT_VOLUME_CLAIMS) {
        let path = ["metadata", "finalizers"];
        if !claim.list(path).iter().any(|finalizer| finalizer == PROTECTION) {
            let mut protected = Object::clone(&claim);
            protected.append(path, PROTECTION);
            cluster.put(&PERSISTENT_VOLUME_CLAIMS, Arc::new(protected));
        }
    }
}

/// Copies to `object` the labels, annotations and spec of `template`.
fn take_over(object: &mut Object, template: &Value) {
    for field in ["labels", "annotations"] {
        let entries = template.child(["metadata", field]);
        for (key, value) in entries.into_iter().flatten() {
            object.insert_default(["metadata", field, key], value.clone());
        }
    }
    if let Some(spec) = template.at("spec") {
        object.set(["spec"], spec.clone());
    }
}

/// Returns the start of a pod's name; without the dash where that would not be a name.
///
/// Source: `getPodsPrefix`.
fn name_prefix(owner: &str) -> String {
    let prefix = format!("{owner}-");
    if names::is_dns1123_subdomain(&names::mask_trailing_dash(&prefix)).is_empty() {
        prefix
    } else {
        owner.to_owned()
    }
}
