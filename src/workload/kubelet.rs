//! What the scheduler and a kubelet report about a Pod whose containers run, although nothing does.
//!
//! Source: `k8s.io/kubernetes/pkg/kubelet/status`

use gotext::value::json;

use crate::cluster::Cluster;
use kube_api::kinds::{self, GroupKind};
use kube_api::resources::NODES;
use kube_api::{Object, Value};

/// `Node`
const NODE: GroupKind<'static> = GroupKind { group: "", kind: "Node" };

/// Returns `pod` as it is when its containers run, or have ended if it is one of a Job; nothing if it is not to be
/// started.
pub fn run(cluster: &Cluster, pod: &Object, now: &str) -> Option<Object> {
    let is_waiting = pod.kind.is(kinds::POD)
        && !pod.has(["metadata", "deletionTimestamp"])
        && ["", "Pending"].contains(&pod.text(["status", "phase"]))
        && pod.list(["spec", "schedulingGates"]).is_empty();
    if !is_waiting {
        return None;
    }
    let is_of_job = pod.items(["metadata", "ownerReferences"]).any(|owner| owner.text("kind") == "Job");
    let mut running = pod.clone();
    if pod.text(["spec", "nodeName"]).is_empty()
        && let Some(node) = cluster.list_all(&NODES).iter().find(|node| !node.flag(["spec", "unschedulable"]))
    {
        running.set(["spec", "nodeName"], node.name());
    }
    let condition = |kind: &str| {
        let has_ended = is_of_job && ["ContainersReady", "Ready"].contains(&kind);
        let mut condition = json!({"type": kind, "status": if has_ended { "False" } else { "True" }, "lastTransitionTime": now});
        if has_ended {
            condition["reason"] = "PodCompleted".into();
        }
        condition
    };
    let ended = json!({
        "terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now},
    });
    let current = if is_of_job { ended.clone() } else { json!({"running": {"startedAt": now}}) };
    let statuses = |field: &str, state: &Value, is_ready: bool| -> Vec<Value> {
        let status = |container: &kube_api::Map| {
            json!({
                "name": container.text("name"),
                "image": container.text("image"),
                "imageID": container.text("image"),
                "ready": is_ready,
                "started": state.get("running").is_some(),
                "restartCount": 0,
                "state": state,
            })
        };
        pod.items(["spec", field]).map(status).collect()
    };
    running.set(["status", "phase"], if is_of_job { "Succeeded" } else { "Running" });
    running.set(["status", "startTime"], now);
    if !pod.flag(["spec", "hostNetwork"]) {
        let address = address(pod.text(["metadata", "uid"]));
        running.set(["status", "podIPs"], vec![json!({"ip": address})]);
        running.set(["status", "podIP"], address);
    }
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition).to_vec();
    running.set(["status", "conditions"], conditions);
    running.set(["status", "containerStatuses"], statuses("containers", &current, !is_of_job));
    if !pod.list(["spec", "initContainers"]).is_empty() {
        running.set(["status", "initContainerStatuses"], statuses("initContainers", &ended, true));
    }
    Some(running)
}

/// Returns the address of a Pod by its uid, the end of which is a number: another one for each of 64,000 Pods.
fn address(uid: &str) -> String {
    let number =
        u32::from_str_radix(uid.rsplit('-').next().unwrap_or_default().get(4..).unwrap_or_default(), 16);
    let number = number.unwrap_or_default() % 64_000 + 1;
    format!("10.244.{}.{}", number / 250, number % 250 + 1)
}

/// Returns `pod` with the containers started anew whose image differs from the one that they run; nothing if there are
/// none.
pub fn restart(pod: &Object, now: &str) -> Option<Object> {
    const STATUSES: [&str; 2] = ["status", "containerStatuses"];
    if !pod.kind.is(kinds::POD) || pod.text(["status", "phase"]) != "Running" {
        return None;
    }
    let image_of = |status: &Value| {
        let mut containers = pod.items(["spec", "containers"]);
        let container = containers.find(|container| container.text("name") == status.text("name"))?;
        Some(container.text("image")).filter(|image| *image != status.text("image"))
    };
    let mut statuses = pod.list(STATUSES).to_vec();
    let mut is_changed = false;
    for status in &mut statuses {
        let Some(image) = image_of(status) else { continue };
        let started = status["state"]["running"]["startedAt"].clone();
        status["lastState"] = json!({
            "terminated": {"exitCode": 0, "reason": "Completed", "startedAt": started, "finishedAt": now},
        });
        status["state"] = json!({"running": {"startedAt": now}});
        status["restartCount"] = (status["restartCount"].as_i64().unwrap_or_default() + 1).into();
        (status["image"], status["imageID"]) = (image.into(), image.into());
        is_changed = true;
    }
    is_changed.then(|| {
        let mut restarted = pod.clone();
        restarted.set(STATUSES, statuses);
        restarted
    })
}

/// Returns a Node as its kubelet reports it, if nothing is known about it: ready, without the taint of one that is not.
pub fn join(node: &Object, now: &str) -> Option<Object> {
    const TAINTS: [&str; 2] = ["spec", "taints"];
    const CONDITIONS: [(&str, &str, &str, &str); 4] = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ];
    if !node.kind.is(NODE) || !node.list(["status", "conditions"]).is_empty() {
        return None;
    }
    let mut joined = node.clone();
    let conditions = CONDITIONS.map(|(kind, status, reason, message)| {
        json!({
            "type": kind,
            "status": status,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        })
    });
    joined.set(["status", "conditions"], conditions.to_vec());
    let taints = node.list(TAINTS).iter().filter(|taint| taint.text("key") != "node.kubernetes.io/not-ready");
    let taints: Vec<Value> = taints.cloned().collect();
    if taints.is_empty() {
        joined.remove(TAINTS);
    } else {
        joined.set(TAINTS, taints);
    }
    Some(joined)
}
