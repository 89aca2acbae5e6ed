//! A Deployment makes a `ReplicaSet` of its template, and lets the ones of older templates go.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/deployment`.

use crate::value::json;

use crate::api::{GroupVersionKind, Object, Value, pairs};
use crate::workload::owned::{self, make, template_hash};
use crate::workload::{Event, Existing, Reaction, Template, pod};

/// The label that tells the replica sets of a deployment apart.
const HASH: &str = "pod-template-hash";

/// Annotations that stay with the deployment.
///
/// Source: `annotationsToSkip`.
const OWN_ANNOTATIONS: &[&str] = &[
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let deployment = event.object;
    if deployment.at(&["spec", "paused"]) == Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let existing = owned::replica_sets(event.cluster, deployment);
    if let (Some(old), []) = (event.old_object, &existing[..]) {
        let is_same = pod::template(old) == pod::template(deployment);
        if is_same && replicas(old) >= replicas(deployment) {
            return Vec::new();
        }
        let reaction = Reaction::of_one(replica_set(deployment));
        return vec![reaction.note(pod::unknown_predecessors(deployment))];
    }
    let (current, old): (Vec<Existing>, _) =
        existing.into_iter().partition(|existing| has_template_of(deployment, &existing.object));
    let deleted = owned::with_dependents(event.cluster, old);
    let wanted = match current.first() {
        None => vec![vec![replica_set(deployment)]],
        Some(current) if replicas(&current.object) == replicas(deployment) => Vec::new(),
        Some(current) => vec![vec![scaled(&current.object, deployment)]],
    };
    vec![Reaction { deleted, replicas: wanted, times: 1, ..Reaction::default() }]
}

/// Source: `getNewReplicaSet`.
fn replica_set(deployment: &Object) -> Template {
    let hash = template_hash(deployment.at(&["spec", "template"]));
    let metadata = json!({"name": format!("{}-{hash}", deployment.name())});
    let mut set = make(deployment, GroupVersionKind::new("apps", "v1", "ReplicaSet"), &metadata);
    for field in ["selector", "template", "minReadySeconds"] {
        if let Some(value) = deployment.at(&["spec", field]) {
            set.set(&["spec", field], value.clone());
        }
    }
    set.set(&["spec", "selector", "matchLabels", HASH], hash.as_str());
    set.set(&["spec", "template", "metadata", "labels", HASH], hash);
    if let Some(labels) = set.at(&["spec", "template", "metadata", "labels"]).cloned() {
        set.set(&["metadata", "labels"], labels);
    }
    for (key, value) in pairs(deployment.at(&["metadata", "annotations"])) {
        if !OWN_ANNOTATIONS.contains(&key) {
            set.set(&["metadata", "annotations", key], value);
        }
    }
    set.set(&["metadata", "annotations", "deployment.kubernetes.io/revision"], "1");
    scale(&mut set, deployment);
    Template { object: set, path: None }
}

fn scaled(set: &Object, deployment: &Object) -> Template {
    let mut set = set.clone();
    scale(&mut set, deployment);
    Template { object: set, path: None }
}

/// Source: `SetReplicasAnnotations`.
fn scale(set: &mut Object, deployment: &Object) {
    let replicas = replicas(deployment);
    set.set(&["spec", "replicas"], replicas);
    let most = replicas.saturating_add(max_surge(deployment, replicas));
    for (key, number) in [("desired-replicas", replicas), ("max-replicas", most)] {
        let key = format!("deployment.kubernetes.io/{key}");
        set.set(&["metadata", "annotations", &key], number.to_string());
    }
}

/// Source: `MaxSurge`.
fn max_surge(deployment: &Object, replicas: u64) -> u64 {
    match deployment.at(&["spec", "strategy", "rollingUpdate", "maxSurge"]) {
        Some(Value::String(percent)) => {
            let percent = percent.trim_end_matches('%').parse::<u64>().unwrap_or_default();
            percent.saturating_mul(replicas).div_ceil(100)
        }
        surge => surge.and_then(Value::as_u64).unwrap_or_default(),
    }
}

/// Source: `EqualIgnoreHash`.
fn has_template_of(deployment: &Object, set: &Object) -> bool {
    let mut template = pod::template(set).clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove(HASH);
    }
    template == *pod::template(deployment)
}

fn replicas(workload: &Object) -> u64 {
    workload.at(&["spec", "replicas"]).and_then(Value::as_u64).unwrap_or(1)
}
