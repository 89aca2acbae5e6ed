//! What makes pods and keeps them running: the `apps` group and replication controllers.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/apps/validation`.

use super::claim::{ClaimOptions, validate_persistent_volume_claim_spec};
use super::equal::semantically_equal;
use super::metadata::{
    Scope, name_is_dns_label, name_is_dns_subdomain, validate_annotations, validate_labels,
    validate_object_meta, validate_object_meta_update,
};
use super::node::{Errors, IMMUTABLE, IS_NEGATIVE, Node};
use super::pod::{Options, validate_pod_specific_annotations, validate_pod_template_spec};
use super::selector::{LABEL_SELECTOR, has_invalid_label_selector, validate_label_selector};
use crate::api::features::FeatureGates;
use crate::api::labels::Selector;
use crate::api::{Value, internal_json, names};

const NO_MATCH: &str = "`selector` does not match template `labels`";

const MUTABLE_STATEFUL_SET_FIELDS: [&str; 7] = [
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
];

/// Options for the template of a workload that replaces `old`.
fn template_options<'a>(old: Option<&Node>, features: &'a FeatureGates) -> Options<'a> {
    let old = old.map(|old| old.child("spec").child("template"));
    Options::new(features, old.as_ref())
}

/// `ValidateDeployment`, and `ValidateDeploymentUpdate` where there is an old one.
pub(super) fn validate_deployment(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    let options = template_options(old, features);
    let spec = object.child("spec");
    errors.non_negative(&spec, "replicas");
    validate_replica_selector_and_template(errors, &spec, &options);
    validate_deployment_strategy(errors, &spec);
    errors.non_negative(&spec, "minReadySeconds");
    errors.non_negative(&spec, "revisionHistoryLimit");
    if let Some(deadline) = spec.number("progressDeadlineSeconds") {
        errors.non_negative(&spec, "progressDeadlineSeconds");
        if deadline <= spec.int("minReadySeconds") {
            let detail = "must be greater than minReadySeconds";
            errors.invalid_int(&spec.at("progressDeadlineSeconds"), deadline, detail);
        }
    }
    validate_immutable_selector(errors, &spec, old);
}

/// `ValidateReplicaSet`, and `ValidateReplicaSetUpdate` where there is an old one.
pub(super) fn validate_replica_set(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    let options = template_options(old, features);
    let spec = object.child("spec");
    errors.non_negative(&spec, "replicas");
    errors.non_negative(&spec, "minReadySeconds");
    validate_replica_selector_and_template(errors, &spec, &options);
    validate_immutable_selector(errors, &spec, old);
}

fn validate_meta(errors: &mut Errors, object: &Node, old: Option<&Node>, rule: super::metadata::NameRule) {
    match old {
        None => validate_object_meta(errors, object, Scope::Namespaced, rule),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
}

fn validate_immutable_selector(errors: &mut Errors, spec: &Node, old: Option<&Node>) {
    let Some(old) = old.map(|old| old.child("spec")) else { return };
    if !semantically_equal(spec.raw("selector"), old.raw("selector")) {
        errors.invalid_typed(&spec.at("selector"), LABEL_SELECTOR, spec.raw("selector"), IMMUTABLE);
    }
}

/// A selector that must be given, valid, and not empty.
fn validate_required_selector(errors: &mut Errors, spec: &Node, kind: &str) {
    let Some(selector) = spec.get("selector") else {
        errors.required(&spec.at("selector"), "");
        return;
    };
    validate_label_selector(errors, spec, "selector", false);
    validate_selector_not_empty(errors, &selector, kind);
}

fn validate_selector_not_empty(errors: &mut Errors, selector: &Node, kind: &str) {
    if selector.len("matchLabels") + selector.len("matchExpressions") == 0 {
        let detail = format!("empty selector is invalid for {kind}");
        errors.invalid_typed(&selector.here(), LABEL_SELECTOR, selector.value(), detail);
    }
}

/// Selector and template of Deployments and `ReplicaSets`.
fn validate_replica_selector_and_template(errors: &mut Errors, spec: &Node, options: &Options) {
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

fn validate_selector_matches(errors: &mut Errors, selector: &Selector, template: &Node) {
    let labels = template.child("metadata").raw("labels");
    if !selector.is_everything() && !selector.matches_labels(Some(labels)) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
}

/// Pods of a workload run forever.
fn validate_always_running(errors: &mut Errors, template: &Node, kind: &str) {
    let spec = template.child("spec");
    errors.one_of(&spec, "restartPolicy", &["Always"]);
    if spec.has("activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&spec.at("activeDeadlineSeconds"), detail);
    }
}

/// `ValidateDeploymentStrategy`
fn validate_deployment_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.child("strategy");
    let rolling = strategy.get("rollingUpdate");
    match (strategy.text("type"), rolling) {
        ("Recreate", Some(rolling)) => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            errors.forbidden(&rolling.here(), detail);
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => {
            errors.required(&strategy.at("rollingUpdate"), "this should be defaulted and never be nil");
        }
        ("RollingUpdate", Some(rolling)) => {
            validate_positive_int_or_percent(errors, &rolling, "maxUnavailable");
            validate_positive_int_or_percent(errors, &rolling, "maxSurge");
            if int_or_percent(&rolling, "maxUnavailable") == 0 && int_or_percent(&rolling, "maxSurge") == 0 {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.invalid_value(
                    &rolling.at("maxUnavailable"),
                    zero_or(&rolling, "maxUnavailable"),
                    detail,
                );
            }
            is_not_more_than_100_percent(errors, &rolling, "maxUnavailable");
        }
        _ => {
            let printed = internal_json::compact("internal.DeploymentStrategy", strategy.value());
            let detail = "supported values: \"Recreate\", \"RollingUpdate\"";
            errors.push(crate::api::field::Error::not_supported_printed(&strategy.here(), printed, detail));
        }
    }
}

fn zero_or<'a>(node: &Node<'a>, field: &str) -> &'a Value {
    static ZERO: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::from(0));
    let value = node.raw(field);
    if value.is_null() { &ZERO } else { value }
}

