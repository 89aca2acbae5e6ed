//! Jobs and `CronJobs`.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/batch/validation`.

use std::collections::BTreeSet;

use crate::api::features::FeatureGates;
use crate::api::labels::Selector;
use crate::api::{Value, names};
use crate::go::quote;
use crate::registry::batch::cron_job::schedule::parse_standard_schedule;
use crate::registry::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_has_label, validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, Node};
use crate::registry::validation::pod::{Options, validate_pod_template_spec};
use crate::registry::validation::selector::{LABEL_SELECTOR, validate_label_selector};

pub(in crate::registry) use crate::registry::batch::job::status::validate_job_status_update;
pub(in crate::registry) use crate::registry::batch::job::update::validate_job_update;

pub(in crate::registry) const JOB_NAME_LABEL: &str = "batch.kubernetes.io/job-name";
pub(in crate::registry) const CONTROLLER_UID_LABEL: &str = "batch.kubernetes.io/controller-uid";
pub(in crate::registry) const INDEXED: &str = "Indexed";
pub(in crate::registry) const NEEDS_INDEXED: &str = "requires indexed completion mode";
/// The names of the time zone database, a line each.
pub(in crate::registry) const TIME_ZONES: &str = include_str!("time_zones.txt");
pub(in crate::registry) const FAILURE_ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];

/// `ValidateJob` of a new one.
pub(in crate::registry) fn validate_job_create(errors: &mut Errors, object: &Node, features: &FeatureGates) {
    validate_job(errors, object, &Options::new(features, None), Generated::Prefixed);
}

/// Which labels that tie Pods to their Job are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::registry) enum Generated {
    /// Those of today, with Kubernetes' prefix, and the older ones.
    Prefixed,
    /// The older ones, as Pods of older Jobs have no others.
    Legacy,
    /// None: nothing is known of the Job's uid.
    Unknown,
}

/// `ValidateJob`
pub(in crate::registry) fn validate_job(
    errors: &mut Errors,
    object: &Node,
    options: &Options,
    generated: Generated,
) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_generated_selector(errors, object, generated);
    let spec = object.child("spec");
    validate_job_spec_with_selector(errors, &spec, options);
    let completions = spec.int("completions");
    if spec.text("completionMode") == INDEXED && completions > 0 {
        let metadata = object.child("metadata");
        let host = format!("{}-{}", metadata.text("name"), completions - 1);
        if !names::is_dns1123_label(&host).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {host}");
            errors.invalid(&metadata.at("name"), metadata.text("name"), detail);
        }
    }
}

/// `validateGeneratedSelector`
pub(in crate::registry) fn validate_generated_selector(
    errors: &mut Errors,
    object: &Node,
    generated: Generated,
) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    if spec.flag("manualSelector") || !spec.has("selector") || generated == Generated::Unknown {
        return;
    }
    let (uid, name) = (metadata.text("uid"), metadata.text("name"));
    if uid.is_empty() {
        errors.required(&metadata.at("uid"), "");
    }
    let template = spec.child("template").child("metadata");
    let expected =
        [("controller-uid", uid), ("job-name", name), (CONTROLLER_UID_LABEL, uid), (JOB_NAME_LABEL, name)];
    let expected = if generated == Generated::Prefixed { &expected[..] } else { &expected[..2] };
    for &(key, value) in expected {
        validate_has_label(errors, &template, key, value);
    }
    let lookup = |key: &str| expected.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    if Selector::from_label_selector(spec.raw("selector")).is_ok_and(|selector| !selector.matches(lookup)) {
        errors.invalid_typed(
            &spec.at("selector"),
            LABEL_SELECTOR,
            spec.raw("selector"),
            "`selector` not auto-generated",
        );
    }
}

/// `ValidateJobSpec`
pub(in crate::registry) fn validate_job_spec_with_selector(
    errors: &mut Errors,
    spec: &Node,
    options: &Options,
) {
    validate_job_spec(errors, spec, options);
    if spec.has("selector") {
        validate_label_selector(errors, spec, "selector", options.invalid_selector_values);
    } else {
        errors.required(&spec.at("selector"), "");
    }
    let template = spec.child("template");
    let labels = template.child("metadata").raw("labels");
    let selector = Selector::from_label_selector(spec.raw("selector"));
    if selector.is_ok_and(|selector| !selector.matches_labels(Some(labels))) {
        let detail = "`selector` does not match template `labels`";
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, detail);
    }
}

