//! Adoption: orphans that are created after the controller whose selector matches them.
//!
//! Source: `BaseControllerRefManager.ClaimObject`, `getPodsToDelete` of the controllers of replica sets,
//! `ReconcileOldReplicaSets` of that of Deployments.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::workload::rollout::replicas;
use crate::workload::{owned, stateful_set};
use kube_api::kinds;
use kube_api::resources::{DEPLOYMENTS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS};
use kube_api::{GroupResource, Object};

/// The fate of an orphan that a controller adopts.
pub struct Adoption {
    /// The note about it.
    pub note: String,
    /// Whether the controller removes it because it has enough.
    pub is_surplus: bool,
    /// Whether the controller prevents it from creating anything.
    pub is_idle: bool,
}

/// Lets a controller adopt the new `object`, which has no controller, if its selector matches.
pub fn adopt(cluster: &Cluster, resource: &GroupResource, object: &Arc<Object>) -> Option<Adoption> {
    let is_controlled =
        object.list(["metadata", "ownerReferences"]).iter().any(|owner| owner["controller"] == true);
    if is_controlled || owned::is_leaving(object) {
        return None;
    }
    if *resource == PODS {
        return adopt_pod(cluster, object);
    }
    if *resource != REPLICA_SETS {
        return None;
    }
    let deployment = owner(cluster, &DEPLOYMENTS, object)?;
    // Without a set of its own, the Deployment may use this one, which it checks when it is applied.
    if owned::replica_sets(cluster, &deployment).is_empty() {
        return None;
    }
    let mut adopted = with_owner(object, &deployment);
    adopted.set(["spec", "replicas"], 0);
    cluster.put(&REPLICA_SETS, Arc::new(adopted));
    let note = format!("{} adopts it as an older ReplicaSet and scales it to 0", named(&deployment));
    Some(Adoption { note, is_surplus: false, is_idle: true })
}

fn adopt_pod(cluster: &Cluster, pod: &Arc<Object>) -> Option<Adoption> {
    let equal = [&REPLICA_SETS, &REPLICATION_CONTROLLERS];
    if let Some(set) = equal.into_iter().find_map(|resource| owner(cluster, resource, pod)) {
        let is_surplus = owned::count(&owned::pods(cluster, &set)) >= replicas(&set);
        cluster.put(&PODS, Arc::new(with_owner(pod, &set)));
        let note = if is_surplus {
            format!("{} adopts it and removes it, since it has as many Pods as it wants", named(&set))
        } else {
            format!("{} adopts it as one of its Pods", named(&set))
        };
        return Some(Adoption { note, is_surplus, is_idle: false });
    }
    let set = owner(cluster, &STATEFUL_SETS, pod)?;
    let is_wanted = stateful_set::wants(&set, stateful_set::ordinal(&set, pod)?);
    cluster.put(&PODS, Arc::new(with_owner(pod, &set)));
    let note = if is_wanted {
        format!("{} adopts it as one of its Pods", named(&set))
    } else {
        format!("{} adopts it and removes it, since it has fewer Pods than its number", named(&set))
    };
    Some(Adoption { note, is_surplus: !is_wanted, is_idle: false })
}

/// Returns the first object of `resource` whose selector matches `object`.
fn owner(cluster: &Cluster, resource: &GroupResource, object: &Object) -> Option<Arc<Object>> {
    let owners = cluster.list_selecting(resource, object.namespace(), object.at(["metadata", "labels"]));
    owners
        .into_iter()
        .find(|owner| owner.at(["metadata", "deletionTimestamp"]).is_none() && owned::selects(owner, object))
}

fn with_owner(object: &Object, owner: &Object) -> Object {
    let mut adopted = object.clone();
    adopted.append(["metadata", "ownerReferences"], owned::controller_reference(owner));
    adopted
}

/// Returns `ReplicaSet shop/web`; a set of a Deployment has the Deployment's name.
fn named(owner: &Object) -> String {
    let controller = owner.list(["metadata", "ownerReferences"]).iter().find(|it| it["controller"] == true);
    let (kind, name) =
        controller.map_or((&*owner.kind.kind, owner.name()), |it| (it.text("kind"), it.text("name")));
    let is_made = owner.kind.is(kinds::REPLICA_SET) && controller.is_some();
    let part = if is_made { "the ReplicaSet of " } else { "" };
    format!("{part}{kind} {}/{name}", owner.namespace())
}
