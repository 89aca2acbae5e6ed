//! Workloads that create pods and keep them running: the `apps` group and replication controllers.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/apps/validation`.

use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{Scope, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, IS_NEGATIVE, Node};
use crate::validation::pod::{Options, validate_pod_template_spec};
use crate::validation::selector::{LABEL_SELECTOR, validate_label_selector};
use gotext::names;
use kube_api::Value;
use kube_api::labels::Selector;
use kube_api::server_profile::ServerProfile;

pub(crate) const NO_MATCH: &str = "`selector` does not match template `labels`";

/// Returns the options for the template of a workload that replaces `old`.
pub(crate) fn template_options<'a>(old: Option<&Node>, profile: &'a ServerProfile) -> Options<'a> {
    let old = old.map(|old| old.child("spec").child("template"));
    Options::new(profile, old.as_ref())
}

pub(crate) fn validate_meta(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    rule: crate::validation::metadata::NameRule,
) {
    match old {
        None => validate_object_meta(errors, object, Scope::Namespaced, rule),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
}

pub(crate) fn validate_immutable_selector(errors: &mut Errors, spec: &Node, old: Option<&Node>) {
    let Some(old) = old.map(|old| old.child("spec")) else { return };
    if !plainly_equal(spec.raw("selector"), old.raw("selector")) {
        errors.invalid_typed(&spec.at("selector"), LABEL_SELECTOR, spec.raw("selector"), IMMUTABLE);
    }
}

/// Validates a selector that must be set, valid, and not empty.
pub(crate) fn validate_required_selector(errors: &mut Errors, spec: &Node, kind: &str) {
    let Some(selector) = spec.get("selector") else {
        errors.required(&spec.at("selector"), "");
        return;
    };
    validate_label_selector(errors, spec, "selector", false);
    validate_selector_not_empty(errors, &selector, kind);
}

pub(crate) fn validate_selector_not_empty(errors: &mut Errors, selector: &Node, kind: &str) {
    if selector.len("matchLabels") + selector.len("matchExpressions") == 0 {
        let detail = format!("empty selector is invalid for {kind}");
        errors.invalid_typed(&selector.here(), LABEL_SELECTOR, selector.value(), detail);
    }
}

/// Validates selector and template of Deployments and `ReplicaSets`.
pub(crate) fn validate_replica_selector_and_template(errors: &mut Errors, spec: &Node, options: &Options) {
    validate_required_selector(errors, spec, "deployment");
    let Ok(selector) = Selector::from_label_selector(spec.raw("selector")) else {
        errors.invalid_typed(
            &spec.at("selector"),
            LABEL_SELECTOR,
            spec.raw("selector"),
            "invalid label selector",
        );
        return;
    };
    let template = spec.child("template");
    validate_selector_matches(errors, &selector, &template);
    validate_pod_template_spec(errors, &template, options);
    validate_always_running(errors, &template, "ReplicaSet");
}

pub(crate) fn validate_selector_matches(errors: &mut Errors, selector: &Selector, template: &Node) {
    let labels = template.child("metadata").raw("labels");
    if !selector.is_everything() && !selector.matches_labels(Some(labels)) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
}

/// Pods of a workload run forever.
pub(crate) fn validate_always_running(errors: &mut Errors, template: &Node, kind: &str) {
    let spec = template.child("spec");
    errors.one_of(&spec, "restartPolicy", &["Always"]);
    if spec.has("activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&spec.at("activeDeadlineSeconds"), detail);
    }
}

/// Implements `ValidatePositiveIntOrPercent`.
pub(crate) fn validate_positive_int_or_percent(errors: &mut Errors, node: &Node, field: &'static str) {
    match node.raw(field) {
        Value::String(percent) => {
            for message in names::is_valid_percent(percent) {
                errors.invalid_value(&node.at(field), node.raw(field), message);
            }
        }
        other if other.as_i64().unwrap_or_default() < 0 => {
            errors.invalid_int(&node.at(field), other.as_i64().unwrap_or_default(), IS_NEGATIVE);
        }
        _ => {}
    }
}

/// Implements `getPercentValue`.
pub(crate) fn percent(node: &Node, field: &str) -> Option<i64> {
    let text = node.given(field).filter(|text| names::is_valid_percent(text).is_empty())?;
    Some(text.trim_end_matches('%').parse().unwrap_or(i64::MAX))
}

/// Implements `getIntOrPercentValue`.
pub(crate) fn int_or_percent(node: &Node, field: &str) -> i64 {
    let text = || node.given(field).and_then(|text| text.parse().ok());
    percent(node, field).or_else(|| node.number(field)).or_else(text).unwrap_or_default()
}

/// Implements `IsNotMoreThan100Percent`.
pub(crate) fn is_not_more_than_100_percent(errors: &mut Errors, node: &Node, field: &'static str) {
    if percent(node, field).is_some_and(|percent| percent > 100) {
        errors.invalid_value(&node.at(field), node.raw(field), "must not be greater than 100%");
    }
}

/// Validates the counters in the status of a workload: none is negative, none is above the number of replicas, and the
/// count of collisions does not decrease.
pub(crate) fn validate_replica_status(errors: &mut Errors, object: &Node, old: &Node, kind: &str) {
    let is_stateful_set = kind == "StatefulSet";
    if !is_stateful_set {
        validate_object_meta_update(errors, object, old);
    }
    let (status, before) = (object.child("status"), old.child("status"));
    let counters = status_counters(kind);
    for field in counters {
        errors.non_negative(&status, field);
    }
    if counters.contains(&"replicas") {
        validate_bounded_counters(errors, &status, counters, is_stateful_set);
    }
    if is_stateful_set {
        validate_object_meta_update(errors, object, old);
    }
    if !counters.contains(&"collisionCount") {
        return;
    }
    let collisions = [&status, &before].map(|status| status.number("collisionCount"));
    if collisions[0] < collisions[1] {
        let detail = "cannot be decremented";
        errors.invalid_int(&status.at("collisionCount"), status.int("collisionCount"), detail);
    }
}

fn validate_bounded_counters(
    errors: &mut Errors,
    status: &Node,
    counters: &[&'static str],
    is_stateful_set: bool,
) {
    let replicas = status.int("replicas");
    for field in counters {
        let bounded =
            field.ends_with("Replicas") && !["unavailableReplicas", "terminatingReplicas"].contains(field);
        if bounded && status.int(field) > replicas {
            errors.invalid_int(
                &status.at(field),
                status.int(field),
                "cannot be greater than status.replicas",
            );
        }
    }
    if status.int("availableReplicas") > status.int("readyReplicas") {
        let ready = if is_stateful_set { "status.readyReplicas" } else { "readyReplicas" };
        let detail = format!("cannot be greater than {ready}");
        errors.invalid_int(&status.at("availableReplicas"), status.int("availableReplicas"), detail);
    }
}

/// Returns the counters in the status of a kind, in the order in which they are checked.
fn status_counters(kind: &str) -> &'static [&'static str] {
    match kind {
        "Deployment" => &[
            "observedGeneration",
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
            "terminatingReplicas",
            "collisionCount",
        ],
        "ReplicaSet" => &[
            "replicas",
            "fullyLabeledReplicas",
            "readyReplicas",
            "availableReplicas",
            "observedGeneration",
            "terminatingReplicas",
        ],
        "ReplicationController" => {
            &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"]
        }
        "StatefulSet" => &[
            "replicas",
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
            "observedGeneration",
            "collisionCount",
        ],
        "DaemonSet" => &[
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "observedGeneration",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
            "collisionCount",
        ],
        _ => &[],
    }
}
