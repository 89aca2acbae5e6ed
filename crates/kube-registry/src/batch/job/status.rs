//! The status of a Job, which external controllers may write, too.
//!
//! Only what an update changes is checked, so that a stored fault does not block other updates.
//!
//! Source: `ValidateJobUpdateStatus`, `getStatusValidationOptions`.

use std::collections::BTreeSet;

use crate::validation::batch::{INDEXED, count_indexes, parse_index_interval};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::validate_object_meta_update;
use crate::validation::node::{Errors, Node};
use kube_api::features::Feature;
use kube_api::field::Error;
use kube_api::server_profile::ServerProfile;

/// Whether the condition `kind` of a status has the state `state`.
pub(crate) fn is_condition(status: &Node, kind: &str, state: &str) -> bool {
    let condition = |condition: &Node| condition.text("type") == kind && condition.text("status") == state;
    status.list("conditions").iter().map(Node::root).any(|it| condition(&it))
}

/// A status, with accessors for the conditions about the Job's end.
struct Reported<'a>(Node<'a>);

impl Reported<'_> {
    fn is_true(&self, kind: &str) -> bool {
        is_condition(&self.0, kind, "True")
    }

    fn complete(&self) -> bool {
        self.is_true("Complete")
    }

    fn failed(&self) -> bool {
        self.is_true("Failed")
    }

    fn failure_target(&self) -> bool {
        self.is_true("FailureTarget")
    }

    fn success_criteria_met(&self) -> bool {
        self.is_true("SuccessCriteriaMet")
    }

    fn finished(&self) -> bool {
        self.complete() || self.failed()
    }
}

/// Implements `ValidateJobUpdateStatus`.
pub(crate) fn validate_job_status_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    validate_object_meta_update(errors, object, old);
    let spec = object.child("spec");
    let (now, before) = (Reported(object.child("status")), Reported(old.child("status")));
    validate_counts(errors, &now.0);
    if !errors.since(30) {
        return;
    }
    let is_strict = profile.enabled(Feature::JobManagedBy);
    if is_strict {
        validate_end(errors, &spec, &now, &before);
        validate_indexes(errors, &spec, &now, &before);
        validate_pods(errors, &now, &before);
    }
    validate_success_criteria(errors, &spec, &now);
    if is_strict {
        validate_transition(errors, &spec, &now, &before);
    }
    validate_success_transition(errors, &now, &before);
}

/// Validates the numbers of Pods that end, and that are ready.
fn validate_pods(errors: &mut Errors, now: &Reported, before: &Reported) {
    let (status, previous) = (&now.0, &before.0);
    let changed = |field: &str| !plainly_equal(status.raw(field), previous.raw(field));
    if (now.finished() != before.finished() || changed("terminating"))
        && now.finished()
        && status.int("terminating") > 0
    {
        let detail = "terminating>0 is invalid for finished job";
        errors.invalid_int(&status.at("terminating"), status.int("terminating"), detail);
    }
    let ready = status.number("ready").filter(|ready| *ready > status.int("active"));
    if let Some(ready) = ready.filter(|_| changed("ready") || changed("active")) {
        errors.invalid_int(&status.at("ready"), ready, "cannot set more ready pods than active");
    }
}

/// Checks that numbers are not negative, and that every Pod is counted once.
fn validate_counts(errors: &mut Errors, status: &Node) {
    for field in ["active", "succeeded", "failed", "ready", "terminating"] {
        errors.non_negative(status, field);
    }
    let uncounted = status.child("uncountedTerminatedPods");
    let mut seen = BTreeSet::new();
    for list in ["succeeded", "failed"] {
        for (index, uid) in uncounted.texts(list).enumerate() {
            let path = || uncounted.at(list).index(index);
            if uid.is_empty() {
                errors.invalid(&path(), uid, "must not be empty");
            } else if !seen.insert(uid) {
                errors.duplicate(&path(), uid);
            }
        }
    }
}