/// `validateJobSpec`
pub(in crate::registry) fn validate_job_spec(errors: &mut Errors, spec: &Node, options: &Options) {
    const COUNTS: [&str; 7] = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    for field in COUNTS {
        errors.non_negative(spec, field);
    }
    if spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex") {
        errors.required(&spec.at("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    if let Some(manager) = spec.given("managedBy") {
        crate::registry::validation::network::is_domain_prefixed_path(errors, spec, "managedBy");
        if manager.len() > 63 {
            errors.too_long(&spec.at("managedBy"), 63);
        }
    }
    errors.optional_one_of(spec, "completionMode", &["NonIndexed", INDEXED]);
    match spec.given("completionMode") {
        Some(INDEXED) => validate_indexed_job(errors, spec),
        None | Some("NonIndexed") => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(value) = spec.number(field) {
                    errors.invalid_int(&spec.at(field), value, NEEDS_INDEXED);
                }
            }
        }
        Some(_) => {}
    }
    validate_pod_failure_policy(errors, spec);
    validate_success_policy(errors, spec);
    if spec.has("podReplacementPolicy") {
        let supported: &[&str] =
            if spec.has("podFailurePolicy") { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
        errors.one_of(spec, "podReplacementPolicy", supported);
    }
    let template = spec.child("template");
    validate_pod_template_spec(errors, &template, options);
    let pod = template.child("spec");
    let path = || pod.at("restartPolicy");
    match pod.text("restartPolicy") {
        "" | "Always" => errors.required(&path(), "valid values: \"OnFailure\", \"Never\""),
        "OnFailure" if spec.has("podFailurePolicy") => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.invalid(&path(), "OnFailure", detail);
        }
        "OnFailure" | "Never" => {}
        other => errors.not_supported(&path(), other, &["OnFailure", "Never"]),
    }
}

/// The bounds of Jobs that count their pods.
pub(in crate::registry) fn validate_indexed_job(errors: &mut Errors, spec: &Node) {
    let (completions, parallelism) = (spec.number("completions"), spec.int("parallelism"));
    let failed = spec.number("maxFailedIndexes");
    let at_most = |errors: &mut Errors, field: &'static str, value: i64, max: i64, rest: &str| {
        if value > max {
            errors.invalid_int(&spec.at(field), value, format!("must be less than or equal to {max}{rest}"));
        }
    };
    if completions.is_none() {
        errors.required(&spec.at("completions"), "when completion mode is Indexed");
    }
    at_most(errors, "parallelism", parallelism, 100_000, " when completion mode is Indexed");
    if let (Some(completions), Some(failed)) = (completions, failed)
        && failed > completions
    {
        let detail = "must be less than or equal to completions";
        errors.invalid_int(&spec.at("maxFailedIndexes"), failed, detail);
    }
    at_most(errors, "maxFailedIndexes", failed.unwrap_or_default(), 100_000, "");
    if completions.is_some_and(|completions| completions > 100_000) && spec.has("backoffLimitPerIndex") {
        if failed.is_none() {
            let detail = "must be specified when completions is above 100000";
            errors.required(&spec.at("maxFailedIndexes"), detail);
        }
        let rest = " when completions are above 100000 and used with backoff limit per index";
        at_most(errors, "parallelism", parallelism, 10_000, rest);
        at_most(errors, "maxFailedIndexes", failed.unwrap_or_default(), 10_000, rest);
    }
}

pub(in crate::registry) fn quoted_list(values: &[&str]) -> String {
    format!("[{}]", values.iter().map(|value| quote(value)).collect::<Vec<_>>().join(" "))
}

