//! Horizontal Pod autoscalers.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/autoscaling/{v1,v2}`.

use gotext::value::json;

use kube_api::tree::{child_mut, child_or_insert, remove_key, set, set_if_absent};
use kube_api::{Map, Value};

/// The annotations in which `autoscaling/v1` keeps what it has no fields for.
pub(crate) const ROUND_TRIP_ANNOTATIONS: [&str; 4] = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];
pub(crate) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
pub(crate) const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
pub(crate) const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
pub(crate) const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The annotations of an autoscaler of `autoscaling/v1` that are its spec.
pub(crate) const SPEC_ANNOTATIONS: [&str; 2] = [METRICS, BEHAVIOR];

/// The annotations of an autoscaler of `autoscaling/v1` that are its status.
pub(crate) const STATUS_ANNOTATIONS: [&str; 2] = [CURRENT_METRICS, CONDITIONS];

/// Sets the target of `autoscaling/v1` to 80 percent of the CPU, unless an annotation has other metrics.
pub(crate) fn v1(autoscaler: &mut Map) {
    let mut has_metrics = false;
    let mut has_current_metrics = false;
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in ROUND_TRIP_ANNOTATIONS {
            let Some(annotations) = metadata.child("annotations") else { break };
            let is_empty = match serde_json::from_str(annotations.text(annotation)) {
                Ok(Value::Array(items)) => items.is_empty(),
                Ok(Value::Object(fields)) => fields.is_empty(),
                _ => true,
            };
            if is_empty {
                remove_key(metadata, "annotations", annotation);
            }
            has_metrics |= !is_empty && annotation == METRICS;
            has_current_metrics |= !is_empty && annotation == CURRENT_METRICS;
        }
    }
    // The internal version has no field for the current CPU: it is one of the current metrics.
    let current = autoscaler.child("status").and_then(|status| status.get("currentCPUUtilizationPercentage"));
    if let Some(percentage) = current.and_then(Value::as_i64)
        && !has_current_metrics
    {
        let metrics = format!(
            "[{{\"type\":\"Resource\",\"resource\":{{\"name\":\"cpu\",\
             \"currentAverageUtilization\":{percentage},\"currentAverageValue\":\"0\"}}}}]"
        );
        set(
            child_or_insert(child_or_insert(autoscaler, "metadata"), "annotations"),
            CURRENT_METRICS,
            metrics,
        );
    }
    let spec = child_or_insert(autoscaler, "spec");
    set_if_absent(spec, "minReplicas", 1);
    if !has_metrics {
        set_if_absent(spec, "targetCPUUtilizationPercentage", 80);
    }
}

/// Sets the defaults of `autoscaling/v2`.
pub(crate) fn v2(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in ROUND_TRIP_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
    let spec = child_or_insert(autoscaler, "spec");
    set_if_absent(spec, "minReplicas", 1);
    if spec.is_zero("metrics") {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        set(spec, "metrics", json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
    if let Some(behavior) = child_mut(spec, "behavior") {
        complete_behavior(behavior);
    }
}

/// Implements `SetDefaults_HorizontalPodAutoscalerBehavior`.
pub(crate) fn complete_behavior(behavior: &mut Map) {
    let up = child_or_insert(behavior, "scaleUp");
    set_if_absent(up, "stabilizationWindowSeconds", 0);
    set_if_absent(up, "selectPolicy", "Max");
    let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    set_policies(up, json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, percent]));
    let down = child_or_insert(behavior, "scaleDown");
    set_if_absent(down, "selectPolicy", "Max");
    set_policies(down, json!([percent]));
}

/// Sets `policies` if there are none. An empty list is set, so it is not defaulted, but the server does not return it.
fn set_policies(rules: &mut Map, policies: Value) {
    if rules.has("policies") && rules.is_zero("policies") {
        rules.remove("policies");
    } else {
        set_if_absent(rules, "policies", policies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::defaulted;

    fn autoscaler(version: &str, mut value: Value) -> Value {
        value["apiVersion"] = json!(format!("autoscaling/{version}"));
        value["kind"] = json!("HorizontalPodAutoscaler");
        defaulted(value)
    }

    #[test]
    fn aims_at_80_percent_of_the_cpu() {
        let v1 = autoscaler("v1", json!({}));
        assert_eq!(v1["spec"], json!({"minReplicas": 1, "targetCPUUtilizationPercentage": 80}));
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        let v2 = autoscaler("v2", json!({}));
        assert_eq!(
            v2["spec"]["metrics"],
            json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}])
        );
        assert_eq!(v2["spec"].get("behavior"), None);
    }

    #[test]
    fn annotations_are_the_other_fields_of_the_old_version() {
        let annotations = json!({METRICS: "[{\"type\":\"Pods\"}]", BEHAVIOR: "nonsense"});
        let v1 = autoscaler("v1", json!({"metadata": {"annotations": annotations}}));
        assert_eq!(v1["spec"], json!({"minReplicas": 1}));
        assert_eq!(v1["metadata"]["annotations"].as_object().map(Map::len), Some(1));
        let v1 = autoscaler("v1", json!({"status": {"currentCPUUtilizationPercentage": 5}}));
        let current = "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":5,\
                       \"currentAverageValue\":\"0\"}}]";
        assert_eq!(v1["metadata"]["annotations"], json!({CURRENT_METRICS: current}));
        let v2 = autoscaler("v2", json!({"metadata": {"annotations": annotations}}));
        assert_eq!(v2["metadata"], json!({}));
    }

    #[test]
    fn behavior_is_completed_on_both_sides() {
        let given = json!({"scaleUp": {"selectPolicy": "Min"}});
        let behavior = autoscaler("v2", json!({"spec": {"behavior": given}}))["spec"]["behavior"].take();
        assert_eq!(behavior["scaleUp"]["selectPolicy"], "Min");
        assert_eq!(behavior["scaleUp"]["stabilizationWindowSeconds"], 0);
        assert_eq!(behavior["scaleUp"]["policies"].as_array().map(Vec::len), Some(2));
        assert_eq!(behavior["scaleDown"].get("stabilizationWindowSeconds"), None);
    }
}
