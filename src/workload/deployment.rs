//! A Deployment creates a `ReplicaSet` from its template, whose pods replace those of older ones.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/deployment`.

use std::sync::Arc;

use gotext::value::json;

use crate::workload::owned::{self, make, template_hash};
use crate::workload::rollout::{self, replicas};
use crate::workload::{Event, Existing, Reaction, Replica, Template, pod, replica_set};
use kube_api::resources::REPLICA_SETS;
use kube_api::{GroupVersionKind, Object, Value, pairs};

/// The annotation with the revision of a template.
pub(super) const REVISION: [&str; 3] = ["metadata", "annotations", "deployment.kubernetes.io/revision"];

/// The annotation with the revisions that a template had before it was used again.
const REVISION_HISTORY: [&str; 3] = ["metadata", "annotations", "deployment.kubernetes.io/revision-history"];

/// The revision of the first `ReplicaSet`.
const FIRST_REVISION: u64 = 1;

/// The label that distinguishes the replica sets of a deployment.
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
    if deployment.at(["spec", "paused"]) == Some(&Value::Bool(true)) {
        return scale_paused(event);
    }
    owned::adopt(event.cluster, &REPLICA_SETS, deployment);
    let existing = owned::replica_sets(event.cluster, deployment);
    if let (Some(old), []) = (event.old_object, &existing[..])
        && may_have_created(old)
    {
        let is_same = pod::template(old) == pod::template(deployment);
        if is_same && replicas(old) >= replicas(deployment) {
            return Vec::new();
        }
        let reaction = Reaction::of_one(replica_set(deployment, FIRST_REVISION));
        return vec![reaction.note(pod::unknown_predecessors(deployment))];
    }
    let revision = FIRST_REVISION
        + existing.iter().map(|existing| rollout::revision(&existing.object)).max().unwrap_or(0);
    let (current, old): (Vec<Existing>, _) =
        existing.into_iter().partition(|existing| has_template_of(deployment, &existing.object));
    let mut deleted = Vec::new();
    if deployment.text(["spec", "strategy", "type"]) == "Recreate" {
        for set in &old {
            deleted.extend(owned::pods(event.cluster, &set.object));
            let mut scaled = Object::clone(&set.object);
            scaled.set(["spec", "replicas"], 0);
            event.cluster.put(&REPLICA_SETS, Arc::new(scaled));
        }
    }
    let deleted = owned::with_dependents(event.cluster, deleted);
    let wanted = match current.first() {
        None => match event.predicted.filter(|_| revision == FIRST_REVISION) {
            Some(predicted) => vec![Replica::of(Template { object: predicted.clone(), path: None })],
            None => vec![Replica::of(replica_set(deployment, revision))],
        },
        Some(current) if replicas(&current.object) == replicas(deployment) => {
            // Some of its pods may have been refused.
            let set = &current.object;
            let asked = Event { old_object: Some(set), object: set, count: 1, ..*event };
            let reactions = replica_set::react(&asked).into_iter();
            let controller = "replicaset-controller";
            return reactions.map(|it| Reaction { controller, is_resumed: true, ..it }).collect();
        }
        Some(current) => {
            let mut scaled = scaled(&current.object, deployment);
            // A template that is used again is the newest.
            if rollout::revision(&current.object) + FIRST_REVISION < revision {
                use_again(&mut scaled.object, revision);
            }
            vec![Replica::of(scaled)]
        }
    };
    vec![Reaction { deleted, replicas: wanted, times: 1, ..Reaction::default() }]
}

/// Returns the reactions of a paused Deployment, which creates no new `ReplicaSet` and scales the one that it has.
fn scale_paused(event: &Event<'_>) -> Vec<Reaction> {
    let deployment = event.object;
    let existing = owned::replica_sets(event.cluster, deployment);
    let [only] = &existing[..] else { return Vec::new() };
    if replicas(&only.object) == replicas(deployment) {
        return Vec::new();
    }
    vec![Reaction::of_one(scaled(&only.object, deployment))]
}

/// Whether a Deployment may have pods, judged by itself.
fn may_have_created(deployment: &Object) -> bool {
    let is_observed = deployment.has(["status", "observedGeneration"]);
    let has_none = deployment.at(["status", "replicas"]).and_then(Value::as_u64).unwrap_or(0) == 0;
    let was_paused = deployment.at(["spec", "paused"]) == Some(&Value::Bool(true));
    !(is_observed && has_none || was_paused) && replicas(deployment) > 0
}

/// Returns the `ReplicaSet` of a new Deployment.
pub(super) fn first_replica_set(deployment: &Object) -> Object {
    replica_set(deployment, FIRST_REVISION).object
}

/// Source: `getNewReplicaSet`.
fn replica_set(deployment: &Object, revision: u64) -> Template {
    let hash = template_hash(deployment.at(["spec", "template"]));
    let metadata = json!({"name": format!("{}-{hash}", deployment.name())});
    let mut set = make(deployment, GroupVersionKind::new("apps", "v1", "ReplicaSet"), &metadata);
    for field in ["selector", "template", "minReadySeconds"] {
        if let Some(value) = deployment.at(["spec", field]) {
            set.set(["spec", field], value.clone());
        }
    }
    set.set(["spec", "selector", "matchLabels", HASH], hash.as_str());
    set.set(["spec", "template", "metadata", "labels", HASH], hash);
    if let Some(labels) = set.at(["spec", "template", "metadata", "labels"]).cloned() {
        set.set(["metadata", "labels"], labels);
    }
    for (key, value) in pairs(deployment.at(["metadata", "annotations"])) {
        if !OWN_ANNOTATIONS.contains(&key) {
            set.set(["metadata", "annotations", key], value);
        }
    }
    set.set(REVISION, revision.to_string());
    scale(&mut set, deployment);
    Template { object: set, path: None }
}

fn scaled(set: &Object, deployment: &Object) -> Template {
    let mut set = set.clone();
    scale(&mut set, deployment);
    Template { object: set, path: None }
}

/// Makes `set` the newest again, which remembers its former revision.
///
/// Source: `SetNewReplicaSetAnnotations`.
fn use_again(set: &mut Object, revision: u64) {
    let former = [REVISION_HISTORY, REVISION].map(|path| set.text(path).to_owned());
    let former: Vec<&str> = former.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    set.set(REVISION_HISTORY, former.join(","));
    set.set(REVISION, revision.to_string());
}

/// Source: `SetReplicasAnnotations`.
fn scale(set: &mut Object, deployment: &Object) {
    let replicas = replicas(deployment);
    set.set(["spec", "replicas"], replicas);
    let most = replicas.saturating_add(rollout::max_surge(deployment));
    for (key, number) in [("desired-replicas", replicas), ("max-replicas", most)] {
        let key = format!("deployment.kubernetes.io/{key}");
        set.set(["metadata", "annotations", &key], number.to_string());
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
