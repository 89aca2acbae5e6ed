//! Jobs and `CronJobs`.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/batch/validation`.

use crate::validation::node::{Errors, Node};
use crate::validation::pod::{Options, validate_pod_template_spec};
use gotext::names;
use gotext::quote;
use kube_api::Value;
use std::collections::BTreeSet;

pub(crate) const INDEXED: &str = "Indexed";

const NEEDS_INDEXED: &str = "requires indexed completion mode";

const FAILURE_ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
/// Those of the releases before 1.28.
const FIRST_FAILURE_ACTIONS: [&str; 3] = ["Count", "FailJob", "Ignore"];

/// Implements `validateJobSpec`.
pub(crate) fn validate_job_spec(errors: &mut Errors, spec: &Node, options: &Options) {
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
        crate::validation::network::is_domain_prefixed_path(errors, spec, "managedBy");
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
        "" | "Always" => {
            errors.required_one_of(
                &path(),
                "valid values: \"OnFailure\", \"Never\"",
                &["Never", "OnFailure"],
            );
        }
        "OnFailure" if spec.has("podFailurePolicy") => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.invalid(&path(), "OnFailure", detail);
        }
        "OnFailure" | "Never" => {}
        other => errors.not_supported(&path(), other, &["OnFailure", "Never"]),
    }
}

/// Validates the bounds of indexed Jobs.
fn validate_indexed_job(errors: &mut Errors, spec: &Node) {
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

fn quoted_list(values: &[&str]) -> String {
    format!("[{}]", values.iter().map(|value| quote(value)).collect::<Vec<_>>().join(" "))
}

/// Implements `validatePodFailurePolicy`.
fn validate_pod_failure_policy(errors: &mut Errors, spec: &Node) {
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
        let actions: &[&str] = if errors.since(28) { &FAILURE_ACTIONS } else { &FIRST_FAILURE_ACTIONS };
        match rule.text("action") {
            "" => {
                let detail = format!("valid values: {}", quoted_list(actions));
                errors.required_one_of(&rule.at("action"), detail, actions);
            }
            "FailIndex" if errors.since(28) && !spec.has("backoffLimitPerIndex") => {
                errors.invalid(
                    &rule.at("action"),
                    "FailIndex",
                    "requires the backoffLimitPerIndex to be set",
                );
            }
            _ => errors.one_of(&rule, "action", actions),
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
        errors.push(kube_api::field::Error::invalid_omitted(&rule.here(), detail));
    }
}

/// Implements `validatePodFailurePolicyRuleOnPodConditions`.
fn validate_on_pod_conditions(errors: &mut Errors, rule: &Node) {
    let statuses = ["False", "True", "Unknown"];
    if rule.len("onPodConditions") > 20 {
        errors.too_many(&rule.at("onPodConditions"), rule.len("onPodConditions"), 20);
    }
    for pattern in rule.items("onPodConditions") {
        errors.each_of(&pattern, "type", names::is_qualified_name(pattern.text("type")));
        if pattern.text("status").is_empty() {
            let detail = format!("valid values: {}", quoted_list(&statuses));
            errors.required_one_of(&pattern.at("status"), detail, &statuses);
        } else {
            errors.one_of(&pattern, "status", &statuses);
        }
    }
}

/// Implements `validatePodFailurePolicyRuleOnExitCodes`.
fn validate_on_exit_codes(errors: &mut Errors, codes: &Node, containers: &BTreeSet<&str>) {
    let operators = ["In", "NotIn"];
    if codes.text("operator").is_empty() {
        let detail = format!("valid values: {}", quoted_list(&operators));
        errors.required_one_of(&codes.at("operator"), detail, &operators);
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
            errors.push(kube_api::field::Error::duplicate(&path().index(index), &Value::from(*value)));
        }
    }
    if !values.is_sorted() {
        errors.invalid_value(&path(), codes.raw("values"), "must be ordered");
    }
}

/// Implements `validateSuccessPolicy`.
fn validate_success_policy(errors: &mut Errors, spec: &Node) {
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

/// Implements `validateSuccessPolicyRule`.
fn validate_success_policy_rule(errors: &mut Errors, rule: &Node, completions: i64) {
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

/// Implements `validateIndexesFormat`: returns the number of indexes that a text like `1,3-5` has.
pub(crate) fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
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

/// Implements `parseIndexInterval`.
pub(crate) fn parse_index_interval(interval: &str, completions: i64) -> Result<(i64, i64), String> {
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
