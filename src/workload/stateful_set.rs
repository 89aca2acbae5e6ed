//! A `StatefulSet` creates pods with stable names, one after the other, and the claims of each.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/statefulset`.

use std::collections::BTreeMap;

use gotext::value::{Value, json};

use crate::workload::{Event, Existing, Reaction, Replica, Template, bounded, owned, pod, revision};
use kube_api::field::Path;
use kube_api::resources::PERSISTENT_VOLUME_CLAIMS;
use kube_api::{GroupVersionKind, Object, pairs};

const INDEX: &str = "apps.kubernetes.io/pod-index";
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let set = event.object;
    owned::adopt_pods(event.cluster, set);
    let wanted = number(set, &["spec", "replicas"], 1);
    let start = number(set, &["spec", "ordinals", "start"], 0);
    let is_new = event.old_object.is_some_and(|old| pod::template(old) != pod::template(set));
    let is_updated = is_new && set.text(["spec", "updateStrategy", "type"]) != "OnDelete";
    let existing = owned::pods(event.cluster, set);
    let before = event.old_object.filter(|old| pod::may_have_pods(old));
    let before = before.map_or(0, |old| number(old, &["spec", "replicas"], 1));
    if existing.is_empty() && before > 0 {
        return unknown(event, is_updated, start, before, wanted);
    }
    let ordinals: BTreeMap<u64, Existing> =
        existing.into_iter().filter_map(|pod| Some((ordinal(set, &pod.object)?, pod))).collect();
    let range = start..start.saturating_add(wanted);
    let (missing, note) =
        bounded(wanted - ordinals.keys().filter(|ordinal| range.contains(ordinal)).count() as u64, set);
    let mut replicas: Vec<Replica> = range
        .clone()
        .filter(|ordinal| !ordinals.contains_key(ordinal))
        .take(usize::try_from(missing).unwrap_or(usize::MAX))
        .map(|ordinal| replica(event, ordinal))
        .collect();
    let (kept, surplus): (BTreeMap<_, _>, BTreeMap<_, _>) =
        ordinals.into_iter().partition(|(ordinal, _)| range.contains(ordinal));
    if is_updated {
        let partition = number(set, &["spec", "updateStrategy", "rollingUpdate", "partition"], 0);
        let outdated = kept.into_iter().rev().filter(|(ordinal, _)| *ordinal - start >= partition);
        replicas.extend(outdated.map(|(ordinal, old)| {
            let replaces = owned::with_dependents(event.cluster, vec![old]);
            Replica { replaces, ..replica(event, ordinal) }
        }));
    }
    let most = number(set, &["spec", "updateStrategy", "rollingUpdate", "maxUnavailable"], 1);
    let mut deleted: Vec<Existing> = surplus.into_values().collect();
    if set.text(["spec", "persistentVolumeClaimRetentionPolicy", "whenScaled"]) == "Delete" {
        let claims = deleted.iter().flat_map(|pod| claims_of(event, &pod.object)).collect::<Vec<_>>();
        deleted.extend(claims);
    }
    let pods = Reaction {
        deleted: owned::with_dependents(event.cluster, deleted),
        replicas,
        times: 1,
        is_ordered: set.text(["spec", "podManagementPolicy"]) != "Parallel",
        max_unavailable: most.max(1),
        notes: note.into_iter().collect(),
        ..Reaction::default()
    };
    revision::react(event, "controller.kubernetes.io/hash").into_iter().chain([pods]).collect()
}

/// Returns the reaction if the pods of the set are unknown.
fn unknown(event: &Event<'_>, is_updated: bool, start: u64, before: u64, wanted: u64) -> Vec<Reaction> {
    let set = event.object;
    let partition = number(set, &["spec", "updateStrategy", "rollingUpdate", "partition"], 0);
    let first = if is_updated { partition.min(wanted) } else { before.min(wanted) };
    let (missing, note) = bounded(wanted - first, set);
    let known = (missing > 0).then(|| pod::unknown_predecessors(set));
    let pods = Reaction {
        replicas: (start + first..start + first + missing).map(|ordinal| replica(event, ordinal)).collect(),
        times: 1,
        is_ordered: set.text(["spec", "podManagementPolicy"]) != "Parallel",
        notes: known.into_iter().chain(note).collect(),
        ..Reaction::default()
    };
    revision::react(event, "controller.kubernetes.io/hash").into_iter().chain([pods]).collect()
}

