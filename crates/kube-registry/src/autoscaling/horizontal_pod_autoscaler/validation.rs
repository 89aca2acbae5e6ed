//! Horizontal pod autoscalers.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/autoscaling/validation`.

mod version_one;

use crate::older_releases::container_metrics;
use crate::validation::core::validate_meta;
use crate::validation::metadata::{Scope, name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::resources::{
    quantity, validate_container_resource_name, validate_non_negative_quantity,
};
use gotext::names;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Error;
use kube_api::server_profile::ServerProfile;

/// The sources of a metric in the order in which they are checked: the field and the type that requires it.
pub(crate) const SOURCES: [(&str, &str); 5] = [
    ("object", "Object"),
    ("external", "External"),
    ("pods", "Pods"),
    ("resource", "Resource"),
    ("containerResource", "ContainerResource"),
];
/// `validMetricSourceTypes.List()`
const METRIC_TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/// Returns the types that a metric may have.
fn metric_types(errors: &Errors) -> &'static [&'static str] {
    if errors.since(20) { &METRIC_TYPES } else { &METRIC_TYPES[1..] }
}

/// Runs `ValidateHorizontalPodAutoscaler`, and its update if there is an old object.
pub(crate) fn validate_horizontal_pod_autoscaler(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let mut spec = object.child("spec");
    // Defaulting adds metrics to every autoscaler of version 2.
    let internal = (!spec.has("metrics")).then(|| version_one::internal_spec(object, profile));
    if let Some(internal) = &internal {
        spec = Node::new(spec.here(), internal);
    }
    let before = old.map(|old| old.child("spec"));
    let zero_before = before.as_ref().is_some_and(|before| before.number("minReplicas") == Some(0));
    let lowest = i64::from(!profile.enabled(Feature::HPAScaleToZero) && !zero_before);
    let (min, max) = (spec.number("minReplicas"), spec.int("maxReplicas"));
    if let Some(min) = min.filter(|min| *min < lowest) {
        let detail = if lowest == 1 && !errors.since(16) {
            "must be greater than 0".to_owned()
        } else {
            format!("must be greater than or equal to {lowest}")
        };
        errors.invalid_int(&spec.at("minReplicas"), min, detail);
    }
    if max < 1 && !errors.since(36) {
        errors.invalid_int(&spec.at("maxReplicas"), max, "must be greater than 0");
    } else if max == 0 {
        errors.required(&spec.at("maxReplicas"), "must be set and greater than 0");
    } else if max < 0 {
        errors.invalid_int(&spec.at("maxReplicas"), max, "must be greater than or equal to 1");
    }
    if min.is_some_and(|min| max < min) {
        let detail = "must be greater than or equal to `minReplicas`";
        errors.invalid_int(&spec.at("maxReplicas"), max, detail);
    }
    let target = spec.child("scaleTargetRef");
    let kept = before.map(|before| before.child("scaleTargetRef")).is_some_and(|before| {
        ["apiVersion", "kind"].iter().all(|field| before.text(field) == target.text(field))
    });
    let group = if kept {
        ApiGroup::Whatever
    } else if target.text("kind") == "ReplicationController" {
        ApiGroup::MayBeEmpty
    } else {
        ApiGroup::Given
    };
    validate_cross_version_object_reference(errors, &target, group);
    validate_metrics(errors, &spec, described_by(old, profile), profile);
    if let Some(behavior) = spec.get("behavior") {
        for field in ["scaleUp", "scaleDown"] {
            if let Some(rules) = behavior.get(field) {
                validate_scaling_rules(errors, &rules);
            }
        }
    }
}

/// Implements `ValidateHorizontalPodAutoscalerStatusUpdate`.
pub(crate) fn validate_autoscaler_status_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    for field in ["currentReplicas", "desiredReplicas"] {
        errors.non_negative(&object.child("status"), field);
    }
}

/// The requirement on the `apiVersion` of a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApiGroup {
    Given,
    MayBeEmpty,
    Whatever,
}

