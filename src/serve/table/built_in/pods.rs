//! What Pods show.
//!
//! Source: `printPod`

use crate::serve::table::built_in::{NONE, condition, or};
use crate::serve::table::since;
use kube_api::{Map, Object, Value};

/// The summary of a Pod.
struct Summary<'a> {
    ready: usize,
    containers: usize,
    restarts: i64,
    /// The time of the last restart.
    restarted: &'a str,
    reason: String,
}

pub(super) fn ready(pod: &Object, _: i64) -> Value {
    let Summary { ready, containers, .. } = summary(pod);
    format!("{ready}/{containers}").into()
}

pub(super) fn status(pod: &Object, _: i64) -> Value {
    summary(pod).reason.into()
}

pub(super) fn restarts(pod: &Object, now: i64) -> Value {
    match summary(pod) {
        Summary { restarts, restarted, .. } if restarts != 0 && !restarted.is_empty() => {
            format!("{restarts} ({} ago)", since(restarted, now)).into()
        }
        Summary { restarts, .. } => restarts.to_string().into(),
    }
}

pub(super) fn address(pod: &Object) -> Value {
    let first = pod.items(["status", "podIPs"]).next().map(|address| address.text("ip"));
    or(first.unwrap_or_else(|| pod.text(["status", "podIP"])), NONE)
}

pub(super) fn gates(pod: &Object) -> Value {
    let gates: Vec<&str> =
        pod.items(["spec", "readinessGates"]).map(|gate| gate.text("conditionType")).collect();
    let is_true =
        |kind: &&&str| condition(pod, kind).is_some_and(|condition| condition.text("status") == "True");
    match gates.len() {
        0 => NONE.into(),
        all => format!("{}/{all}", gates.iter().filter(is_true).count()).into(),
    }
}

fn summary(pod: &Object) -> Summary<'_> {
    let phase = pod.text(["status", "phase"]);
    let own_reason = pod.text(["status", "reason"]);
    let is_gated =
        condition(pod, "PodScheduled").is_some_and(|condition| condition.text("reason") == "SchedulingGated");
    let reason = match own_reason {
        _ if is_gated => "SchedulingGated",
        "" => phase,
        reason => reason,
    };
    let mut summary = Summary {
        ready: 0,
        containers: pod.list(["spec", "containers"]).len(),
        restarts: 0,
        restarted: "",
        reason: reason.to_owned(),
    };
    let is_initialized =
        condition(pod, "Initialized").is_some_and(|condition| condition.text("status") == "True");
    if !summary.begin(pod) || is_initialized {
        summary.run(pod);
    }
    if pod.has(["metadata", "deletionTimestamp"]) {
        if own_reason == "NodeLost" {
            "Unknown".clone_into(&mut summary.reason);
        } else if !["Succeeded", "Failed"].contains(&phase) {
            "Terminating".clone_into(&mut summary.reason);
        }
    }
    summary
}

impl<'a> Summary<'a> {
    /// Counts the containers that run first; returns whether some have not ended.
    fn begin(&mut self, pod: &'a Object) -> bool {
        let is_sidecar = |name: &str| {
            let mut containers = pod.items(["spec", "initContainers"]);
            containers.any(|own| own.text("name") == name && own.text("restartPolicy") == "Always")
        };
        let all = pod.items(["spec", "initContainers"]);
        self.containers += all.filter(|container| container.text("restartPolicy") == "Always").count();
        let (mut of_sidecars, mut restarted) = (0, "");
        let mut is_beginning = false;
        for (position, status) in pod.items(["status", "initContainerStatuses"]).enumerate() {
            self.count(status);
            let is_sidecar = is_sidecar(status.text("name"));
            if is_sidecar {
                of_sidecars += status.int("restartCount");
                restarted = latest(restarted, status);
            }
            let has_ended = status.has(["state", "terminated"]);
            if has_ended && status.int(["state", "terminated", "exitCode"]) == 0 {
                continue;
            }
            if is_sidecar && status.flag("started") {
                self.ready += usize::from(status.flag("ready"));
                continue;
            }
            let waits = status.text(["state", "waiting", "reason"]);
            self.reason = match waits {
                _ if has_ended => format!("Init:{}", ended(status)),
                "" | "PodInitializing" => {
                    format!("Init:{position}/{}", pod.list(["spec", "initContainers"]).len())
                }
                reason => format!("Init:{reason}"),
            };
            is_beginning = true;
            break;
        }
        if !is_beginning {
            (self.restarts, self.restarted) = (of_sidecars, restarted);
        }
        is_beginning
    }

    /// Counts the containers.
    fn run(&mut self, pod: &'a Object) {
        let (mut is_running, mut error) = (false, None);
        let statuses: Vec<&Map> = pod.items(["status", "containerStatuses"]).collect();
        for status in statuses.into_iter().rev() {
            self.count(status);
            let waits = status.text(["state", "waiting", "reason"]);
            if !waits.is_empty() {
                waits.clone_into(&mut self.reason);
            } else if status.has(["state", "terminated"]) {
                self.reason = ended(status);
                if status.int(["state", "terminated", "exitCode"]) != 0 {
                    error = Some(self.reason.clone());
                }
            } else if status.flag("ready") && status.has(["state", "running"]) {
                is_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            let is_ready =
                condition(pod, "Ready").is_some_and(|condition| condition.text("status") == "True");
            self.reason = match error {
                _ if is_running && is_ready => "Running".to_owned(),
                Some(error) => error,
                None if is_running => "NotReady".to_owned(),
                None => return,
            };
        }
    }

    fn count(&mut self, status: &'a Map) {
        self.restarts += status.int("restartCount");
        self.restarted = latest(self.restarted, status);
    }
}

/// Returns the later one of `time` and the end before the last restart. Both are in UTC, so that they compare as texts.
fn latest<'a>(time: &'a str, status: &'a Map) -> &'a str {
    time.max(status.text(["lastState", "terminated", "finishedAt"]))
}

/// Returns why a container has ended.
fn ended(status: &Map) -> String {
    let number = |field| status.int(["state", "terminated", field]);
    match (status.text(["state", "terminated", "reason"]), number("signal")) {
        ("", 0) => format!("ExitCode:{}", number("exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}
