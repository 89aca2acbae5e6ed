//! A `CronJob` creates a Job when it is due; here it is due once, immediately, unless that is never.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/cronjob`.

use gotext::value::json;

use crate::workload::owned::{make, with_dependents};
use crate::workload::{Event, Existing, NOW, Reaction, Template};
use kube_api::field::Path;
use kube_api::resources::JOBS;
use kube_api::{GroupVersionKind, Object, Value};

const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// Minutes from the epoch to [`NOW`].
const MINUTES: u64 = 29_453_760;

pub(super) fn react(event: &Event<'_>) -> Vec<Reaction> {
    let cron_job = event.object;
    let is_suspended = cron_job.at(["spec", "suspend"]) == Some(&Value::Bool(true));
    let is_same = event.old_object.is_some_and(|old| template(old) == template(cron_job));
    if is_suspended || is_same || is_never_due(cron_job) {
        return Vec::new();
    }
    let job = job(cron_job);
    let earlier = event.cluster.get(&JOBS, job.namespace(), job.name());
    let earlier = earlier.map(|object| Existing { resource: JOBS, object, count: 1, surplus: 1 });
    let path = Some(Path::new("spec.jobTemplate"));
    vec![Reaction {
        deleted: with_dependents(event.cluster, earlier.into_iter().collect()),
        ..Reaction::of_one(Template { object: job, path })
    }]
}

/// Returns the event about a `CronJob` that is never due. `clock` has its time, and `number` makes its name unique.
///
/// Source: `syncCronJob`, `recorderImpl.makeEvent` of `k8s.io/client-go/tools/record`
pub fn complaint(cron_job: &Object, clock: fn() -> String, number: u64) -> Option<Object> {
    const CONTROLLER: &str = "cronjob-controller";
    if cron_job.kind.kind != "CronJob" || cron_job.kind.group != "batch" || !is_never_due(cron_job) {
        return None;
    }
    let now = clock();
    let metadata = |field: &str| cron_job.text(["metadata", field]);
    let schedule = cron_job.text(["spec", "schedule"]);
    let value = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": format!("{}.{number:x}", cron_job.name()), "namespace": cron_job.namespace()},
        "involvedObject": {
            "kind": "CronJob",
            "namespace": cron_job.namespace(),
            "name": cron_job.name(),
            "uid": metadata("uid"),
            "apiVersion": cron_job.kind.api_version(),
            "resourceVersion": metadata("resourceVersion"),
        },
        "reason": "InvalidSchedule",
        "message": format!("invalid schedule: {schedule} : time difference between two schedules is less than 1 second"),
        "source": {"component": CONTROLLER},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "type": "Warning",
        "reportingComponent": CONTROLLER,
    });
    Some(Object::new(GroupVersionKind::new("", "v1", "Event"), value))
}

fn is_never_due(cron_job: &Object) -> bool {
    kube_registry::is_never_due(cron_job.text(["spec", "schedule"]))
}

fn template(cron_job: &Object) -> Option<&Value> {
    cron_job.at(["spec", "jobTemplate"])
}

/// Source: `getJobFromTemplate2`.
fn job(cron_job: &Object) -> Object {
    let metadata = json!({"name": format!("{}-{MINUTES}", cron_job.name())});
    let mut job = make(cron_job, GroupVersionKind::new("batch", "v1", "Job"), &metadata);
    for field in ["labels", "annotations"] {
        if let Some(value) = cron_job.at(["spec", "jobTemplate", "metadata", field]) {
            job.set(["metadata", field], value.clone());
        }
    }
    job.set(["metadata", "annotations", SCHEDULED], NOW);
    if let Some(spec) = cron_job.at(["spec", "jobTemplate", "spec"]) {
        job.set(["spec"], spec.clone());
    }
    job
}
