//! Disruption budgets and runtime classes.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/policy/validation`, `k8s.io/kubernetes/pkg/apis/node/validation`.

use std::collections::BTreeSet;

use super::core::validate_meta;
use super::metadata::{Scope, name_is_dns_label, name_is_dns_subdomain, validate_labels};
use super::node::{Errors, IMMUTABLE, Node};
use super::pod::{Options, validate_tolerations};
use super::resources::{validate_container_resource_name, validate_resource_requirements};
use super::selector::{has_invalid_label_selector, validate_label_selector};
use super::workload::{is_not_more_than_100_percent, validate_positive_int_or_percent};
use crate::api::features::FeatureGates;

/// `ValidatePodDisruptionBudget`: its metadata is only checked as that of every object is.
pub(super) fn validate_pod_disruption_budget(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        let detail = "minAvailable and maxUnavailable cannot be both set";
        errors.invalid_typed(&spec.here(), "internal.PodDisruptionBudgetSpec", spec.value(), detail);
    }
    for field in ["minAvailable", "maxUnavailable"] {
        if spec.has(field) {
            validate_positive_int_or_percent(errors, &spec, field);
            is_not_more_than_100_percent(errors, &spec, field);
        }
    }
    let lenient = old.is_some_and(|old| has_invalid_label_selector(&old.child("spec"), "selector"));
    validate_label_selector(errors, &spec, "selector", lenient);
    errors.optional_one_of(&spec, "unhealthyPodEvictionPolicy", &["AlwaysAllow", "IfHealthyBudget"]);
}

/// `ValidateRuntimeClass`, and `ValidateRuntimeClassUpdate` where there is an old one.
pub(super) fn validate_runtime_class(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    if let Some(old) = old {
        if object.text("handler") != old.text("handler") {
            errors.invalid(&object.at("handler"), object.text("handler"), IMMUTABLE);
        }
        return;
    }
    if errors.require_text(object, "handler") {
        errors.each_of(object, "handler", name_is_dns_label(object.text("handler"), false));
    }
    let options = Options { comparison_operators: false, ..Options::new(features, None) };
    if let Some(overhead) = object.get("overhead") {
        let limits = crate::value::json!({ "limits": overhead.raw("podFixed") });
        let requirements = Node::new(overhead.here(), &limits);
        let none = BTreeSet::new();
        validate_resource_requirements(
            errors,
            &requirements,
            validate_container_resource_name,
            &none,
            &options,
        );
    }
    let Some(scheduling) = object.get("scheduling") else { return };
    validate_labels(errors, &scheduling, "nodeSelector");
    validate_tolerations(errors, scheduling.items("tolerations"), options.comparison_operators);
    let mut seen = BTreeSet::new();
    for toleration in scheduling.items("tolerations") {
        let text = |field: &str| toleration.text(field);
        if !seen.insert([text("key"), text("operator"), text("value"), text("effect")]) {
            errors.duplicate_typed(&toleration.here(), "internal.Toleration", toleration.value(), "");
        }
    }
}
