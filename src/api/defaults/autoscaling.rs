//! Horizontal Pod autoscalers.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/autoscaling/{v1,v2}`.

use serde_json::json;

use crate::api::tree::{child, child_mut, has, is_zero, made, remove_key, set, set_if_absent, text};
use crate::api::{Map, Value};

/// Where `autoscaling/v1` keeps what it has no fields for.
const ROUND_TRIP_ANNOTATIONS: [&str; 4] = [
    METRICS_ANNOTATION,
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/behavior",
];
const METRICS_ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/metrics";

/// `autoscaling/v1`: half the CPU, unless other metrics are given in an annotation.
pub(super) fn v1(autoscaler: &mut Map) {
    let mut has_metrics = false;
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in ROUND_TRIP_ANNOTATIONS {
            let Some(annotations) = child(metadata, "annotations") else { break };
            let content = serde_json::from_str::<Value>(text(annotations, annotation));
            let is_empty = match content {
                Ok(Value::Array(items)) => items.is_empty(),
                Ok(Value::Object(fields)) => fields.is_empty(),
                _ => true,
            };
            if is_empty {
                remove_key(metadata, "annotations", annotation);
            } else if annotation == METRICS_ANNOTATION {
                has_metrics = true;
            }
        }
    }
    let spec = made(autoscaler, "spec");
    set_if_absent(spec, "minReplicas", 1);
    if !has_metrics {
        set_if_absent(spec, "targetCPUUtilizationPercentage", 80);
    }
}

/// `autoscaling/v2`
pub(super) fn v2(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in ROUND_TRIP_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
    let spec = made(autoscaler, "spec");
    set_if_absent(spec, "minReplicas", 1);
    if is_zero(spec, "metrics") {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        set(spec, "metrics", json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
    if let Some(behavior) = child_mut(spec, "behavior") {
        let up = made(behavior, "scaleUp");
        set_if_absent(up, "stabilizationWindowSeconds", 0);
        set_if_absent(up, "selectPolicy", "Max");
        if !has(up, "policies") {
            let policies = json!([
                {"type": "Pods", "value": 4, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15}
            ]);
            set(up, "policies", policies);
        }
        let down = made(behavior, "scaleDown");
        set_if_absent(down, "selectPolicy", "Max");
        if !has(down, "policies") {
            set(down, "policies", json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]));
        }
    }
}
