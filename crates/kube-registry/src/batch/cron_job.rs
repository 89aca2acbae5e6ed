//! Jobs that run on a schedule.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch`.

pub(crate) mod schedule;

use crate::batch::cron_job::schedule::{parse_first_standard_schedule, parse_standard_schedule};
use crate::defaults::pod;
use crate::defaults::workload::job_spec;
use crate::gated::Gated;
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::batch::validate_job_spec;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::Options;
use crate::validation::selector::LABEL_SELECTOR;
use crate::warnings::{self, Warnings};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent, set_if_zero};
use kube_api::{Map, Object};

/// The strategy of `CronJob`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::PodSpec(&["spec", "jobTemplate", "spec", "template", "spec"])],
    validate: Some(|errors, object, old, context| {
        validate_cron_job(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource { prepare_for_update: Some(keep_spec), ..SubResource::new("status") }],
    ..Strategy::new("batch", "CronJob")
};

/// The minor of the first release that refuses a zone in the schedule of a new object.
const REFUSES_ZONES: u32 = 29;

fn warnings(cron_job: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none() {
        warnings::dns_label_recommended(cron_job, "Pod names and hostnames", warnings);
    }
    if old.is_none_or(|old| cron_job.at("spec") != old.at("spec")) {
        let empty = Map::new();
        let job_spec = cron_job.child(["spec", "jobTemplate", "spec"]);
        warnings::job(job_spec.unwrap_or(&empty), "spec.jobTemplate.spec", warnings);
    }
    if !warnings.since(REFUSES_ZONES) {
        if cron_job.text(["spec", "schedule"]).contains("TZ") {
            warnings.push(
                "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see \
                 https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                    .to_owned(),
            );
        }
    } else if old.is_some() && cron_job.text(["spec", "schedule"]).contains("TZ") {
        warnings.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
}

/// The minor of the first release that fills in the policies for failures of Pods.
const DEFAULTS_POLICIES: u32 = 34;

/// Sets the defaults of `CronJob`: of its Jobs, those of the Pods and of the policies for their failures.
fn set_defaults(cron_job: &mut Map, profile: &ServerProfile) {
    let spec = child_or_insert(cron_job, "spec");
    set_if_zero(spec, "concurrencyPolicy", "Allow");
    set_if_absent(spec, "suspend", false);
    set_if_absent(spec, "successfulJobsHistoryLimit", 3);
    set_if_absent(spec, "failedJobsHistoryLimit", 1);
    let spec = child_or_insert(child_or_insert(spec, "jobTemplate"), "spec");
    if profile.release().minor < DEFAULTS_POLICIES { pod::template(spec) } else { job_spec(spec) }
}

/// The names of the time zone database, a line each.
const TIME_ZONES: &str = include_str!("cron_job/time_zones.txt");

/// Runs `ValidateCronJobCreate`, and `ValidateCronJobUpdate` if there is an old object.
fn validate_cron_job(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    match old {
        None => validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    validate_cron_job_spec(errors, &spec, before.as_ref(), profile);
    let metadata = object.child("metadata");
    let name = metadata.text("name");
    if old.is_none() && name.len() > 52 {
        errors.invalid(&metadata.at("name"), name, "must be no more than 52 characters");
    }
}

/// Implements `validateCronJobSpec`.
fn validate_cron_job_spec(errors: &mut Errors, spec: &Node, old: Option<&Node>, profile: &ServerProfile) {
    let zone_before = old.is_some_and(|old| old.text("schedule").contains("TZ"));
    if errors.require_text(spec, "schedule") {
        let schedule = spec.text("schedule");
        let path = || spec.at("schedule");
        let parse = if errors.since(22) { parse_standard_schedule } else { parse_first_standard_schedule };
        if let Err(error) = parse(schedule) {
            errors.invalid(&path(), schedule, error);
        }
        if schedule.contains("TZ") {
            if !zone_before && errors.since(29) {
                let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
                errors.invalid(&path(), schedule, detail);
            } else if spec.has("timeZone") {
                let detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
                errors.invalid(&path(), schedule, detail);
            }
        }
    }
    errors.non_negative(spec, "startingDeadlineSeconds");
    if old.is_none_or(|old| old.raw("timeZone") != spec.raw("timeZone")) {
        validate_time_zone(errors, spec);
    }
    errors.require_one_of(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"]);
    let job = spec.child("jobTemplate").child("spec");
    let before = old.map(|old| old.child("jobTemplate").child("spec").child("template"));
    validate_job_spec(errors, &job, &Options::new(profile, before.as_ref()));
    if job.has("selector") {
        errors.invalid_typed(
            &job.at("selector"),
            LABEL_SELECTOR,
            job.raw("selector"),
            "`selector` will be auto-generated",
        );
    }
    if job.flag("manualSelector") {
        let detail = "supported values: \"nil\", \"false\"";
        errors.push(kube_api::field::Error::not_supported_printed(&job.at("manualSelector"), "true", detail));
    }
    errors.non_negative(spec, "successfulJobsHistoryLimit");
    errors.non_negative(spec, "failedJobsHistoryLimit");
}

/// Implements `validateTimeZone`.
fn validate_time_zone(errors: &mut Errors, spec: &Node) {
    let Some(zone) = spec.given("timeZone") else { return };
    let path = || spec.at("timeZone");
    let well_formed = |part: &str| {
        (1..=14).contains(&part.len())
            && ![".", ".."].contains(&part)
            && !part.starts_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte))
    };
    if zone.is_empty() {
        errors.invalid(&path(), zone, "timeZone must be nil or non-empty string");
        return;
    }
    let known = zone == "Local" || TIME_ZONES.lines().any(|known| known == zone);
    if zone.split('/').all(well_formed) && zone.eq_ignore_ascii_case("Local") {
        let detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.invalid(&path(), zone, detail);
    }
    if !known {
        errors.invalid(&path(), zone, format!("unknown time zone {zone}"));
    }
}