/// `ValidatePositiveIntOrPercent`
pub(super) fn validate_positive_int_or_percent(errors: &mut Errors, node: &Node, field: &'static str) {
    match node.raw(field) {
        Value::String(percent) => errors.each_of(node, field, names::is_valid_percent(percent)),
        other if other.as_i64().unwrap_or_default() < 0 => {
            errors.invalid_value(&node.at(field), other, IS_NEGATIVE);
        }
        _ => {}
    }
}

/// `getPercentValue`
fn percent(node: &Node, field: &str) -> Option<i64> {
    let text = node.given(field).filter(|text| names::is_valid_percent(text).is_empty())?;
    Some(text.trim_end_matches('%').parse().unwrap_or(i64::MAX))
}

/// `getIntOrPercentValue`
fn int_or_percent(node: &Node, field: &str) -> i64 {
    let text = || node.given(field).and_then(|text| text.parse().ok());
    percent(node, field).or_else(|| node.number(field)).or_else(text).unwrap_or_default()
}

/// `IsNotMoreThan100Percent`
pub(super) fn is_not_more_than_100_percent(errors: &mut Errors, node: &Node, field: &'static str) {
    if percent(node, field).is_some_and(|percent| percent > 100) {
        errors.invalid_value(&node.at(field), node.raw(field), "must not be greater than 100%");
    }
}

/// `ValidateDaemonSet`, and `ValidateDaemonSetUpdate` where there is an old one.
pub(super) fn validate_daemon_set(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    validate_immutable_selector(errors, &object.child("spec"), old);
    let mut options = template_options(old, features);
    options.invalid_selector_values |=
        old.is_some_and(|old| has_invalid_label_selector(&old.child("spec"), "selector"));
    let spec = object.child("spec");
    validate_label_selector(errors, &spec, "selector", options.invalid_selector_values);
    let template = spec.child("template");
    let labels = template.child("metadata").raw("labels");
    let selector = Selector::from_label_selector(spec.raw("selector"));
    if selector.is_ok_and(|selector| !selector.matches_labels(Some(labels))) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
    if let Some(selector) = spec.get("selector") {
        validate_selector_not_empty(errors, &selector, "daemonset");
    }
    validate_pod_template_spec(errors, &template, &options);
    validate_always_running(errors, &template, "DaemonSet");
    errors.non_negative(&spec, "minReadySeconds");
    validate_daemon_set_update_strategy(errors, &spec);
    errors.non_negative(&spec, "revisionHistoryLimit");
}

