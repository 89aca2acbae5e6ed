//! The spec of an autoscaler of version 1 as the internal version has it: its metrics and its behaviour are in
//! annotations.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go`.

use gotext::value::json;

use crate::validation::node::Node;
use gotext::quantity::Quantity;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, set_if_absent};
use kube_api::{Map, Value};

pub(crate) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
pub(crate) const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The minor of the first release in which a metric of an object with an average has no value of 0.
const FORGETS_ZERO: u32 = 36;

/// Returns the spec of the internal version of a release. Malformed annotations are skipped.
pub(crate) fn internal_spec(object: &Node, profile: &ServerProfile) -> Value {
    let metadata = object.child("metadata");
    let read = |name: &str| -> Option<Value> {
        serde_json::from_str(metadata.raw("annotations").get(name)?.as_str()?).ok()
    };
    let mut spec = object.raw("spec").clone();
    let others = read(METRICS).and_then(|metrics| metrics.as_array()?.iter().map(metric).collect());
    let mut metrics: Vec<Value> = others.unwrap_or_default();
    let percentage = spec.get("targetCPUUtilizationPercentage").filter(|percentage| !percentage.is_null());
    if let Some(percentage) = percentage {
        metrics.push(cpu(percentage));
    }
    if profile.release().minor < FORGETS_ZERO {
        metrics.iter_mut().for_each(keep_zero);
    }
    if metrics.is_empty() {
        metrics.push(cpu(&Value::from(80)));
    }
    if spec.is_object() {
        spec["metrics"] = metrics.into();
        if let Some(behavior) = read(BEHAVIOR) {
            spec["behavior"] = with_json_names(behavior);
            if !profile.enabled(Feature::HPAConfigurableTolerance) {
                for direction in ["scaleUp", "scaleDown"] {
                    if let Some(rules) = spec["behavior"][direction].as_object_mut() {
                        rules.remove("tolerance");
                    }
                }
            }
        }
    }
    spec
}

/// Sets the value of a metric of an object, which `v1` cannot leave out.
fn keep_zero(metric: &mut Value) {
    let target = metric.as_object_mut().and_then(|metric| child_mut(metric, ["object", "target"]));
    if let Some(target) = target {
        set_if_absent(target, "value", "0");
    }
}

pub(crate) fn cpu(percentage: &Value) -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": percentage});
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

/// Returns one metric; nothing if its fields have values of other types.
pub(crate) fn metric(metric: &Value) -> Option<Value> {
    let mut converted = Map::new();
    converted.insert("type".to_owned(), text(metric, "type")?);
    for (field, convert) in SOURCES {
        match metric.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::Object(source)) => {
                converted.insert(field.to_owned(), convert(&Value::Object(source.clone()))?);
            }
            Some(_) => return None,
        }
    }
    Some(Value::Object(converted))
}

type Convert = fn(&Value) -> Option<Value>;

pub(crate) const SOURCES: [(&str, Convert); 5] = [
    ("object", object_source),
    ("pods", pods_source),
    ("resource", resource_source),
    ("containerResource", resource_source),
    ("external", external_source),
];

fn object_source(source: &Value) -> Option<Value> {
    let (value, average) = (amount(source, "targetValue")?, amount(source, "averageValue")?);
    let value = if value.is_null() { Value::from("0") } else { value };
    let target = if average.is_null() {
        json!({"type": "Value", "value": value})
    } else if value == "0" {
        json!({"type": "AverageValue", "averageValue": average})
    } else {
        json!({"type": "AverageValue", "value": value, "averageValue": average})
    };
    let metric = identifier(source, "selector")?;
    Some(json!({"describedObject": source.get("target"), "metric": metric, "target": target}))
}

fn pods_source(source: &Value) -> Option<Value> {
    let average = amount(source, "targetAverageValue")?;
    let average = if average.is_null() { Value::from("0") } else { average };
    let target = json!({"type": "AverageValue", "averageValue": average});
    Some(json!({"metric": identifier(source, "selector")?, "target": target}))
}

