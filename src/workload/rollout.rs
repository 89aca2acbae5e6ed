//! Rolling updates: pods of a new template replace those of an older one.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/deployment/rolling.go`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::workload::{Existing, owned};
use kube_api::resources::{DEPLOYMENTS, PODS, REPLICA_SETS};
use kube_api::{Object, Value};

/// The older pods of a Deployment in a rolling update, and the limits on old and new ones.
#[derive(Clone, Debug)]
pub struct Rollout {
    old: Vec<Existing>,
    sets: Vec<Arc<Object>>,
    new: u64,
    /// The number of pods that there may be, old and new.
    max_pods: u64,
    /// The number of pods that stay available.
    min_available: u64,
}

impl Rollout {
    /// Returns the rollout to `set`, which has `new` pods, if its Deployment uses rolling updates and has older pods,
    /// or older replica sets than it keeps.
    pub(super) fn to(cluster: &Cluster, set: &Object, new: u64) -> Option<Self> {
        let deployment = deployment_of(cluster, set)?;
        let mut sets: Vec<Arc<Object>> = owned::replica_sets(cluster, &deployment)
            .into_iter()
            .map(|existing| existing.object)
            .filter(|other| other.name() != set.name())
            .collect();
        sets.sort_by_key(|set| revision(set));
        let old: Vec<Existing> = sets.iter().flat_map(|set| owned::pods(cluster, set)).collect();
        let is_recreated = deployment.text(["spec", "strategy", "type"]) == "Recreate";
        let has_ended = old.is_empty();
        if has_ended && history(&deployment, sets.clone()).is_empty() || is_recreated && !has_ended {
            return None;
        }
        let replicas = replicas(&deployment);
        let (surge, unavailable) = bounds(&deployment);
        Some(Self {
            old,
            sets,
            new,
            max_pods: replicas.saturating_add(surge),
            min_available: replicas.saturating_sub(unavailable),
        })
    }

    fn old(&self) -> u64 {
        owned::count(&self.old)
    }

    /// Returns the number of further new pods allowed.
    pub fn room(&self) -> u64 {
        self.max_pods.saturating_sub(self.old().saturating_add(self.new))
    }

    /// Records new pods, which are assumed to become ready.
    pub fn admit(&mut self, count: u64) {
        self.new += count;
    }

    /// Returns the older pods to remove now, with what they own.
    pub fn retire(&mut self, cluster: &Cluster) -> Vec<Existing> {
        let mut count = (self.old() + self.new).saturating_sub(self.min_available).min(self.old());
        let mut retired = Vec::new();
        while count > 0
            && let Some(oldest) = self.old.first_mut()
        {
            let surplus = count.min(oldest.count);
            retired.push(Existing {
                resource: oldest.resource.clone(),
                object: oldest.object.clone(),
                count: oldest.count,
                surplus,
            });
            count -= surplus;
            oldest.count -= surplus;
            oldest.surplus = oldest.count;
            if oldest.count == 0 {
                self.old.remove(0);
            }
        }
        owned::with_dependents(cluster, retired)
    }

    /// Scales the older replica sets down to the pods that they have. Returns those beyond the history limit, if the
    /// rollout is complete.
    pub fn scale_down_others(&self, cluster: &Cluster, set: &Object) -> Vec<Existing> {
        for set in &self.sets {
            scale_to_pods(cluster, set);
        }
        match deployment_of(cluster, set) {
            Some(deployment) if self.old.is_empty() && self.new >= replicas(&deployment) => {
                let scaled = |set: &Arc<Object>| cluster.get(&REPLICA_SETS, set.namespace(), set.name());
                history(&deployment, self.sets.iter().filter_map(scaled).collect())
            }
            _ => Vec::new(),
        }
    }
}

/// Scales a replica set to the pods that it has.
pub(super) fn scale_to_pods(cluster: &Cluster, set: &Object) {
    let pods = owned::count(&owned::pods(cluster, set));
    if replicas(set) != pods {
        let mut scaled = set.clone();
        scaled.set(["spec", "replicas"], pods);
        cluster.put(&REPLICA_SETS, Arc::new(scaled));
    }
}