/// `ValidateDaemonSetUpdateStrategy`
fn validate_daemon_set_update_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.child("updateStrategy");
    match (strategy.text("type"), strategy.get("rollingUpdate")) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.required(&strategy.at("rollingUpdate"), ""),
        ("RollingUpdate", Some(rolling)) => {
            for field in ["maxUnavailable", "maxSurge"] {
                validate_positive_int_or_percent(errors, &rolling, field);
            }
            for field in ["maxUnavailable", "maxSurge"] {
                is_not_more_than_100_percent(errors, &rolling, field);
            }
            match (int_or_percent(&rolling, "maxUnavailable"), int_or_percent(&rolling, "maxSurge")) {
                (0, 0) => errors.required(&rolling.at("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
                (0, _) | (_, 0) => {}
                _ => {
                    let detail = "may not be set when maxUnavailable is non-zero";
                    errors.invalid_value(&rolling.at("maxSurge"), rolling.raw("maxSurge"), detail);
                }
            }
        }
        _ => {
            let printed = internal_json::compact("internal.DaemonSetUpdateStrategy", strategy.value());
            let detail = "supported values: \"RollingUpdate\", \"OnDelete\"";
            errors.push(crate::api::field::Error::not_supported_printed(&strategy.here(), printed, detail));
        }
    }
}

/// `ValidateStatefulSet`, and `ValidateStatefulSetUpdate` where there is an old one.
pub(super) fn validate_stateful_set(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, name_is_dns_label);
    let spec = object.child("spec");
    let options = template_options(old, features);
    let skip_template = old.is_some_and(|old| {
        let mut errors = Errors::default();
        validate_stateful_set_spec(&mut errors, &old.child("spec"), true, false, &options);
        !errors.is_empty()
    });
    validate_stateful_set_spec(errors, &spec, old.is_some(), skip_template, &options);
    let Some(before) = old.map(|old| old.child("spec")) else { return };
    let mut munged = spec.value().clone();
    for field in MUTABLE_STATEFUL_SET_FIELDS {
        munged[field] = before.raw(field).clone();
    }
    if !semantically_equal(&munged, before.value()) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                      'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                      'minReadySeconds' are forbidden";
        errors.forbidden(&spec.here(), detail);
    }
}

/// `ValidateStatefulSetSpec`
fn validate_stateful_set_spec(
    errors: &mut Errors,
    spec: &Node,
    update: bool,
    skip_template: bool,
    options: &Options,
) {
    match spec.text("podManagementPolicy") {
        "" => errors.required(&spec.at("podManagementPolicy"), ""),
        "OrderedReady" | "Parallel" => {}
        other => {
            errors.invalid(&spec.at("podManagementPolicy"), other, "must be 'OrderedReady' or 'Parallel'");
        }
    }
    validate_stateful_set_update_strategy(errors, spec);
    if let Some(policy) = spec.get("persistentVolumeClaimRetentionPolicy") {
        for field in ["whenDeleted", "whenScaled"] {
            errors.one_of(&policy, field, &["Retain", "Delete"]);
        }
    }
    if !update {
        for template in spec.items("volumeClaimTemplates") {
            validate_persistent_volume_claim_spec(errors, &template.child("spec"), ClaimOptions::default());
        }
    }
    errors.non_negative(spec, "replicas");
    errors.non_negative(spec, "minReadySeconds");
    if let Some(ordinals) = spec.get("ordinals")
        && ordinals.int("start") < 0
    {
        errors.invalid_int(&spec.at("ordinals.start"), ordinals.int("start"), IS_NEGATIVE);
    }
    if !update && !spec.text("serviceName").is_empty() {
        errors.each_of(spec, "serviceName", names::is_dns1123_label(spec.text("serviceName")));
    }
    validate_required_selector(errors, spec, "statefulset");
    match Selector::from_label_selector(spec.raw("selector")) {
        Err(_) => {
            errors.invalid_typed(&spec.at("selector"), LABEL_SELECTOR, spec.raw("selector"), "");
        }
        Ok(selector) => validate_stateful_set_template(errors, spec, &selector, skip_template, options),
    }
    validate_always_running(errors, &spec.child("template"), "StatefulSet");
}

/// `ValidatePodTemplateSpecForStatefulSet`: the template as it is with the volumes of the claims.
fn validate_stateful_set_template(
    errors: &mut Errors,
    spec: &Node,
    selector: &Selector,
    skip: bool,
    options: &Options,
) {
    let mut value = spec.raw("template").clone();
    if value["spec"].is_object() {
        let claims: Vec<&str> = spec
            .list("volumeClaimTemplates")
            .iter()
            .map(|claim| claim["metadata"]["name"].as_str().unwrap_or_default())
            .collect();
        let pod = &mut value["spec"];
        pod["subdomain"] = Value::Null;
        pod["hostname"] = Value::Null;
        if !claims.is_empty() {
            let mut volumes: Vec<Value> = claims
                .iter()
                .map(|name| crate::value::json!({"name": name, "persistentVolumeClaim": {"claimName": name}}))
                .collect();
            let own = pod["volumes"].as_array().cloned().unwrap_or_default();
            volumes.extend(
                own.into_iter()
                    .filter(|volume| !claims.contains(&volume["name"].as_str().unwrap_or_default())),
            );
            pod["volumes"] = volumes.into();
        }
    }
    let template = Node::new(spec.at("template"), &value);
    validate_selector_matches(errors, selector, &template);
    if !skip {
        validate_pod_template_spec(errors, &template, options);
    }
    let metadata = Node::new(template.here(), template.raw("metadata"));
    validate_labels(errors, &metadata, "labels");
    validate_annotations(errors, &metadata);
    validate_pod_specific_annotations(errors, &metadata, &template.child("spec"), options);
}

