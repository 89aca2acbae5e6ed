//! What controllers report in the status of a workload: how many Pods there are, how many of them are ready, and which
//! specification was seen.
//!
//! Deliberately absent: the time for which a Pod must be ready, and the deadline of a rollout. A ready Pod is available,
//! and a rollout that waits goes on.
//!
//! Source: `syncRolloutStatus`, `calculateStatus` and their relatives in `k8s.io/kubernetes/pkg/controller`

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::{Existing, deployment, job, owned, rollout};
use kube_api::kinds;
use kube_api::{Map, Object, Value};

/// The fields of a status that are written if they are zero.
const ALWAYS: [&str; 5] =
    ["currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady", "replicas"];

/// Returns `workload` with what its controller would write at the time `now`, if that differs.
pub fn observed(cluster: &Cluster, workload: &Object, now: &str) -> Option<Object> {
    let kind = &workload.kind;
    let mut observed = workload.clone();
    if kind.is(kinds::JOB) {
        job::observe(cluster, &mut observed, now);
        return (observed != *workload).then_some(observed);
    }
    let fields = if kind.is(kinds::REPLICA_SET) || kind.is(kinds::REPLICATION_CONTROLLER) {
        let Pods { all, ready } = Pods::of(cluster, workload);
        vec![
            ("replicas", all),
            ("fullyLabeledReplicas", all),
            ("readyReplicas", ready),
            ("availableReplicas", ready),
        ]
    } else if kind.is(kinds::DEPLOYMENT) {
        let sets = owned::replica_sets(cluster, workload);
        let newest = sets.iter().map(|set| &*set.object).max_by_key(|set| rollout::revision(set));
        if let Some(revision) = newest.map(|newest| newest.text(deployment::REVISION)) {
            observed.set(deployment::REVISION, revision);
        }
        let rollout = Progress::of(cluster, workload, &sets, newest);
        let conditions = rollout.conditions(workload, newest, now);
        observed.set(["status", "conditions"], conditions);
        rollout.fields()
    } else if kind.is(kinds::STATEFUL_SET) {
        let Pods { all, ready } = Pods::of(cluster, workload);
        vec![
            ("replicas", all),
            ("readyReplicas", ready),
            ("availableReplicas", ready),
            ("currentReplicas", all),
            ("updatedReplicas", all),
        ]
    } else if kind.is(kinds::DAEMON_SET) {
        let Pods { all, ready } = Pods::of(cluster, workload);
        vec![
            ("currentNumberScheduled", all),
            ("desiredNumberScheduled", all),
            ("updatedNumberScheduled", all),
            ("numberMisscheduled", 0),
            ("numberReady", ready),
            ("numberAvailable", ready),
            ("numberUnavailable", all - ready),
        ]
    } else {
        return None;
    };
    let mut status = observed.child("status").cloned().unwrap_or_else(Map::new);
    for (name, count) in fields {
        if count != 0 || ALWAYS.contains(&name) {
            status.insert(name.to_owned(), count.into());
        } else {
            status.remove(name);
        }
    }
    status.insert("observedGeneration".to_owned(), workload.int(["metadata", "generation"]).into());
    observed.set("status", Value::Object(status));
    (observed != *workload).then_some(observed)
}

/// Whether a Pod has this condition.
pub(super) fn has_condition(object: &Object, kind: &str) -> bool {
    let mut conditions = object.items(["status", "conditions"]);
    conditions.any(|condition| condition.text("type") == kind && condition.text("status") == "True")
}

/// The number of a workload's Pods.
struct Pods {
    all: i64,
    ready: i64,
}

impl Pods {
    fn of(cluster: &Cluster, workload: &Object) -> Self {
        let mut pods = owned::pods(cluster, workload);
        pods.retain(|pod| !owned::is_leaving(&pod.object));
        let number = |pods: &[Existing]| i64::try_from(owned::count(pods)).unwrap_or(i64::MAX);
        let all = number(&pods);
        pods.retain(|pod| has_condition(&pod.object, "Ready"));
        Self { all, ready: number(&pods) }
    }
}

