//! A `CronJob` creates a Job when it is due; here it is due once, immediately.
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
    if is_suspended || is_same {
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