/// Returns the number at the end of a pod's name.
///
/// Source: `getParentNameAndOrdinal`
pub(super) fn ordinal(set: &Object, pod: &Object) -> Option<u64> {
    pod.name().strip_prefix(set.name())?.strip_prefix('-')?.parse().ok()
}

/// Whether the set wants a pod with this number.
pub(super) fn wants(set: &Object, ordinal: u64) -> bool {
    let start = number(set, &["spec", "ordinals", "start"], 0);
    (start..start.saturating_add(number(set, &["spec", "replicas"], 1))).contains(&ordinal)
}

/// Returns the claims created from templates of the set for `pod`.
fn claims_of(event: &Event<'_>, pod: &Object) -> Vec<Existing> {
    let templates = event.object.list(["spec", "volumeClaimTemplates"]).iter();
    let names = templates.filter_map(|template| template.at(["metadata", "name"])?.as_str());
    let claims = names.filter_map(|name| {
        let name = format!("{name}-{}", pod.name());
        event.cluster.get(&PERSISTENT_VOLUME_CLAIMS, pod.namespace(), &name)
    });
    let resource = PERSISTENT_VOLUME_CLAIMS;
    claims.map(|object| Existing { resource: resource.clone(), object, count: 1, surplus: 1 }).collect()
}

/// Returns a pod and, before it, its claims that do not exist yet.
fn replica(event: &Event<'_>, ordinal: u64) -> Replica {
    let set = event.object;
    let name = format!("{}-{ordinal}", set.name());
    let mut objects = Vec::new();
    let mut volumes = Vec::new();
    for (index, template) in set.list(["spec", "volumeClaimTemplates"]).iter().enumerate() {
        let volume = template.text(["metadata", "name"]);
        let claim = claim(set, template, &format!("{volume}-{name}"));
        volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim.name()}}));
        if !event.cluster.contains(&PERSISTENT_VOLUME_CLAIMS, set.namespace(), claim.name()) {
            let path = Path::new("spec.volumeClaimTemplates").index(index);
            objects.push(Template { object: claim, path: Some(path) });
        }
    }
    objects.push(pod::templated(pod(set, &name, ordinal, volumes)));
    Replica { templates: objects, replaces: Vec::new() }
}

/// Source: `getPersistentVolumeClaims`. Claims outlive their set, unless it says otherwise later.
fn claim(set: &Object, template: &Value, name: &str) -> Object {
    let kind = GroupVersionKind::new("", "v1", "PersistentVolumeClaim");
    let mut claim = Object::new(kind, template.clone());
    claim.set(["apiVersion"], "v1");
    claim.set(["kind"], "PersistentVolumeClaim");
    claim.set(["metadata", "name"], name);
    claim.set(["metadata", "namespace"], set.namespace());
    for (key, value) in pairs(set.at(["spec", "selector", "matchLabels"])) {
        claim.set(["metadata", "labels", key], value);
    }
    claim
}

/// Source: `newStatefulSetPod`, `updateIdentity` and `updateStorage`.
fn pod(set: &Object, name: &str, ordinal: u64, mut volumes: Vec<Value>) -> Object {
    let mut pod = pod::from_template(set, pod::template(set));
    pod.set(["metadata", "name"], name);
    pod.set(["metadata", "labels", POD_NAME], name);
    pod.set(["metadata", "labels", INDEX], ordinal.to_string());
    pod.set(["metadata", "labels", revision::LABEL], revision::name(set));
    pod.set(["spec", "hostname"], name);
    let service = set.text(["spec", "serviceName"]);
    if !service.is_empty() {
        pod.set(["spec", "subdomain"], service);
    }
    let is_claimed = |volume: &&Value| !volumes.iter().any(|claimed| claimed["name"] == volume["name"]);
    let others: Vec<Value> = pod.list(["spec", "volumes"]).iter().filter(is_claimed).cloned().collect();
    volumes.extend(others);
    if !volumes.is_empty() {
        pod.set(["spec", "volumes"], volumes);
    }
    pod
}

fn number(set: &Object, fields: &[&str], default: u64) -> u64 {
    set.at(fields).and_then(Value::as_u64).unwrap_or(default)
}
