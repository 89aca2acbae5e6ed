//! A `ReplicaSet` or `ReplicationController` makes equal pods.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/replicaset`.

use crate::api::{Object, Value};
use crate::workload::{Event, Reaction, pod};

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let set = event.object;
    let before = event.old_object.map_or(0, replicas);
    let balance = pod::balance(event, replicas(set), before, false);
    let pod = pod::templated(pod::from_template(set, pod::template(set)));
    let equal = Reaction::of_equal(pod, balance.missing);
    vec![Reaction { deleted: balance.deleted, notes: balance.notes, ..equal }]
}

fn replicas(set: &Object) -> u64 {
    set.at(&["spec", "replicas"]).and_then(Value::as_u64).unwrap_or(1)
}
