//! Limits on voluntary disruptions of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy`.

use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::node::{Errors, Node};
use crate::validation::selector::{has_invalid_label_selector, validate_label_selector};
use crate::validation::workload::{is_not_more_than_100_percent, validate_positive_int_or_percent};
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::tree::{child_mut, remove_key};
use kube_api::{Map, Value};

/// The strategy of `PodDisruptionBudget`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&[], BUDGET)],
    validate: Some(|errors, object, old, _| validate_pod_disruption_budget(errors, object, old)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, _, _| {
            validate_conditions(errors, object);
            for field in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
                errors.non_negative(&object.child("status"), field);
            }
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("policy", "PodDisruptionBudget")
};

const BUDGET: &[Fields] =
    &[fields(&[Feature::PDBUnhealthyPodEvictionPolicy], &["spec/unhealthyPodEvictionPolicy"])];

/// Strips, as the conversion does, the label that marked an empty selector in `v1beta1`.
fn set_defaults(budget: &mut Map) {
    const LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let Some(selector) = child_mut(budget, ["spec", "selector"]) else { return };
    let marked = |operator: &str| json!({"matchExpressions": [{"key": LABEL, "operator": operator}]});
    let current = Value::Object(std::mem::take(selector));
    let preserved = current == marked("Exists") || current == marked("DoesNotExist");
    if let Value::Object(current) = current {
        *selector = current;
    }
    if preserved {
        return;
    }
    remove_key(selector, "matchLabels", LABEL);
    if let Some(Value::Array(expressions)) = selector.get_mut("matchExpressions") {
        expressions.retain(|expression| expression.get("key").and_then(Value::as_str) != Some(LABEL));
        if expressions.is_empty() {
            selector.remove("matchExpressions");
        }
    }
}

/// Runs `ValidatePodDisruptionBudget`, which adds no checks of the metadata.
fn validate_pod_disruption_budget(errors: &mut Errors, object: &Node, old: Option<&Node>) {
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
