//! A `StatefulSet` makes pods with names of their own, one after the other, and the claims that each of them has.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/statefulset`.

use crate::value::{Value, json};

use crate::api::field::Path;
use crate::api::resources::PERSISTENT_VOLUME_CLAIMS;
use crate::api::{GroupVersionKind, Object, at, pairs};
use crate::workload::{Event, Reaction, Template, bounded, pod, revision};

const INDEX: &str = "apps.kubernetes.io/pod-index";
const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let set = event.object;
    let replaces = set.text(&["spec", "updateStrategy", "type"]) != "OnDelete";
    let before = event.old_object.map_or(0, |old| number(old, &["spec", "replicas"], 1));
    let balance = pod::balance(event, number(set, &["spec", "replicas"], 1), before, replaces);
    let start = number(set, &["spec", "ordinals", "start"], 0) + balance.kept;
    let (missing, note) = bounded(balance.missing, set);
    let pods = Reaction {
        deleted: balance.deleted,
        replicas: (start..start + missing).map(|ordinal| replica(event, ordinal)).collect(),
        times: 1,
        is_ordered: set.text(&["spec", "podManagementPolicy"]) != "Parallel",
        notes: balance.notes.into_iter().chain(note).collect(),
        ..Reaction::default()
    };
    revision::react(event, "controller.kubernetes.io/hash").into_iter().chain([pods]).collect()
}

/// A pod and, before it, its claims that do not exist yet.
fn replica(event: &Event<'_>, ordinal: u64) -> Vec<Template> {
    let set = event.object;
    let name = format!("{}-{ordinal}", set.name());
    let mut objects = Vec::new();
    let mut volumes = Vec::new();
    for (index, template) in set.list(&["spec", "volumeClaimTemplates"]).iter().enumerate() {
        let volume = at(template, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
        let claim = claim(set, template, &format!("{volume}-{name}"));
        volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim.name()}}));
        if !event.cluster.contains(&PERSISTENT_VOLUME_CLAIMS, set.namespace(), claim.name()) {
            let path = Path::new("spec.volumeClaimTemplates").index(index);
            objects.push(Template { object: claim, path: Some(path) });
        }
    }
    objects.push(pod::templated(pod(set, &name, ordinal, volumes)));
    objects
}

/// Source: `getPersistentVolumeClaims`. Claims outlive their set, unless it says otherwise later.
fn claim(set: &Object, template: &Value, name: &str) -> Object {
    let kind = GroupVersionKind::new("", "v1", "PersistentVolumeClaim");
    let mut claim = Object::new(kind, template.clone());
    claim.set(&["apiVersion"], "v1");
    claim.set(&["kind"], "PersistentVolumeClaim");
    claim.set(&["metadata", "name"], name);
    claim.set(&["metadata", "namespace"], set.namespace());
    for (key, value) in pairs(set.at(&["spec", "selector", "matchLabels"])) {
        claim.set(&["metadata", "labels", key], value);
    }
    claim
}

/// Source: `newStatefulSetPod`, `updateIdentity` and `updateStorage`.
fn pod(set: &Object, name: &str, ordinal: u64, mut volumes: Vec<Value>) -> Object {
    let mut pod = pod::from_template(set, pod::template(set));
    pod.set(&["metadata", "name"], name);
    pod.set(&["metadata", "labels", POD_NAME], name);
    pod.set(&["metadata", "labels", INDEX], ordinal.to_string());
    pod.set(&["metadata", "labels", revision::LABEL], revision::name(set));
    pod.set(&["spec", "hostname"], name);
    let service = set.text(&["spec", "serviceName"]);
    if !service.is_empty() {
        pod.set(&["spec", "subdomain"], service);
    }
    let is_claimed = |volume: &&Value| !volumes.iter().any(|claimed| claimed["name"] == volume["name"]);
    let others: Vec<Value> = pod.list(&["spec", "volumes"]).iter().filter(is_claimed).cloned().collect();
    volumes.extend(others);
    if !volumes.is_empty() {
        pod.set(&["spec", "volumes"], volumes);
    }
    pod
}

fn number(set: &Object, fields: &[&str], default: u64) -> u64 {
    set.at(fields).and_then(Value::as_u64).unwrap_or(default)
}