/// `validatePodFailurePolicy`
pub(in crate::registry) fn validate_pod_failure_policy(errors: &mut Errors, spec: &Node) {
    let Some(policy) = spec.get("podFailurePolicy") else { return };
    if policy.len("rules") > 20 {
        errors.too_many(&policy.at("rules"), policy.len("rules"), 20);
    }
    let pod = spec.child("template").child("spec");
    let containers: BTreeSet<&str> = ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| pod.list(list))
        .map(|container| Node::root(container).text("name"))
        .collect();
    for rule in policy.items("rules") {
        match rule.text("action") {
            "" => {
                let detail = format!("valid values: {}", quoted_list(&FAILURE_ACTIONS));
                errors.required(&rule.at("action"), detail);
            }
            "FailIndex" if !spec.has("backoffLimitPerIndex") => {
                errors.invalid(
                    &rule.at("action"),
                    "FailIndex",
                    "requires the backoffLimitPerIndex to be set",
                );
            }
            _ => errors.one_of(&rule, "action", &FAILURE_ACTIONS),
        }
        let codes = rule.get("onExitCodes");
        if let Some(codes) = &codes {
            validate_on_exit_codes(errors, codes, &containers);
        }
        validate_on_pod_conditions(errors, &rule);
        let detail = match (codes.is_some(), rule.len("onPodConditions") > 0) {
            (true, true) => "specifying both OnExitCodes and OnPodConditions is not supported",
            (false, false) => "specifying one of OnExitCodes and OnPodConditions is required",
            _ => continue,
        };
        errors.push(crate::api::field::Error::invalid_omitted(&rule.here(), detail));
    }
}

/// `validatePodFailurePolicyRuleOnPodConditions`
pub(in crate::registry) fn validate_on_pod_conditions(errors: &mut Errors, rule: &Node) {
    let statuses = ["False", "True", "Unknown"];
    if rule.len("onPodConditions") > 20 {
        errors.too_many(&rule.at("onPodConditions"), rule.len("onPodConditions"), 20);
    }
    for pattern in rule.items("onPodConditions") {
        errors.each_of(&pattern, "type", names::is_qualified_name(pattern.text("type")));
        if pattern.text("status").is_empty() {
            errors.required(&pattern.at("status"), format!("valid values: {}", quoted_list(&statuses)));
        } else {
            errors.one_of(&pattern, "status", &statuses);
        }
    }
}

/// `validatePodFailurePolicyRuleOnExitCodes`
pub(in crate::registry) fn validate_on_exit_codes(
    errors: &mut Errors,
    codes: &Node,
    containers: &BTreeSet<&str>,
) {
    let operators = ["In", "NotIn"];
    if codes.text("operator").is_empty() {
        errors.required(&codes.at("operator"), format!("valid values: {}", quoted_list(&operators)));
    } else {
        errors.one_of(codes, "operator", &operators);
    }
    if let Some(name) = codes.given("containerName").filter(|name| !containers.contains(name)) {
        let detail = "must be one of the container or initContainer names in the pod template";
        errors.invalid(&codes.at("containerName"), name, detail);
    }
    let values: Vec<i64> = codes.list("values").iter().filter_map(Value::as_i64).collect();
    let path = || codes.at("values");
    if values.is_empty() {
        errors.invalid_value(&path(), codes.raw("values"), "at least one value is required");
    } else if values.len() > 255 {
        errors.too_many(&path(), values.len(), 255);
    }
    let mut seen = BTreeSet::new();
    for (index, value) in values.iter().enumerate() {
        if codes.text("operator") == "In" && *value == 0 {
            errors.invalid_int(&path().index(index), 0, "must not be 0 for the In operator");
        }
        if !seen.insert(*value) {
            errors.push(crate::api::field::Error::duplicate(&path().index(index), &Value::from(*value)));
        }
    }
    if !values.is_sorted() {
        errors.invalid_value(&path(), codes.raw("values"), "must be ordered");
    }
}

/// `validateSuccessPolicy`
pub(in crate::registry) fn validate_success_policy(errors: &mut Errors, spec: &Node) {
    let Some(policy) = spec.get("successPolicy") else { return };
    if spec.text("completionMode") != INDEXED {
        errors.invalid_typed(&policy.here(), "internal.SuccessPolicy", policy.value(), NEEDS_INDEXED);
        return;
    }
    if policy.len("rules") == 0 {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.required(&policy.at("rules"), detail);
    }
    if policy.len("rules") > 20 {
        errors.too_many(&policy.at("rules"), policy.len("rules"), 20);
    }
    for rule in policy.items("rules") {
        validate_success_policy_rule(errors, &rule, spec.int("completions"));
    }
}