/// Validates the conditions and times of a Job that ends.
fn validate_end(errors: &mut Errors, spec: &Node, now: &Reported, before: &Reported) {
    let status = &now.0;
    let changed = |field: &str| !plainly_equal(status.raw(field), before.0.raw(field));
    let complete_changed = now.complete() != before.complete();
    let failed_changed = now.failed() != before.failed();
    let finished_changed = now.finished() != before.finished();
    if (complete_changed || failed_changed) && now.complete() && now.failed() {
        invalid_conditions(errors, status, "cannot set Complete=True and Failed=true conditions");
    }
    if (complete_changed || now.failure_target() != before.failure_target())
        && now.complete()
        && now.failure_target()
    {
        invalid_conditions(errors, status, "cannot set Complete=True and FailureTarget=true conditions");
    }
    let (start, end) = (status.given("startTime"), status.given("completionTime"));
    if complete_changed || changed("completionTime") {
        match (end, now.complete()) {
            (Some(end), false) => {
                let detail = "cannot set completionTime when there is no Complete=True condition";
                errors.invalid(&status.at("completionTime"), end, detail);
            }
            (None, true) => {
                let detail = "completionTime is required for Complete jobs";
                errors.required(&status.at("completionTime"), detail);
            }
            _ => {}
        }
    }
    if let (Some(start), Some(end)) = (start, end)
        && (changed("startTime") || changed("completionTime"))
        && end < start
    {
        errors.invalid(&status.at("completionTime"), end, "must be equal to or after `startTime`");
    }
    if (failed_changed || changed("failedIndexes")) && now.failed() && !now.failure_target() {
        let detail = "cannot set Failed=True condition without the FailureTarget=true condition";
        invalid_conditions(errors, status, detail);
    }
    if (complete_changed || now.success_criteria_met() != before.success_criteria_met())
        && now.complete()
        && !now.success_criteria_met()
    {
        let detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
        invalid_conditions(errors, status, detail);
    }
    if !now.finished() {
        return;
    }
    if (finished_changed || changed("active")) && status.int("active") > 0 {
        let detail = "active>0 is invalid for finished job";
        errors.invalid_int(&status.at("active"), status.int("active"), detail);
    }
    let nothing_to_do = spec.flag("suspend") && spec.number("completions") == Some(0);
    if (finished_changed || changed("startTime")) && !nothing_to_do && start.is_none() {
        errors.required(&status.at("startTime"), "startTime is required for finished job");
    }
    let uncounted = status.child("uncountedTerminatedPods");
    if (finished_changed || changed("uncountedTerminatedPods"))
        && uncounted.len("failed") + uncounted.len("succeeded") > 0
    {
        let detail = "must be empty for finished job";
        let name = "internal.UncountedTerminatedPods";
        errors.invalid_typed(&uncounted.here(), name, uncounted.value(), detail);
    }
}

/// Validates the indexes of an indexed Job.
fn validate_indexes(errors: &mut Errors, spec: &Node, now: &Reported, before: &Reported) {
    let status = &now.0;
    let (completed, failed) = (status.text("completedIndexes"), status.given("failedIndexes"));
    let completed_changed = completed != before.0.text("completedIndexes");
    let failed_changed = failed != before.0.given("failedIndexes");
    let completions = spec.number("completions");
    let per_index = spec.has("backoffLimitPerIndex");
    if let Some(completions) = completions {
        let mut check = |field: &'static str, indexes: &str| {
            if let Err(error) = count_indexes(indexes, completions) {
                errors.invalid(&status.at(field), indexes, format!("error parsing {field}: {error}"));
            }
        };
        if completed_changed {
            check("completedIndexes", completed);
        }
        if let Some(failed) = failed.filter(|_| failed_changed && per_index) {
            check("failedIndexes", failed);
        }
    }
    if completed_changed && !completed.is_empty() && spec.text("completionMode") != INDEXED {
        let detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
        errors.invalid(&status.at("completedIndexes"), completed, detail);
    }
    let Some(failed) = failed else { return };
    if failed_changed && !per_index {
        let detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
        errors.invalid(&status.at("failedIndexes"), failed, detail);
    }
    if let Some(completions) = completions.filter(|_| failed_changed || completed_changed)
        && let Some(index) = first_overlap(completed, failed, completions)
    {
        let detail = format!("failedIndexes and completedIndexes overlap at index: {index}");
        errors.invalid(&status.at("failedIndexes"), failed, detail);
    }
}