fn external_source(source: &Value) -> Option<Value> {
    let (value, average) = (amount(source, "targetValue")?, amount(source, "targetAverageValue")?);
    let kind = if value.is_null() { "AverageValue" } else { "Value" };
    let target = json!({"type": kind, "value": value, "averageValue": average});
    Some(json!({"metric": identifier(source, "metricSelector")?, "target": target}))
}

/// Returns the source of a resource of the pods, or of one of their containers.
fn resource_source(source: &Value) -> Option<Value> {
    let utilization = source.get("targetAverageUtilization").unwrap_or(&Value::Null);
    if !utilization.is_null() && !utilization.is_i64() {
        return None;
    }
    let kind = if utilization.is_null() { "AverageValue" } else { "Utilization" };
    let average = amount(source, "targetAverageValue")?;
    let target = json!({"type": kind, "averageValue": average, "averageUtilization": utilization});
    Some(json!({"name": text(source, "name")?, "container": text(source, "container")?, "target": target}))
}

pub(crate) fn identifier(source: &Value, selector: &str) -> Option<Value> {
    Some(json!({"name": text(source, "metricName")?, "selector": source.get(selector)}))
}

pub(crate) fn text(source: &Value, field: &str) -> Option<Value> {
    match source.get(field) {
        None | Some(Value::Null) => Some(Value::from("")),
        Some(text) => text.is_string().then(|| text.clone()),
    }
}

/// Returns a quantity in its canonical form, `null` if absent; nothing if it is malformed.
pub(crate) fn amount(source: &Value, field: &str) -> Option<Value> {
    let text = match source.get(field) {
        None | Some(Value::Null) => return Some(Value::Null),
        Some(Value::String(text)) => text.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return None,
    };
    Quantity::parse(&text).ok().map(|amount| Value::from(amount.canonical()))
}

/// Converts names to JSON's: the internal type is written under its Go names.
pub(crate) fn with_json_names(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                let mut name = name.to_string();
                if let Some(first) = name.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                (name, with_json_names(value))
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(with_json_names).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::version::Version;

    #[test]
    fn finds_metrics_and_behaviour_in_annotations() {
        let autoscaler = json!({
            "metadata": {"annotations": {
                METRICS: r#"[{"type": "Pods", "pods": {"metricName": "rps", "targetAverageValue": "1000m"}}]"#,
                BEHAVIOR: r#"{"ScaleUp": {"StabilizationWindowSeconds": 0}}"#,
            }},
            "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50},
        });
        let spec = internal_spec(&Node::root(&autoscaler), &ServerProfile::of_release(Version::BINARY, []));
        let target = json!({"type": "AverageValue", "averageValue": "1"});
        let pods = json!({"metric": {"name": "rps", "selector": null}, "target": target});
        assert_eq!(spec["metrics"], json!([{"type": "Pods", "pods": pods}, cpu(&Value::from(50))]));
        assert_eq!(spec["behavior"], json!({"scaleUp": {"stabilizationWindowSeconds": 0}}));
    }

    #[test]
    fn a_metric_of_an_object_had_a_value_of_zero() {
        let metrics = r#"[{"type": "Object", "object": {"targetValue": "0", "averageValue": "5"}}]"#;
        let autoscaler = json!({"metadata": {"annotations": {METRICS: metrics}}, "spec": {"maxReplicas": 3}});
        let target = |minor| {
            let spec = internal_spec(
                &Node::root(&autoscaler),
                &ServerProfile::of_release(Version::minor(minor), []),
            );
            spec["metrics"][0]["object"]["target"].clone()
        };
        let average = json!({"type": "AverageValue", "averageValue": "5"});
        assert_eq!(target(36), average);
        assert_eq!(target(35), json!({"type": "AverageValue", "averageValue": "5", "value": "0"}));
    }
}