/// `validateSuccessPolicyRule`
pub(in crate::registry) fn validate_success_policy_rule(errors: &mut Errors, rule: &Node, completions: i64) {
    let (indexes, count) = (rule.given("succeededIndexes"), rule.number("succeededCount"));
    if indexes.is_none() && count.is_none() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        errors.required(&rule.here(), detail);
    }
    let mut total = 0;
    if let Some(indexes) = indexes {
        if indexes.len() > 64 * 1024 {
            errors.too_long(&rule.at("succeededIndexes"), 64 * 1024);
        }
        match count_indexes(indexes, completions) {
            Ok(count) => total = count,
            Err(error) => {
                let detail = format!("error parsing succeededIndexes: {error}");
                errors.invalid(&rule.at("succeededIndexes"), indexes, detail);
            }
        }
    }
    let Some(count) = count else { return };
    errors.non_negative(rule, "succeededCount");
    let path = || rule.at("succeededCount");
    if count > completions {
        let detail =
            format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.invalid_int(&path(), count, detail);
    }
    if indexes.is_some() && count > total {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.invalid_int(&path(), count, detail);
    }
}

/// `validateIndexesFormat`: how many indexes `1,3-5` and the like name.
pub(in crate::registry) fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let mut total = 0;
    let mut last: Option<i64> = None;
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let (first, end) = parse_index_interval(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!("non-increasing order, previous: {last}, current: {first}"));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// `parseIndexInterval`
pub(in crate::registry) fn parse_index_interval(
    interval: &str,
    completions: i64,
) -> Result<(i64, i64), String> {
    let limits: Vec<&str> = interval.split('-').collect();
    let parse = |text: &str| {
        let index: i64 = text
            .parse()
            .map_err(|_| format!("cannot convert string to integer for index: {}", quote(text)))?;
        if index >= completions { Err(format!("too large index: {}", quote(text))) } else { Ok(index) }
    };
    match limits.as_slice() {
        [index] => parse(index).map(|index| (index, index)),
        [first, end] => {
            let (first, end) = (parse(first)?, parse(end)?);
            if first >= end {
                return Err(format!("non-increasing order, previous: {first}, current: {end}"));
            }
            Ok((first, end))
        }
        _ => Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two parts separated by \
             '-'",
            quote(interval)
        )),
    }
}

/// `ValidateCronJobCreate`, and `ValidateCronJobUpdate` where there is an old one.
pub(in crate::registry) fn validate_cron_job(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    match old {
        None => validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    validate_cron_job_spec(errors, &spec, before.as_ref(), features);
    let metadata = object.child("metadata");
    let name = metadata.text("name");
    if old.is_none() && name.len() > 52 {
        errors.invalid(&metadata.at("name"), name, "must be no more than 52 characters");
    }
}

/// `validateCronJobSpec`
pub(in crate::registry) fn validate_cron_job_spec(
    errors: &mut Errors,
    spec: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    let zone_before = old.is_some_and(|old| old.text("schedule").contains("TZ"));
    if errors.require_text(spec, "schedule") {
        let schedule = spec.text("schedule");
        let path = || spec.at("schedule");
        if let Err(error) = parse_standard_schedule(schedule) {
            errors.invalid(&path(), schedule, error);
        }
        if schedule.contains("TZ") {
            if !zone_before {
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
    validate_job_spec(errors, &job, &Options::new(features, before.as_ref()));
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
        errors.push(crate::api::field::Error::not_supported_printed(
            &job.at("manualSelector"),
            "true",
            detail,
        ));
    }
    errors.non_negative(spec, "successfulJobsHistoryLimit");
    errors.non_negative(spec, "failedJobsHistoryLimit");
}

/// `validateTimeZone`
pub(in crate::registry) fn validate_time_zone(errors: &mut Errors, spec: &Node) {
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