/// Implements `ValidateCrossVersionObjectReference`.
fn validate_cross_version_object_reference(errors: &mut Errors, reference: &Node, group: ApiGroup) {
    for field in ["kind", "name"] {
        if errors.require_text(reference, field) {
            errors.each_of(reference, field, names::is_path_segment_name(reference.text(field)));
        }
    }
    let version = reference.text("apiVersion");
    let detail = match (version.matches('/').count(), group) {
        (0 | 1, ApiGroup::Given) if version.split_once('/').is_none_or(|(group, _)| group.is_empty()) => {
            "apiVersion must specify API group".to_owned()
        }
        (0 | 1, _) | (_, ApiGroup::Whatever) => return,
        _ => format!("unexpected GroupVersion string: {version}"),
    };
    if errors.since(34) {
        errors.invalid(&reference.at("apiVersion"), version, detail);
    }
}

/// Returns what the objects that metrics describe must name: any version, if the metrics are invalid already.
fn described_by(old: Option<&Node>, profile: &ServerProfile) -> ApiGroup {
    let is_invalid = |metric: &Node| {
        metric.text("type") == "Object"
            && metric.child("object").child("describedObject").text("apiVersion").matches('/').count() > 1
    };
    let internal = old.filter(|old| !old.child("spec").has("metrics"));
    let internal = internal.map(|old| version_one::internal_spec(old, profile));
    let before = match (&internal, old) {
        (Some(internal), _) => Node::root(internal),
        (None, Some(old)) => old.child("spec"),
        (None, None) => return ApiGroup::MayBeEmpty,
    };
    if before.items("metrics").any(|metric| is_invalid(&metric)) {
        ApiGroup::Whatever
    } else {
        ApiGroup::MayBeEmpty
    }
}

/// Implements `validateMetrics`; `described` is the requirement on objects that metrics describe.
fn validate_metrics(errors: &mut Errors, spec: &Node, described: ApiGroup, profile: &ServerProfile) {
    let mut reaches_zero = false;
    for metric in spec.items("metrics") {
        validate_metric(errors, &metric, described, profile);
        reaches_zero |= ["Object", "External"].contains(&metric.text("type"));
    }
    if spec.number("minReplicas") == Some(0) && !reaches_zero {
        let detail =
            "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.forbidden(&spec.at("metrics"), detail);
    }
}

/// Implements `validateMetricSpec`.
fn validate_metric(errors: &mut Errors, metric: &Node, described: ApiGroup, profile: &ServerProfile) {
    let kind = metric.text("type");
    if kind.is_empty() {
        errors.required(&metric.at("type"), "must specify a metric source type");
    }
    errors.one_of(metric, "type", metric_types(errors));
    let mut present = Vec::new();
    for (field, _) in SOURCES {
        if let Some(source) = metric.get(field) {
            if present.is_empty() {
                validate_metric_source(errors, field, &source, described);
            }
            present.push(field);
        }
    }
    let expected = SOURCES.iter().find(|(_, known)| *known == kind).map(|(field, _)| *field);
    match expected {
        Some(field) if !metric.has(field) => {
            // The gate that was off was named.
            let gate = if field == "containerResource" && container_metrics::are_off(profile) {
                " (only allowed when HPAContainerMetrics feature is enabled)"
            } else {
                ""
            };
            let detail = format!("must populate information for the given metric source{gate}");
            errors.required(&metric.at(field), detail);
        }
        Some(_) => {}
        None => errors.one_of(metric, "type", metric_types(errors)),
    }
    if present.len() > 1 {
        present.sort_unstable();
        for field in present.into_iter().filter(|field| Some(*field) != expected) {
            errors.forbidden(&metric.at(field), "must populate the given metric source only");
        }
    }
}

