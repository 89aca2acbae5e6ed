//! What budgets allow: how many of the Pods that they select are healthy, and how many have to be.
//!
//! Deliberately absent: the scale of owners that are custom resources.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/disruption`

use std::sync::Arc;

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::rollout::{replicas, resolved};
use crate::workload::status::has_condition;
use kube_api::labels::Selector;
use kube_api::resources::{
    DEPLOYMENTS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS,
};
use kube_api::{GroupResource, Map, Object, Value};

/// The condition of a budget that allows disruptions.
const ALLOWED: &str = "DisruptionAllowed";

/// The owners of Pods that have a scale.
const SCALED: [(&str, GroupResource); 4] = [
    ("Deployment", DEPLOYMENTS),
    ("ReplicaSet", REPLICA_SETS),
    ("ReplicationController", REPLICATION_CONTROLLERS),
    ("StatefulSet", STATEFUL_SETS),
];

/// Returns the budgets of a namespace whose status is another one at the time `now`.
pub fn counted(cluster: &Cluster, namespace: &str, now: &str) -> Vec<Object> {
    let budgets = cluster.list(&POD_DISRUPTION_BUDGETS, namespace);
    if budgets.is_empty() {
        return Vec::new();
    }
    let pods = cluster.list(&PODS, namespace);
    budgets.iter().filter_map(|budget| count(cluster, budget, &pods, now)).collect()
}

fn count(cluster: &Cluster, budget: &Object, pods: &[Arc<Object>], now: &str) -> Option<Object> {
    let selector = Selector::from_label_selector(budget.at(["spec", "selector"])?).ok()?;
    let is_selected = |pod: &&Arc<Object>| selector.matches_labels(pod.at(["metadata", "labels"]));
    let selected: Vec<&Object> = pods.iter().filter(is_selected).map(|pod| &**pod).collect();
    let mut counted = budget.clone();
    match Numbers::of(cluster, budget, &selected) {
        Ok(numbers) => numbers.write(&mut counted, &selected, now),
        Err(message) => {
            counted.set(["status", "disruptionsAllowed"], 0);
            report(&mut counted, "False", "SyncFailed", &message, now);
        }
    }
    (counted != *budget).then_some(counted)
}

struct Numbers {
    expected: u64,
    healthy: u64,
    desired: u64,
}

impl Numbers {
    /// # Errors
    ///
    /// Fails if an owner of the Pods has no scale.
    fn of(cluster: &Cluster, budget: &Object, pods: &[&Object]) -> Result<Self, String> {
        let disrupted = budget.at(["status", "disruptedPods"]).and_then(Value::as_object);
        let is_healthy = |pod: &&&Object| {
            !pod.has(["metadata", "deletionTimestamp"])
                && disrupted.is_none_or(|disrupted| !disrupted.contains_key(pod.name()))
                && has_condition(pod, "Ready")
        };
        let healthy = pods.iter().filter(is_healthy).count() as u64;
        let least = budget.at(["spec", "minAvailable"]);
        let (expected, desired) = match (budget.at(["spec", "maxUnavailable"]), least) {
            (Some(most), _) => {
                let expected = scale(cluster, pods)?;
                (expected, expected.saturating_sub(resolved(Some(most), expected, true)))
            }
            (None, Some(Value::String(_))) => {
                let expected = scale(cluster, pods)?;
                (expected, resolved(least, expected, true))
            }
            (None, least) => (pods.len() as u64, resolved(least, 0, true)),
        };
        Ok(Self { expected, healthy, desired })
    }

    fn write(&self, budget: &mut Object, pods: &[&Object], now: &str) {
        let allowed = if self.expected == 0 { 0 } else { self.healthy.saturating_sub(self.desired) };
        for (field, number) in [
            ("currentHealthy", self.healthy),
            ("desiredHealthy", self.desired),
            ("expectedPods", self.expected),
            ("disruptionsAllowed", allowed),
        ] {
            budget.set(["status", field], number);
        }
        let generation = budget.int(["metadata", "generation"]);
        budget.set(["status", "observedGeneration"], generation);
        let disrupted = budget.at(["status", "disruptedPods"]).and_then(Value::as_object);
        let disrupted: Map = disrupted
            .into_iter()
            .flat_map(Map::iter)
            .filter(|(name, _)| pods.iter().any(|pod| pod.name() == name.as_str()))
            .map(|(name, time)| (name.to_string(), time.clone()))
            .collect();
        if disrupted.is_empty() {
            budget.remove(["status", "disruptedPods"]);
        } else {
            budget.set(["status", "disruptedPods"], Value::Object(disrupted));
        }
        if allowed > 0 {
            report(budget, "True", "SufficientPods", "", now);
        } else {
            report(budget, "False", "InsufficientPods", "", now);
        }
    }
}

/// Returns the number of Pods that the owners of `pods` want; Pods without an owner do not count.
///
/// Source: `getExpectedScale`
fn scale(cluster: &Cluster, pods: &[&Object]) -> Result<u64, String> {
    let mut owners: Vec<(Value, u64)> = Vec::new();
    for pod in pods {
        let Some(owner) = controller(pod) else { continue };
        let is_known = |uid: &Value| owners.iter().any(|(known, _)| known == uid);
        if is_known(&owner["uid"]) {
            continue;
        }
        let found = find(cluster, pod.namespace(), &owner);
        let found = found.ok_or_else(|| format!("found no controllers for pod \"{}\"", pod.name()))?;
        // A replica set has the scale of its Deployment.
        let above = controller(&found).filter(|owner| owner.text("kind") == "Deployment");
        let above = above.and_then(|owner| find(cluster, pod.namespace(), &owner));
        let scaled = above.unwrap_or(found);
        let uid = scaled.at(["metadata", "uid"]).cloned().unwrap_or_default();
        if !owners.iter().any(|(known, _)| *known == uid) {
            owners.push((uid, replicas(&scaled)));
        }
    }
    Ok(owners.iter().map(|(_, replicas)| replicas).sum())
}

fn controller(object: &Object) -> Option<Value> {
    let mut owners = object.list(["metadata", "ownerReferences"]).iter();
    owners.find(|owner| owner.flag("controller")).cloned()
}

fn find(cluster: &Cluster, namespace: &str, owner: &Value) -> Option<Arc<Object>> {
    let (_, resource) = SCALED.into_iter().find(|(kind, _)| *kind == owner.text("kind"))?;
    let found = cluster.get(&resource, namespace, owner.text("name"))?;
    (found.text(["metadata", "uid"]) == owner.text("uid")).then_some(found)
}

/// Sets the condition that says whether a budget allows disruptions.
///
/// Source: `UpdateDisruptionAllowedCondition`
fn report(budget: &mut Object, status: &str, reason: &str, message: &str, now: &str) {
    const CONDITIONS: [&str; 2] = ["status", "conditions"];
    let mut conditions = budget.list(CONDITIONS).to_vec();
    let known = conditions.iter().position(|condition| condition["type"] == ALLOWED);
    let before = known.map(|position| conditions.remove(position)).unwrap_or_default();
    let since = if before["status"] == status { before["lastTransitionTime"].clone() } else { now.into() };
    let condition = json!({
        "type": ALLOWED,
        "status": status,
        "observedGeneration": budget.int(["status", "observedGeneration"]),
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    });
    conditions.insert(known.unwrap_or(conditions.len()), condition);
    budget.set(CONDITIONS, conditions);
}
