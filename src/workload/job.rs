//! A Job creates as many pods as may run at the same time.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/job`.

use std::collections::BTreeSet;

use gotext::value::{Value, json};

use crate::cluster::Cluster;
use crate::workload::{Event, Reaction, Replica, bounded, owned, pod};
use kube_api::Object;

const FINALIZER: &str = "batch.kubernetes.io/job-tracking";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
const INDEX_VARIABLE: &str = "JOB_COMPLETION_INDEX";
const FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
const OWN_CONTROLLER: &str = "kubernetes.io/job-controller";

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let job = event.object;
    let manager = job.text(["spec", "managedBy"]);
    if !(manager.is_empty() || manager == OWN_CONTROLLER) || is_finished(job) {
        return Vec::new();
    }
    let before = event.old_object.map_or(0, active);
    owned::adopt_pods(event.cluster, job);
    let balance = pod::balance(event, active(job), before);
    let is_indexed = job.text(["spec", "completionMode"]) == "Indexed";
    let mut notes = balance.notes;
    let (replicas, times) = if is_indexed {
        let (missing, note) = bounded(balance.missing, job);
        notes.extend(note);
        let taken = taken_indexes(event.cluster, job);
        let first = if taken.is_empty() { balance.kept } else { 0 };
        let indexes = (first..).filter(|index| !taken.contains(index));
        let indexes = indexes.take(usize::try_from(missing).unwrap_or(usize::MAX));
        (indexes.map(|index| Replica::of(pod::templated(indexed(job, index)))).collect(), 1)
    } else {
        (vec![Replica::of(pod::templated(tracked(job)))], balance.missing)
    };
    vec![Reaction { deleted: balance.deleted, replicas, times, notes, ..Reaction::default() }]
}

/// Writes how many of a Job's Pods run and have succeeded, and whether that is enough.
///
/// Source: `trackJobStatusAndRemoveFinalizers`, `manageJob`
pub(super) fn observe(cluster: &Cluster, job: &mut Object, now: &str) {
    let manager = job.text(["spec", "managedBy"]);
    if !(manager.is_empty() || manager == OWN_CONTROLLER) || is_finished(job) {
        return;
    }
    let pods = owned::pods(cluster, job);
    let number = |phases: &[&str]| -> u64 {
        let of = pods.iter().filter(|pod| phases.contains(&pod.object.text(["status", "phase"])));
        of.map(|pod| pod.count).sum()
    };
    let (active, succeeded) = (number(&["", "Pending", "Running"]), number(&["Succeeded"]));
    for (field, number) in [("active", active), ("succeeded", succeeded)] {
        if number > 0 {
            job.set(["status", field], number);
        } else {
            job.remove(["status", field]);
        }
    }
    if job.flag(["spec", "suspend"]) {
        return;
    }
    if !job.has(["status", "startTime"]) {
        job.set(["status", "startTime"], now);
    }
    let completions = job.at(["spec", "completions"]).and_then(Value::as_u64);
    let is_complete = match completions {
        Some(completions) => succeeded >= completions,
        // One of several workers says when the work is done.
        None => succeeded > 0 && active == 0,
    };
    if is_complete {
        job.set(["status", "completionTime"], now);
        for kind in ["SuccessCriteriaMet", "Complete"] {
            let condition = json!({
                "type": kind,
                "status": "True",
                "lastProbeTime": now,
                "lastTransitionTime": now,
                "reason": "CompletionsReached",
                "message": "Reached expected number of succeeded pods",
            });
            job.append(["status", "conditions"], condition);
        }
    }
}

/// Returns the pods that run initially.
fn active(job: &Object) -> u64 {
    let number = |field| job.at(["spec", field]).and_then(Value::as_u64);
    let parallelism = number("parallelism").unwrap_or(1);
    if job.at(["spec", "suspend"]) == Some(&Value::Bool(true)) {
        return 0;
    }
    let succeeded = job.at(["status", "succeeded"]).and_then(Value::as_u64).unwrap_or(0);
    number("completions")
        .map_or(parallelism, |completions| completions.saturating_sub(succeeded).min(parallelism))
}

fn is_finished(job: &Object) -> bool {
    job.list(["status", "conditions"]).iter().any(|condition| {
        (condition["type"] == "Complete" || condition["type"] == "Failed") && condition["status"] == "True"
    })
}

fn tracked(job: &Object) -> Object {
    let mut pod = pod::from_template(job, pod::template(job));
    if !pod.list(["metadata", "finalizers"]).iter().any(|finalizer| finalizer == FINALIZER) {
        pod.append(["metadata", "finalizers"], FINALIZER);
    }
    pod
}

/// Returns the completions that have a pod, unless it failed.
fn taken_indexes(cluster: &Cluster, job: &Object) -> BTreeSet<u64> {
    let pods = owned::pods(cluster, job).into_iter();
    let pods = pods.filter(|pod| pod.object.text(["status", "phase"]) != "Failed");
    pods.filter_map(|pod| pod.object.annotation(INDEX)?.parse().ok()).collect()
}

/// Returns the pod for one of the completions, which gets its index in a variable.
fn indexed(job: &Object, index: u64) -> Object {
    let mut pod = tracked(job);
    let name = format!("{}-{index}", job.name());
    pod.set(["metadata", "generateName"], format!("{name}-"));
    pod.set(["metadata", "annotations", INDEX], index.to_string());
    pod.set(["metadata", "labels", INDEX], index.to_string());
    if job.has(["spec", "backoffLimitPerIndex"]) {
        pod.set(["metadata", "annotations", FAILURES], "0");
    }
    pod.set(["spec", "hostname"], name);
    let variable = json!({
        "name": INDEX_VARIABLE,
        "valueFrom": {"fieldRef": {"fieldPath": format!("metadata.labels['{INDEX}']")}},
    });
    for field in ["initContainers", "containers"] {
        let containers = pod.at_mut(["spec", field]).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
            let variables = container.get("env").and_then(Value::as_array);
            let is_it = |variable: &Value| variable.at("name").is_some_and(|name| name == INDEX_VARIABLE);
            if !variables.into_iter().flatten().any(is_it) {
                kube_api::append(container, "env", variable.clone());
            }
        }
    }
    pod
}