fn validate_metric_source(errors: &mut Errors, kind: &str, source: &Node, described: ApiGroup) {
    match kind {
        "object" => {
            validate_cross_version_object_reference(errors, &source.child("describedObject"), described);
            validate_metric_identifier(errors, source);
        }
        "external" | "pods" => validate_metric_identifier(errors, source),
        _ => validate_resource_metric(errors, kind, source),
    }
    let target = source.child("target");
    validate_metric_target(errors, &target);
    let (value, average) = (target.has("value"), target.has("averageValue"));
    let path = || target.at("averageValue");
    match kind {
        "object" if !value && !average => {
            errors.required(&path(), "must set either a target value or averageValue");
        }
        "external" if !value && !average => {
            let detail = "must set either a target value for metric or a per-pod target";
            errors.required(&path(), detail);
        }
        "external" if value && average => {
            let detail = "may not set both a target value for metric and a per-pod target";
            errors.forbidden(&target.at("value"), detail);
        }
        "pods" if !average => errors.required(&path(), "must specify a positive target averageValue"),
        "resource" | "containerResource" => {
            let utilization = target.has("averageUtilization");
            if !utilization && !average {
                let detail = "must set either a target raw value or a target utilization";
                errors.required(&target.at("averageUtilization"), detail);
            } else if utilization && average {
                errors.forbidden(&path(), "may not set both a target raw value and a target utilization");
            }
        }
        _ => {}
    }
}

fn validate_resource_metric(errors: &mut Errors, kind: &str, source: &Node) {
    let container = kind == "containerResource";
    if source.text("name").is_empty() {
        errors.required(&source.at("name"), "must specify a resource name");
    } else if container {
        validate_container_resource_name(errors, source.text("name"), &source.at("name"));
    }
    if container {
        if source.text("container").is_empty() {
            errors.required(&source.at("container"), "must specify a container");
        } else {
            errors.each_of(source, "container", names::is_dns1123_label(source.text("container")));
        }
    }
}

/// Implements `validateMetricIdentifier`.
fn validate_metric_identifier(errors: &mut Errors, source: &Node) {
    let metric = source.child("metric");
    if metric.text("name").is_empty() {
        errors.required(&metric.at("name"), "must specify a metric name");
    } else {
        errors.each_of(&metric, "name", names::is_path_segment_name(metric.text("name")));
    }
}

/// Implements `validateMetricTarget`.
fn validate_metric_target(errors: &mut Errors, target: &Node) {
    let kind = target.text("type");
    if kind.is_empty() {
        errors.required(&target.at("type"), "must specify a metric target type");
    }
    if !["Utilization", "Value", "AverageValue"].contains(&kind) {
        errors.invalid(&target.at("type"), kind, "must be either Utilization, Value, or AverageValue");
    }
    for field in ["value", "averageValue"] {
        if target.has(field) && quantity(target.raw(field)).sign() != 1 {
            let printed = quote(&quantity(target.raw(field)).canonical());
            let error = Error::invalid_printed(&target.at(field), printed, "must be positive");
            errors.push(error.about(Some("core/v1.ResourceFieldSelector#divisor"), target.raw(field)));
        }
    }
    if let Some(utilization) = target.number("averageUtilization").filter(|utilization| *utilization < 1) {
        errors.invalid_int(&target.at("averageUtilization"), utilization, "must be greater than 0");
    }
}

/// Implements `validateScalingRules`.
fn validate_scaling_rules(errors: &mut Errors, rules: &Node) {
    if let Some(window) = rules.number("stabilizationWindowSeconds") {
        let path = || rules.at("stabilizationWindowSeconds");
        if window < 0 {
            errors.invalid_int(&path(), window, "must be greater than or equal to zero");
        }
        if window > 3600 {
            errors.invalid_int(&path(), window, "must be less than or equal to 3600");
        }
    }
    errors.optional_one_of(rules, "selectPolicy", &["Disabled", "Max", "Min"]);
    if rules.len("policies") == 0 {
        errors.required(&rules.at("policies"), "must specify at least one Policy");
    }
    for policy in rules.items("policies") {
        errors.one_of(&policy, "type", &["Percent", "Pods"]);
        errors.positive(&policy, "value");
        errors.positive(&policy, "periodSeconds");
        if policy.int("periodSeconds") > 1800 {
            let detail = "must be less than or equal to 1800";
            errors.invalid_int(&policy.at("periodSeconds"), policy.int("periodSeconds"), detail);
        }
    }
    if rules.has("tolerance") && errors.since(33) {
        let tolerance = quantity(rules.raw("tolerance"));
        validate_non_negative_quantity(errors, &tolerance, &rules.at("tolerance"));
    }
}
