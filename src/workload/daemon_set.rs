//! A `DaemonSet` creates a pod for every node that its template fits.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/daemon`.

use std::sync::Arc;

use gotext::value::json;

use crate::workload::owned::{self, template_hash};
use crate::workload::rollout::resolved;
use crate::workload::{Event, Existing, Reaction, Replica, node_affinity, pod, revision};
use kube_api::resources::{NODES, PODS};
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::toleration::Toleration;

const GENERATION: &str = "deprecated.daemonset.template.generation";

/// Taints that every daemon tolerates.
///
/// Source: `AddOrUpdateDaemonPodTolerations`.
const TOLERATED: &[(&str, &str)] = &[
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// The taint that daemons on the network of the host tolerate as well.
const NETWORK: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let set = event.object;
    let any = daemon(set);
    let mut nodes = event.cluster.list_all(&NODES);
    let mut assumptions = Vec::new();
    if nodes.is_empty() {
        assumptions.push(
            "assumed one Node that every DaemonSet fits (none is among the cluster objects)".to_owned(),
        );
        nodes.push(some_node());
    } else {
        nodes.retain(|node| fits(&any, node));
    }
    owned::adopt_pods(event.cluster, set);
    let existing = owned::pods(event.cluster, set);
    let is_new = event.old_object.is_some_and(|old| pod::template(old) != pod::template(set));
    let replaces = is_new && set.text(["spec", "updateStrategy", "type"]) != "OnDelete";
    let is_unknown = existing.is_empty() && event.old_object.is_some_and(pod::may_have_pods);
    if is_unknown && replaces {
        assumptions.push(pod::unknown_predecessors(set));
    }
    let (mut missing, mut outdated, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for node in nodes.iter().rev() {
        let on_node = |pod: &&Existing| node_of(&pod.object) == Some(node.name());
        let old = existing.iter().find(on_node);
        let pod = pod::templated(bound(&any, node));
        match old {
            Some(old) => {
                kept.push(old.object.name());
                if replaces {
                    let old = Existing { object: old.object.clone(), resource: PODS, ..*old };
                    let replaces = owned::with_dependents(event.cluster, vec![old]);
                    outdated.push(Replica { templates: vec![pod], replaces });
                }
            }
            None if is_unknown && !replaces => {}
            None => missing.push(Replica::of(pod)),
        }
    }
    let wanted = nodes.len() as u64;
    let rolling = |field| set.at(["spec", "updateStrategy", "rollingUpdate", field]);
    let max_surge = resolved(rolling("maxSurge"), wanted, true);
    let max_unavailable = resolved(rolling("maxUnavailable"), wanted, true);
    let gone = existing.iter().filter(|pod| !kept.contains(&pod.object.name()));
    let gone = gone.map(|pod| Existing { object: pod.object.clone(), resource: PODS, ..*pod }).collect();
    missing.extend(outdated);
    let pods = Reaction {
        deleted: owned::with_dependents(event.cluster, gone),
        replicas: missing,
        times: 1,
        max_unavailable: max_unavailable.max(max_surge).max(1),
        surges: max_surge > 0,
        notes: assumptions,
        ..Reaction::default()
    };
    revision::react(event, revision::LABEL).into_iter().chain([pods]).collect()
}

/// Source: `CreatePodTemplate`.
fn daemon(set: &Object) -> Object {
    let mut pod = pod::from_template(set, pod::template(set));
    pod.set(["metadata", "labels", revision::LABEL], template_hash(set.at(["spec", "template"])));
    let generation = set.annotation(GENERATION).unwrap_or("1").to_owned();
    pod.set(["metadata", "labels", "pod-template-generation"], generation);
    let on_host = pod.at(["spec", "hostNetwork"]) == Some(&Value::Bool(true));
    for (key, effect) in TOLERATED.iter().copied().chain(on_host.then_some(NETWORK)) {
        let toleration = json!({"key": key, "operator": "Exists", "effect": effect});
        if !pod.list(["spec", "tolerations"]).contains(&toleration) {
            pod.append(["spec", "tolerations"], toleration);
        }
    }
    pod
}

/// The field by which a daemon is for one node.
const REQUIRED_NODES: &[&str] = &[
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
];

/// Returns the node that a daemon is for.
fn node_of(pod: &Object) -> Option<&str> {
    let bound = pod.text(["spec", "nodeName"]);
    if !bound.is_empty() {
        return Some(bound);
    }
    pod.list(REQUIRED_NODES).first()?.pointer("/matchFields/0/values/0")?.as_str()
}

/// Returns `daemon` for `node` alone.
///
/// Source: `ReplaceDaemonSetPodNodeNameNodeAffinity`.
fn bound(daemon: &Object, node: &Object) -> Object {
    let mut pod = daemon.clone();
    let field = json!({"key": "metadata.name", "operator": "In", "values": [node.name()]});
    pod.set(REQUIRED_NODES, json!([{"matchFields": [field]}]));
    pod
}

/// Source: `NodeShouldRunDaemonPod`.
fn fits(pod: &Object, node: &Object) -> bool {
    let name = pod.text(["spec", "nodeName"]);
    let tolerations = pod.list(["spec", "tolerations"]);
    let tolerates = |taint: &Value| {
        let is_hard = taint["effect"] == "NoSchedule" || taint["effect"] == "NoExecute";
        !is_hard || tolerations.iter().any(|toleration| Toleration::of(toleration).tolerates(taint))
    };
    (name.is_empty() || name == node.name())
        && node_affinity::requires(pod, node)
        && node.list(["spec", "taints"]).iter().all(tolerates)
}

fn some_node() -> Arc<Object> {
    let value = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}});
    Arc::new(Object::new(GroupVersionKind::new("", "v1", "Node"), value))
}
