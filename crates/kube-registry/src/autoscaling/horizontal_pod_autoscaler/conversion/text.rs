//! The JSON of an autoscaler's annotations, as Go writes it: fields in the order of their types.
//!
//! Source: `k8s.io/api/autoscaling/v1` (`MetricSpec`, `MetricStatus`), `k8s.io/kubernetes/pkg/apis/autoscaling`
//! (`HorizontalPodAutoscalerBehavior`).

use gotext::encoding_json;
use kube_api::{Map, Value, internal_json};

/// The fields of metrics and conditions, in an order that agrees with that of each type.
const ORDER: [&str; 30] = [
    "type",
    "status",
    "lastTransitionTime",
    "reason",
    "message",
    "object",
    "pods",
    "resource",
    "containerResource",
    "external",
    "kind",
    "target",
    "metricName",
    "metricSelector",
    "name",
    "apiVersion",
    "targetValue",
    "currentValue",
    "targetAverageUtilization",
    "currentAverageUtilization",
    "targetAverageValue",
    "currentAverageValue",
    "container",
    "selector",
    "averageValue",
    "matchLabels",
    "matchExpressions",
    "key",
    "operator",
    "values",
];

/// Returns the text of metrics or conditions.
pub(super) fn of_list(items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(ordered).collect();
    format!("[{}]", items.join(","))
}

fn ordered(value: &Value) -> String {
    match value {
        Value::Array(items) => of_list(&items.iter().cloned().collect::<Vec<_>>()),
        Value::Object(map) => {
            let position = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
            let mut entries: Vec<(&str, &Value)> =
                map.iter().map(|(name, value)| (name.as_str(), value)).collect();
            entries.sort_by_key(|(name, _)| position(name));
            // Labels have names of their own.
            let text = |name: &str, value: &Value| match name {
                "matchLabels" => encoding_json::to_string(value),
                _ => ordered(value),
            };
            let entries: Vec<String> =
                entries.iter().map(|(name, value)| format!("\"{name}\":{}", text(name, value))).collect();
            format!("{{{}}}", entries.join(","))
        }
        value => encoding_json::to_string(value),
    }
}

/// Returns the text of `behavior` by the names of the internal type, which leaves nothing out.
pub(super) fn of_behavior(behavior: &Value) -> String {
    internal_json::internal("autoscaling/v2.HorizontalPodAutoscalerBehavior", behavior)
}

/// Returns `value`, read from the text of the internal type, by the names of the versioned one.
pub(super) fn versioned(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::from(items.iter().cloned().map(versioned).collect::<Vec<_>>()),
        Value::Object(map) => {
            let fields = map.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
                let (first, rest) = name.as_str().split_at(name.chars().next().map_or(0, char::len_utf8));
                (format!("{}{rest}", first.to_lowercase()), versioned(value.clone()))
            });
            Value::Object(fields.collect::<Map>())
        }
        value => value,
    }
}