/// Returns the first index that is in both lists; malformed intervals are skipped.
///
/// Source: `validateFailedIndexesNotOverlapCompleted`.
fn first_overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    let intervals = |text: &str| -> Vec<(i64, i64)> {
        text.split(',').filter_map(|interval| parse_index_interval(interval, completions).ok()).collect()
    };
    let (completed, failed) = (intervals(completed), intervals(failed));
    let (mut completed, mut failed) = (completed.as_slice(), failed.as_slice());
    while let ([(from, to), later @ ..], [(failed_from, failed_to), later_failed @ ..]) = (completed, failed)
    {
        if from <= failed_to && failed_from <= to {
            return Some(*from.max(failed_from));
        }
        if from <= failed_from {
            completed = later;
        } else {
            failed = later_failed;
        }
    }
    None
}

/// Validates the condition `SuccessCriteriaMet`.
fn validate_success_criteria(errors: &mut Errors, spec: &Node, now: &Reported) {
    let status = &now.0;
    let needs_policy = now.success_criteria_met() && !errors.since(31);
    if needs_policy && spec.text("completionMode") != INDEXED {
        invalid_conditions(errors, status, "cannot set SuccessCriteriaMet to NonIndexed Job");
    }
    if now.success_criteria_met() && now.failed() {
        invalid_conditions(errors, status, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    }
    if now.success_criteria_met() && now.failure_target() {
        let detail = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions";
        invalid_conditions(errors, status, detail);
    }
    if needs_policy && !spec.has("successPolicy") {
        invalid_conditions(
            errors,
            status,
            "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy",
        );
    }
    if spec.has("successPolicy") && !now.success_criteria_met() && now.complete() {
        let detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
        invalid_conditions(errors, status, detail);
    }
}

/// Checks that conditions, counters and times do not go back.
fn validate_transition(errors: &mut Errors, spec: &Node, now: &Reported, before: &Reported) {
    let (status, previous) = (&now.0, &before.0);
    for (kind, is, was) in [
        ("Failed", now.failed(), before.failed()),
        ("Complete", now.complete(), before.complete()),
        ("FailureTarget", now.failure_target(), before.failure_target()),
    ] {
        if was && !is {
            let detail = format!("cannot disable the terminal {kind}=True condition");
            invalid_conditions(errors, status, &detail);
        }
    }
    let scalable =
        spec.text("completionMode") == INDEXED && spec.raw("completions") == spec.raw("parallelism");
    for (field, counts) in [("failed", true), ("succeeded", !scalable)] {
        if counts && status.int(field) < previous.int(field) {
            let detail = format!("cannot decrease the {field} counter");
            errors.invalid_int(&status.at(field), status.int(field), detail);
        }
    }
    if let (Some(time), Some(earlier)) = (status.given("completionTime"), previous.given("completionTime"))
        && time != earlier
    {
        errors.invalid(&status.at("completionTime"), time, "field is immutable");
    }
    let resuming = is_condition(previous, "Suspended", "True") && is_condition(status, "Suspended", "False");
    if previous.has("startTime")
        && status.raw("startTime") != previous.raw("startTime")
        && !resuming
        && !spec.flag("suspend")
    {
        let detail = "field is immutable for unsuspended job once set";
        errors.invalid_value(&status.at("startTime"), status.raw("startTime"), detail);
    }
}

/// Checks that the condition `SuccessCriteriaMet` does not go, nor come to a Job that is complete.
fn validate_success_transition(errors: &mut Errors, now: &Reported, before: &Reported) {
    let status = &now.0;
    if before.success_criteria_met() && !now.success_criteria_met() {
        invalid_conditions(errors, status, "cannot disable the SuccessCriteriaMet=True condition");
    }
    if before.complete() && !before.success_criteria_met() && now.success_criteria_met() {
        let detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
        invalid_conditions(errors, status, detail);
    }
}

fn invalid_conditions(errors: &mut Errors, status: &Node, detail: &str) {
    errors.push(Error::invalid_omitted(&status.at("conditions"), detail));
}
