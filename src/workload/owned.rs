//! Ownership of objects.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::Existing;
use kube_api::kinds;
use kube_api::labels::Selector;
use kube_api::resources::{
    CONTROLLER_REVISIONS, JOBS, PERSISTENT_VOLUME_CLAIMS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS,
    RESOURCE_CLAIMS,
};
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value, name_generator, pairs};

/// The resources of objects that controllers create on behalf of others.
const OWNED: &[GroupResource] = &[
    CONTROLLER_REVISIONS,
    JOBS,
    PODS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    PERSISTENT_VOLUME_CLAIMS,
    RESOURCE_CLAIMS,
];

/// The uid of an owner that has none from the server.
const UID: &str = "00000000-0000-4000-8000-000000000000";

/// Returns the reference by which `owner` controls an object.
///
/// Source: `metav1.NewControllerRef`.
pub(super) fn controller_reference(owner: &Object) -> Value {
    let uid = Some(owner.text(["metadata", "uid"])).filter(|uid| !uid.is_empty());
    json!({
        "apiVersion": owner.kind.api_version(),
        "kind": owner.kind.kind,
        "name": owner.name(),
        "uid": uid.unwrap_or(UID),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// Returns an object of `kind` with `metadata`, controlled by `owner` and in its namespace.
pub(super) fn make(owner: &Object, kind: GroupVersionKind, metadata: &Value) -> Object {
    let value = json!({"apiVersion": kind.api_version(), "kind": kind.kind, "metadata": metadata});
    let mut object = Object::new(kind, value);
    object.set(["metadata", "namespace"], owner.namespace());
    object.append(["metadata", "ownerReferences"], controller_reference(owner));
    object
}

/// Makes `owner` control the pods that its selector names and nothing controls.
pub(super) fn adopt_pods(cluster: &Cluster, owner: &Object) {
    adopt(cluster, &PODS, owner);
}

/// Makes `owner` control the objects of `resource` that its selector names and nothing controls.
///
/// A selector of expressions alone is assumed to select nothing.
///
/// Source: `BaseControllerRefManager.ClaimObject`
pub(super) fn adopt(cluster: &Cluster, resource: &GroupResource, owner: &Object) {
    let is_plain = owner.kind.is(kinds::REPLICATION_CONTROLLER);
    let path: &[&str] = if is_plain { &["spec", "selector"] } else { &["spec", "selector", "matchLabels"] };
    let Some(label) = pairs(owner.at(path)).next() else { return };
    for orphan in cluster.list_uncontrolled(resource, owner.namespace(), label) {
        if !selects(owner, &orphan) || is_leaving(&orphan) {
            continue;
        }
        let mut adopted = Object::clone(&orphan);
        adopted.append(["metadata", "ownerReferences"], controller_reference(owner));
        cluster.put(resource, Arc::new(adopted));
    }
}

/// Whether the selector of `owner` names `object`. One that selects everything does not adopt.
pub(super) fn selects(owner: &Object, object: &Object) -> bool {
    let Some(selector) = owner.at(["spec", "selector"]) else { return false };
    if selector.as_object().is_none_or(Map::is_empty) {
        return false;
    }
    let selector = if owner.kind.is(kinds::REPLICATION_CONTROLLER) {
        json!({"matchLabels": selector})
    } else {
        selector.clone()
    };
    let labels = object.at(["metadata", "labels"]);
    Selector::from_label_selector(&selector).is_ok_and(|selector| selector.matches_labels(labels))
}

pub(super) fn is_leaving(object: &Object) -> bool {
    let phase = if object.kind.is(kinds::POD) { object.text(["status", "phase"]) } else { "" };
    object.has(["metadata", "deletionTimestamp"]) || phase == "Succeeded" || phase == "Failed"
}

/// Returns the pods that `owner` controls.
pub(super) fn pods(cluster: &Cluster, owner: &Object) -> Vec<Existing> {
    controlled(cluster, &PODS, owner)
}

/// Returns the replica sets that `owner` controls.
pub(super) fn replica_sets(cluster: &Cluster, owner: &Object) -> Vec<Existing> {
    controlled(cluster, &REPLICA_SETS, owner)
}

/// Returns `owned` with everything that it owns in turn.
pub(super) fn with_dependents(cluster: &Cluster, owned: Vec<Existing>) -> Vec<Existing> {
    let below = |existing: &Existing| all_below(cluster, &existing.object);
    let dependents: Vec<Existing> = owned.iter().flat_map(below).collect();
    owned.into_iter().chain(dependents).collect()
}

/// Returns everything that `owner` controls, and what that controls in turn.
pub(super) fn all_below(cluster: &Cluster, owner: &Object) -> Vec<Existing> {
    if owner.namespace().is_empty() {
        return Vec::new();
    }
    let below = OWNED.iter().flat_map(|resource| controlled(cluster, resource, owner)).collect();
    with_dependents(cluster, below)
}

/// Returns the number of all objects in `existing`.
pub(super) fn count(existing: &[Existing]) -> u64 {
    existing.iter().map(|existing| existing.count).sum()
}

/// Returns the objects of `existing` to remove so that `rest` objects stay; the last ones are removed first.
pub(super) fn surplus(existing: Vec<Existing>, mut rest: u64) -> Vec<Existing> {
    let surplus = existing.into_iter().map(|existing| {
        let kept = rest.min(existing.count);
        rest -= kept;
        Existing { surplus: existing.count - kept, ..existing }
    });
    surplus.filter(|existing| existing.surplus > 0).collect()
}

/// Returns ten characters, fewer for some, that identify `template` in names and labels. A cluster computes others: it
/// hashes how Go prints the template.
pub(super) fn template_hash(template: Option<&Value>) -> String {
    let mut hasher = TemplateHasher(0);
    template.hash(&mut hasher);
    name_generator::safe_encode(&(hasher.finish() >> 32).to_string())
}

/// A hasher with the same result on every machine.
struct TemplateHasher(u64);

impl Hasher for TemplateHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<{ size_of::<u64>() }>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.write_u64(rest.iter().rev().fold(0, |word, byte| word << u8::BITS | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(super) fn controlled(cluster: &Cluster, resource: &GroupResource, owner: &Object) -> Vec<Existing> {
    cluster
        .list_controlled(resource, owner.namespace(), &owner.kind.kind, owner.name())
        .into_iter()
        .map(|(object, count)| Existing { resource: resource.clone(), object, count, surplus: count })
        .collect()
}
