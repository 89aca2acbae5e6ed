//! A `ReplicaSet` or `ReplicationController` creates equal pods.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/replicaset`.

use crate::workload::rollout::{Rollout, replicas};
use crate::workload::{Event, Reaction, owned, pod};

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let set = event.object;
    owned::adopt_pods(event.cluster, set);
    let before = event.old_object.map_or(0, replicas);
    let balance = pod::balance(event, replicas(set), before);
    let rollout = Rollout::to(event.cluster, set, balance.kept);
    let pod = pod::templated(pod::from_template(set, pod::template(set)));
    let equal = Reaction::of_equal(pod, balance.missing);
    vec![Reaction { deleted: balance.deleted, notes: balance.notes, rollout, ..equal }]
}
