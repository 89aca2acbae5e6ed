//! What controllers report in the status of a workload whose Pods do not run: how many there are, and which
//! specification was seen.
//!
//! Source: `syncRolloutStatus`, `calculateStatus` and their relatives in `k8s.io/kubernetes/pkg/controller`

use crate::cluster::Cluster;
use crate::workload::{owned, rollout};
use kube_api::kinds;
use kube_api::{Map, Object, Value};

/// Returns `workload` with the status that its controller would write, if that differs.
pub fn observed(cluster: &Cluster, workload: &Object) -> Option<Object> {
    let kind = &workload.kind;
    let pods =
        |object: &Object| i64::try_from(owned::count(&owned::pods(cluster, object))).unwrap_or(i64::MAX);
    let fields: Vec<(&str, i64)> = if kind.is(kinds::REPLICA_SET) || kind.is(kinds::REPLICATION_CONTROLLER) {
        let count = pods(workload);
        vec![("replicas", count), ("fullyLabeledReplicas", count)]
    } else if kind.is(kinds::DEPLOYMENT) {
        let sets = owned::replica_sets(cluster, workload);
        let newest = sets.iter().map(|set| &set.object).max_by_key(|set| rollout::revision(set));
        let count = sets.iter().map(|set| pods(&set.object)).sum();
        let missing = sets.iter().map(|set| set.object.int(["spec", "replicas"])).sum();
        let updated = newest.map_or(0, |set| pods(set));
        vec![("replicas", count), ("updatedReplicas", updated), ("unavailableReplicas", missing)]
    } else if kind.is(kinds::STATEFUL_SET) {
        let count = pods(workload);
        vec![("replicas", count), ("currentReplicas", count), ("updatedReplicas", count)]
    } else if kind.is(kinds::DAEMON_SET) {
        let count = pods(workload);
        vec![
            ("currentNumberScheduled", count),
            ("desiredNumberScheduled", count),
            ("updatedNumberScheduled", count),
            ("numberUnavailable", count),
        ]
    } else {
        return None;
    };
    let mut status = workload.child("status").cloned().unwrap_or_else(Map::new);
    for (name, count) in fields {
        let is_written =
            count != 0 || ["replicas", "currentNumberScheduled", "desiredNumberScheduled"].contains(&name);
        if status.get(name).and_then(Value::as_i64).unwrap_or(0) == count && (status.has(name) || !is_written)
        {
            continue;
        }
        if is_written {
            status.insert(name.to_owned(), count.into());
        } else {
            status.remove(name);
        }
    }
    status.insert("observedGeneration".to_owned(), workload.int(["metadata", "generation"]).into());
    let mut observed = workload.clone();
    observed.set("status", Value::Object(status));
    (observed != *workload).then_some(observed)
}
