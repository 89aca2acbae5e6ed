//! What a `Job` and a `CronJob` show.

use crate::serve::table::built_in::{NONE, UNSET, condition};
use crate::serve::table::{human_duration, since};
use gotext::time::parse_rfc3339;
use kube_api::{Object, Value};

pub(super) fn status(job: &Object) -> &'static str {
    let has = |kind: &str| condition(job, kind).is_some_and(|condition| condition.text("status") == "True");
    let later = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
    match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if job.has(["metadata", "deletionTimestamp"]) => "Terminating",
        () => later.into_iter().find(|kind| has(kind)).unwrap_or("Running"),
    }
}

pub(super) fn completions(job: &Object) -> Value {
    let done = job.int(["status", "succeeded"]);
    let at_once = job.int(["spec", "parallelism"]);
    match job.at(["spec", "completions"]).and_then(Value::as_i64) {
        Some(wanted) => format!("{done}/{wanted}").into(),
        None if at_once > 1 => format!("{done}/1 of {at_once}").into(),
        None => format!("{done}/1").into(),
    }
}

/// Returns how long a Job has run.
pub(super) fn duration(job: &Object, now: i64) -> Value {
    let time = |field: &str| parse_rfc3339(job.text(["status", field])).map(|(seconds, _)| seconds);
    let Some(start) = time("startTime") else { return "".into() };
    human_duration(time("completionTime").unwrap_or(now) - start).into()
}

pub(super) fn suspended(job: &Object) -> Value {
    match job.at(["spec", "suspend"]).and_then(Value::as_bool) {
        Some(true) => "True".into(),
        Some(false) => "False".into(),
        None => UNSET.into(),
    }
}

pub(super) fn last_schedule(job: &Object, now: i64) -> Value {
    match job.text(["status", "lastScheduleTime"]) {
        "" => NONE.into(),
        then => since(then, now).into(),
    }
}