/// The state of a rollout.
struct Progress {
    desired: i64,
    /// The number of Pods that the replica sets want.
    wanted: i64,
    all: i64,
    updated: i64,
    ready: i64,
    /// The number of ready Pods that are enough.
    min_available: i64,
}

impl Progress {
    fn of(cluster: &Cluster, deployment: &Object, sets: &[Existing], newest: Option<&Object>) -> Self {
        let pods: Vec<Pods> = sets.iter().map(|set| Pods::of(cluster, &set.object)).collect();
        Self {
            desired: deployment.int(["spec", "replicas"]),
            wanted: sets.iter().map(|set| set.object.int(["spec", "replicas"])).sum(),
            all: pods.iter().map(|pods| pods.all).sum(),
            updated: newest.map_or(0, |set| Pods::of(cluster, set).all),
            ready: pods.iter().map(|pods| pods.ready).sum(),
            min_available: i64::try_from(rollout::min_available(deployment)).unwrap_or(i64::MAX),
        }
    }

    fn fields(&self) -> Vec<(&'static str, i64)> {
        vec![
            ("replicas", self.all),
            ("updatedReplicas", self.updated),
            ("readyReplicas", self.ready),
            ("availableReplicas", self.ready),
            ("unavailableReplicas", (self.wanted - self.ready).max(0)),
        ]
    }

    fn is_complete(&self) -> bool {
        [self.updated, self.all, self.ready].iter().all(|number| *number == self.desired)
    }

    fn conditions(&self, deployment: &Object, newest: Option<&Object>, now: &str) -> Vec<Value> {
        let mut conditions = deployment.list(["status", "conditions"]).to_vec();
        let available = if self.ready >= self.min_available {
            (
                "Available",
                "True",
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.".to_owned(),
            )
        } else {
            let message = "Deployment does not have minimum availability.".to_owned();
            ("Available", "False", "MinimumReplicasUnavailable", message)
        };
        set_condition(&mut conditions, available, now);
        let deadline = deployment.int(["spec", "progressDeadlineSeconds"]);
        if deadline == 0 || deadline == i64::from(i32::MAX) {
            conditions.retain(|condition| condition["type"] != "Progressing");
            return conditions;
        }
        let name = newest.map_or_else(
            || format!("Deployment \"{}\"", deployment.name()),
            |set| format!("ReplicaSet \"{}\"", set.name()),
        );
        let progressing = if deployment.flag(["spec", "paused"]) {
            ("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused".to_owned())
        } else if self.is_complete() {
            let message = format!("{name} has successfully progressed.");
            ("Progressing", "True", "NewReplicaSetAvailable", message)
        } else {
            ("Progressing", "True", "ReplicaSetUpdated", format!("{name} is progressing."))
        };
        set_condition(&mut conditions, progressing, now);
        conditions
    }
}

/// Sets a condition of type, status, reason and message. Its times change only if it does.
///
/// Source: `SetDeploymentCondition`
fn set_condition(
    conditions: &mut Vec<Value>,
    (kind, status, reason, message): (&str, &str, &str, String),
    now: &str,
) {
    let former = conditions.iter().position(|condition| condition["type"] == kind);
    let former = former.map(|position| conditions.remove(position));
    let is_same = |name: &str, value: &str| former.as_ref().is_some_and(|former| former[name] == value);
    if is_same("status", status) && is_same("reason", reason) && is_same("message", &message) {
        conditions.extend(former);
        return;
    }
    let since = former.as_ref().filter(|_| is_same("status", status));
    let since = since.map_or(now, |former| former.text("lastTransitionTime"));
    conditions.push(json!({
        "type": kind,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }));
    conditions.sort_by(|left, right| left.text("type").cmp(right.text("type")));
}