fn validate_stateful_set_update_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.child("updateStrategy");
    match (strategy.text("type"), strategy.get("rollingUpdate")) {
        ("", _) => errors.required(&strategy.here(), ""),
        ("OnDelete", Some(rolling)) => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            let name = "internal.RollingUpdateStatefulSetStrategy";
            errors.invalid_typed(&rolling.here(), name, rolling.value(), detail);
        }
        ("RollingUpdate", Some(rolling)) => {
            errors.non_negative(&rolling, "partition");
            if rolling.has("maxUnavailable") {
                validate_positive_int_or_percent(errors, &rolling, "maxUnavailable");
                if int_or_percent(&rolling, "maxUnavailable") == 0 {
                    errors.invalid_value(
                        &rolling.at("maxUnavailable"),
                        rolling.raw("maxUnavailable"),
                        "cannot be 0",
                    );
                }
                is_not_more_than_100_percent(errors, &rolling, "maxUnavailable");
            }
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        _ => {
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            let name = "internal.StatefulSetUpdateStrategy";
            errors.invalid_typed(&strategy.here(), name, strategy.value(), detail);
        }
    }
}

/// `ValidateReplicationController`, and its update where there is an old one.
pub(super) fn validate_replication_controller(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    let options = template_options(old, features);
    let spec = object.child("spec");
    errors.non_negative(&spec, "minReadySeconds");
    if spec.len("selector") == 0 {
        errors.required(&spec.at("selector"), "");
    }
    if spec.has("replicas") {
        errors.non_negative(&spec, "replicas");
    } else {
        errors.required(&spec.at("replicas"), "");
    }
    let Some(template) = spec.get("template") else {
        errors.required(&spec.at("template"), "");
        return;
    };
    let labels = template.child("metadata").raw("labels");
    if !spec.entries("selector").all(|(key, value)| labels.get(key) == Some(value)) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
    validate_pod_template_spec(errors, &template, &options);
    validate_always_running(errors, &template, "ReplicationController");
}

/// `validateControllerRevision`, and that its data is an object and stays what it is.
pub(super) fn validate_controller_revision(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    errors.non_negative(object, "revision");
    match old {
        None if !object.has("data") => errors.required(&object.at("data"), "data is mandatory"),
        None if !object.raw("data").is_object() => {
            errors.required(&object.at("data"), "data must be a valid JSON object");
        }
        Some(old) if old.raw("data") != object.raw("data") => {
            errors.invalid_value(&object.at("data"), object.raw("data"), IMMUTABLE);
        }
        _ => {}
    }
}

/// The counters of a workload's status: not negative, and none above the number of replicas.
pub(super) fn validate_replica_status(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    counters: &[&'static str],
) {
    validate_object_meta_update(errors, object, old);
    let status = object.child("status");
    for field in counters {
        errors.non_negative(&status, field);
    }
    let replicas = status.int("replicas");
    if counters.contains(&"replicas") {
        for field in counters {
            let bounded = field.ends_with("Replicas")
                && !["unavailableReplicas", "terminatingReplicas"].contains(field);
            if bounded && status.int(field) > replicas {
                errors.invalid_int(
                    &status.at(field),
                    status.int(field),
                    "cannot be greater than status.replicas",
                );
            }
        }
        if status.int("availableReplicas") > status.int("readyReplicas") {
            let detail = "cannot be greater than readyReplicas";
            errors.invalid_int(&status.at("availableReplicas"), status.int("availableReplicas"), detail);
        }
    }
}

/// The counters in the status of a kind, in the order in which they are looked at.
pub(super) fn status_counters(kind: &str) -> &'static [&'static str] {
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
        "ReplicaSet" | "ReplicationController" => &[
            "replicas",
            "fullyLabeledReplicas",
            "readyReplicas",
            "availableReplicas",
            "observedGeneration",
            "terminatingReplicas",
        ],
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