fn deployment_of(cluster: &Cluster, set: &Object) -> Option<Arc<Object>> {
    let owners = set.list(["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|owner| owner["controller"] == true && owner["kind"] == "Deployment")?;
    cluster.get(&DEPLOYMENTS, set.namespace(), owner["name"].as_str()?)
}

/// Returns those of `sets`, the oldest first, that `deployment` does not keep: they have no pods.
///
/// Source: `cleanupDeployment`
fn history(deployment: &Object, mut sets: Vec<Arc<Object>>) -> Vec<Existing> {
    let limit = deployment.at(["spec", "revisionHistoryLimit"]).and_then(Value::as_u64).unwrap_or(10);
    sets.retain(|set| replicas(set) == 0);
    sets.truncate(sets.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX)));
    let existing = |object| Existing { resource: REPLICA_SETS, object, count: 1, surplus: 1 };
    sets.into_iter().map(existing).collect()
}

/// Returns the number of a replica set among those of its Deployment.
pub(super) fn revision(set: &Object) -> u64 {
    let revision = set.annotation("deployment.kubernetes.io/revision");
    revision.and_then(|revision| revision.parse().ok()).unwrap_or_default()
}

/// Returns the number of surplus and of missing pods that a Deployment may have during a rolling update.
///
/// Source: `ResolveFenceposts`
fn bounds(deployment: &Object) -> (u64, u64) {
    let replicas = replicas(deployment);
    let (surge, unavailable) = (max_surge(deployment), part(deployment, "maxUnavailable", replicas, false));
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable.min(replicas)) }
}

/// Returns the number of Pods that are always ready.
pub(super) fn min_available(deployment: &Object) -> u64 {
    let (_, unavailable) = if deployment.text(["spec", "strategy", "type"]) == "Recreate" {
        // Not a rolling update: all are needed.
        (0, 0)
    } else {
        bounds(deployment)
    };
    replicas(deployment).saturating_sub(unavailable)
}

/// Source: `MaxSurge`.
pub(super) fn max_surge(deployment: &Object) -> u64 {
    part(deployment, "maxSurge", replicas(deployment), true)
}

fn part(deployment: &Object, field: &str, replicas: u64, rounds_up: bool) -> u64 {
    resolved(deployment.at(["spec", "strategy", "rollingUpdate", field]), replicas, rounds_up)
}

/// Returns a number, or a part of `total` in percent.
///
/// Source: `intstr.GetScaledValueFromIntOrPercent`
pub(super) fn resolved(value: Option<&Value>, total: u64, rounds_up: bool) -> u64 {
    match value {
        Some(Value::String(percent)) => {
            let percent = percent.trim_end_matches('%').parse::<u64>().unwrap_or_default();
            let whole = percent.saturating_mul(total);
            if rounds_up { whole.div_ceil(100) } else { whole / 100 }
        }
        value => value.and_then(Value::as_u64).unwrap_or_default(),
    }
}

pub(super) fn replicas(workload: &Object) -> u64 {
    workload.at(["spec", "replicas"]).and_then(Value::as_u64).unwrap_or(1)
}

/// Returns the replica set that controls a pod with the template `pod`.
pub fn owner_of(cluster: &Cluster, pod: &Object) -> Option<Arc<Object>> {
    let owners = pod.list(["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|owner| owner["controller"] == true && owner["kind"] == "ReplicaSet")?;
    cluster.get(&REPLICA_SETS, pod.namespace(), owner["name"].as_str()?)
}

/// Returns the number of pods still wanted by the replica set that controls a pod with the template `pod`; nothing if
/// there is none.
pub fn wanted_like(cluster: &Cluster, pod: &Object) -> Option<u64> {
    let owners = pod.list(["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|owner| owner["controller"] == true && owner["kind"] == "ReplicaSet")?;
    let name = owner["name"].as_str()?;
    let Some(set) = cluster.get(&REPLICA_SETS, pod.namespace(), name) else { return Some(0) };
    let existing = cluster.list_controlled(&PODS, pod.namespace(), "ReplicaSet", name);
    Some(replicas(&set).saturating_sub(existing.iter().map(|(_, count)| count).sum()))
}
