//! A `DaemonSet` makes a pod for every node that its template fits.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/daemon`.

use std::sync::Arc;

use crate::value::json;

use crate::api::resources::NODES;
use crate::api::{GroupVersionKind, Object, Value};
use crate::registry::toleration::Toleration;
use crate::workload::owned::template_hash;
use crate::workload::{Event, Reaction, node_affinity, pod, revision};

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
    let wanted = nodes.len() as u64;
    let replaces = set.text(&["spec", "updateStrategy", "type"]) != "OnDelete";
    let before = if event.old_object.is_some() { wanted } else { 0 };
    let balance = pod::balance(event, wanted, before, replaces);
    assumptions.extend(balance.notes);
    let missing = nodes.iter().rev().zip(0..balance.missing);
    let pods = Reaction {
        deleted: balance.deleted,
        replicas: missing.map(|(node, _)| vec![pod::templated(bound(&any, node))]).collect(),
        times: 1,
        notes: assumptions,
        ..Reaction::default()
    };
    revision::react(event, revision::LABEL).into_iter().chain([pods]).collect()
}

/// Source: `CreatePodTemplate`.
fn daemon(set: &Object) -> Object {
    let mut pod = pod::from_template(set, pod::template(set));
    pod.set(&["metadata", "labels", revision::LABEL], template_hash(set.at(&["spec", "template"])));
    let generation = set.annotation(GENERATION).unwrap_or("1").to_owned();
    pod.set(&["metadata", "labels", "pod-template-generation"], generation);
    let on_host = pod.at(&["spec", "hostNetwork"]) == Some(&Value::Bool(true));
    for (key, effect) in TOLERATED.iter().copied().chain(on_host.then_some(NETWORK)) {
        let toleration = json!({"key": key, "operator": "Exists", "effect": effect});
        if !pod.list(&["spec", "tolerations"]).contains(&toleration) {
            pod.append(&["spec", "tolerations"], toleration);
        }
    }
    pod
}

/// `daemon` for `node` alone.
///
/// Source: `ReplaceDaemonSetPodNodeNameNodeAffinity`.
fn bound(daemon: &Object, node: &Object) -> Object {
    let mut pod = daemon.clone();
    let path = [
        "spec",
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    ];
    let field = json!({"key": "metadata.name", "operator": "In", "values": [node.name()]});
    pod.set(&path, json!([{"matchFields": [field]}]));
    pod
}

/// Source: `NodeShouldRunDaemonPod`.
fn fits(pod: &Object, node: &Object) -> bool {
    let name = pod.text(&["spec", "nodeName"]);
    let tolerations = pod.list(&["spec", "tolerations"]);
    let tolerates = |taint: &Value| {
        let is_hard = taint["effect"] == "NoSchedule" || taint["effect"] == "NoExecute";
        !is_hard || tolerations.iter().any(|toleration| Toleration::of(toleration).tolerates(taint))
    };
    (name.is_empty() || name == node.name())
        && node_affinity::requires(pod, node)
        && node.list(&["spec", "taints"]).iter().all(tolerates)
}

fn some_node() -> Arc<Object> {
    let value = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}});
    Arc::new(Object::new(GroupVersionKind::new("", "v1", "Node"), value))
}
