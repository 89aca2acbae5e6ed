//! What the scheduler and a kubelet report about a Pod whose containers run, although nothing does.
//!
//! Source: `k8s.io/kubernetes/pkg/kubelet/status`

use gotext::value::json;

use crate::cluster::Cluster;
use kube_api::resources::NODES;
use kube_api::{Object, Value, kinds};

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
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition).to_vec();
    running.set(["status", "conditions"], conditions);
    running.set(["status", "containerStatuses"], statuses("containers", &current, !is_of_job));
    if !pod.list(["spec", "initContainers"]).is_empty() {
        running.set(["status", "initContainerStatuses"], statuses("initContainers", &ended, true));
    }
    Some(running)
}
