//! Converts autoscalers of `autoscaling/v1` to `autoscaling/v2`, and back.
//!
//! `v1` has a field for the use of CPU; all other metrics are in an annotation, in their own format.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go`.

mod text;

use gotext::value::json;

use crate::autoscaling::horizontal_pod_autoscaler::defaults::{
    BEHAVIOR, CONDITIONS, CURRENT_METRICS, METRICS, ROUND_TRIP_ANNOTATIONS, complete_behavior,
};
use kube_api::tree::{child_mut, child_or_insert, remove_key, set, set_if_absent};
use kube_api::version::Version;
use kube_api::{Map, Value};

/// Converts an autoscaler of `v1` to `v2`.
pub(crate) fn from_v1(autoscaler: &mut Map) {
    let metrics = take_annotation(autoscaler, METRICS);
    let behavior = take_annotation(autoscaler, BEHAVIOR);
    let current = take_annotation(autoscaler, CURRENT_METRICS);
    let conditions = take_annotation(autoscaler, CONDITIONS);
    let spec = child_or_insert(autoscaler, "spec");
    let mut all: Vec<Value> =
        items(metrics).into_iter().map(|metric| with_targets(metric, "target")).collect();
    if let Some(percentage) = spec.remove("targetCPUUtilizationPercentage") {
        let target = json!({"type": "Utilization", "averageUtilization": percentage});
        all.push(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
    }
    if !all.is_empty() {
        set(spec, "metrics", all);
    }
    if let Some(behavior) = behavior {
        set(spec, "behavior", text::versioned(behavior));
    }
    let status = child_or_insert(autoscaler, "status");
    status.remove("currentCPUUtilizationPercentage");
    let current: Vec<Value> =
        items(current).into_iter().map(|metric| with_targets(metric, "current")).collect();
    if !current.is_empty() {
        set(status, "currentMetrics", current);
    }
    if let Some(conditions) = conditions {
        set(status, "conditions", conditions);
    }
}

/// Converts an autoscaler of `v2` to `v1`.
pub(crate) fn to_v1(autoscaler: &mut Map) {
    let mut annotations: Vec<(&str, String)> = Vec::new();
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        // Those that the user wrote are lost.
        for name in ROUND_TRIP_ANNOTATIONS {
            remove_key(metadata, "annotations", name);
        }
    }
    let spec = child_or_insert(autoscaler, "spec");
    let mut others = Vec::new();
    for metric in items(spec.remove("metrics")) {
        let resource = &metric["resource"];
        let utilization = &resource["target"]["averageUtilization"];
        if metric["type"] == "Resource" && resource["name"] == "cpu" && utilization.is_number() {
            // The first one stays.
            set_if_absent(spec, "targetCPUUtilizationPercentage", utilization.clone());
        } else {
            others.push(without_targets(metric, "target"));
        }
    }
    if !others.is_empty() {
        annotations.push((METRICS, text::of_list(&others)));
    }
    annotations.extend(spec.remove("behavior").map(|behavior| (BEHAVIOR, text::of_behavior(&behavior))));
    if let Some(status) = child_mut(autoscaler, "status") {
        let current = items(status.remove("currentMetrics"));
        let cpu = current.iter().find(|metric| metric["resource"]["name"] == "cpu");
        let percentage = cpu.map(|metric| metric["resource"]["current"]["averageUtilization"].clone());
        if let Some(percentage) = percentage.filter(Value::is_number) {
            set(status, "currentCPUUtilizationPercentage", percentage);
        }
        let current: Vec<_> = current.into_iter().map(|metric| without_targets(metric, "current")).collect();
        if !current.is_empty() {
            annotations.push((CURRENT_METRICS, text::of_list(&current)));
        }
        let conditions = items(status.remove("conditions"));
        if !conditions.is_empty() {
            annotations.push((CONDITIONS, text::of_list(&conditions)));
        }
    }
    for (name, value) in annotations {
        set(child_or_insert(child_or_insert(autoscaler, "metadata"), "annotations"), name, value);
    }
}

/// The first release that stores autoscalers as those of `v2`; before, as those of `v1`.
pub(crate) const IS_STORED_AS_V2: Version = Version::minor(27);

/// The first release whose autoscalers have a tolerance.
pub(crate) const HAS_TOLERANCE: Version = Version::minor(33);

/// Takes the tolerances, which come last, out of the annotation with the behavior.
pub(crate) fn forget_tolerance(autoscaler: &mut Map) {
    replace_tolerance(autoscaler, "");
}

/// Resets the tolerances in the annotation with the behavior.
pub(crate) fn reset_tolerance(autoscaler: &mut Map) {
    replace_tolerance(autoscaler, ",\"Tolerance\":null");
}

fn replace_tolerance(autoscaler: &mut Map, instead: &str) {
    const FIELD: &str = ",\"Tolerance\":";
    let Some(annotations) = child_mut(autoscaler, ["metadata", "annotations"]) else { return };
    let mut rest = annotations.text(BEHAVIOR);
    if !rest.contains(FIELD) {
        return;
    }
    let mut text = String::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once(FIELD) {
        text.push_str(before);
        text.push_str(instead);
        rest = after.find('}').map_or("", |end| &after[end..]);
    }
    text.push_str(rest);
    annotations.insert(BEHAVIOR, text.into());
}

/// Completes an autoscaler of `v1` as it comes back from the storage, where it is one of `v2`: the behavior is in an
/// annotation, unless it says nothing.
pub(crate) fn complete_v1(autoscaler: &mut Map) {
    if autoscaler.child(["metadata", "annotations"]).is_none_or(|annotations| !annotations.has(BEHAVIOR)) {
        return;
    }
    round_trip(autoscaler, complete_behavior);
}

/// Writes an autoscaler of `v1` as it comes back from the storage of a server that stores it as such.
pub(crate) fn write_v1(autoscaler: &mut Map) {
    if autoscaler.child(["metadata", "annotations"]).is_some_and(|annotations| annotations.has(BEHAVIOR)) {
        round_trip(autoscaler, |_| {});
    }
}

fn round_trip(autoscaler: &mut Map, complete: fn(&mut Map)) {
    from_v1(autoscaler);
    let spec = child_or_insert(autoscaler, "spec");
    match child_mut(spec, "behavior").filter(|behavior| !behavior.is_empty()) {
        Some(behavior) => complete(behavior),
        None => drop(spec.remove("behavior")),
    }
    to_v1(autoscaler);
}

/// Converts an autoscaler of `v2beta1` to `v2`.
pub(crate) fn from_v2beta1(autoscaler: &mut Map) {
    convert_metrics(autoscaler, with_targets);
}

/// Converts an autoscaler of `v2` to `v2beta1`.
pub(crate) fn to_v2beta1(autoscaler: &mut Map) {
    convert_metrics(autoscaler, without_targets);
}

fn convert_metrics(autoscaler: &mut Map, convert: fn(Value, &str) -> Value) {
    for (part, field, kind) in [("spec", "metrics", "target"), ("status", "currentMetrics", "current")] {
        let Some(part) = child_mut(autoscaler, part) else { continue };
        let metrics = items(part.remove(field));
        if !metrics.is_empty() {
            let metrics: Vec<Value> = metrics.into_iter().map(|metric| convert(metric, kind)).collect();
            set(part, field, metrics);
        }
    }
}

fn take_annotation(autoscaler: &mut Map, name: &str) -> Option<Value> {
    let metadata = child_mut(autoscaler, "metadata")?;
    let value = serde_json::from_str(metadata.child("annotations")?.text(name)).ok();
    remove_key(metadata, "annotations", name);
    value
}

fn items(list: Option<Value>) -> Vec<Value> {
    match list {
        Some(Value::Array(items)) => items.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Returns the part of a metric that its type names.
fn source_of(metric: &mut Value) -> Option<&mut Map> {
    const SOURCES: [&str; 5] = ["resource", "containerResource", "pods", "object", "external"];
    let map = metric.as_object_mut()?;
    let name = SOURCES.into_iter().find(|name| map.contains_key(name))?;
    map.get_mut(name)?.as_object_mut()
}

/// Returns the flat fields of `v1` as the `target` or `current` of `v2`.
fn with_targets(mut metric: Value, field: &str) -> Value {
    let Some(source) = source_of(&mut metric) else { return metric };
    let mut target = Map::new();
    let flat = [
        ("AverageUtilization", "averageUtilization", "Utilization"),
        ("AverageValue", "averageValue", "AverageValue"),
        ("Value", "value", "Value"),
    ];
    for (suffix, name, of) in flat {
        let average = if suffix == "AverageValue" { source.remove("averageValue") } else { None };
        let Some(value) = source.remove(&format!("{field}{suffix}")).or(average) else { continue };
        target.insert(name.to_owned(), value);
        if field == "target" {
            target.entry("type").or_insert_with(|| of.into());
        }
    }
    let described = source.remove("target");
    if let Some(name) = source.remove("metricName") {
        let mut metric = Map::from_iter([("name".to_owned(), name)]);
        let selector = source.remove("selector").or_else(|| source.remove("metricSelector"));
        metric.extend(selector.map(|selector| ("selector".to_owned(), selector)));
        source.insert("metric".to_owned(), Value::Object(metric));
    }
    source.extend(described.map(|object| ("describedObject".to_owned(), object)));
    source.insert(field.to_owned(), Value::Object(target));
    metric
}

/// Returns the `target` or `current` of `v2` as the flat fields of `v1`.
fn without_targets(mut metric: Value, field: &str) -> Value {
    let (is_external, is_object) = (metric["type"] == "External", metric["type"] == "Object");
    let Some(source) = source_of(&mut metric) else { return metric };
    if let Some(Value::Object(target)) = source.remove(field) {
        for (name, suffix) in [
            ("averageUtilization", "AverageUtilization"),
            ("averageValue", "AverageValue"),
            ("value", "Value"),
        ] {
            let flat = match suffix {
                "AverageValue" if is_object => name.to_owned(),
                _ => format!("{field}{suffix}"),
            };
            source.extend(target.get(name).map(|value| (flat, value.clone())));
        }
    }
    if let Some(Value::Object(mut named)) = source.remove("metric") {
        source.extend(named.remove("name").map(|name| ("metricName".to_owned(), name)));
        let selector = if is_external { "metricSelector" } else { "selector" };
        source.extend(named.remove("selector").map(|value| (selector.to_owned(), value)));
    }
    let described = source.remove("describedObject");
    source.extend(described.map(|object| ("target".to_owned(), object)));
    metric
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts have the fields of the server's types in their order, and those of an internal type by its names.
    #[test]
    fn keeps_what_v1_has_no_fields_for_in_annotations() {
        let cpu = json!({"type": "Utilization", "averageUtilization": 60});
        let memory = json!({"type": "AverageValue", "averageValue": "100Mi"});
        let mut autoscaler = json!({
            "metadata": {"annotations": {"autoscaling.alpha.kubernetes.io/conditions": "mine"}},
            "spec": {
                "maxReplicas": 3,
                "metrics": [
                    {"type": "Resource", "resource": {"name": "cpu", "target": cpu}},
                    {"type": "Resource", "resource": {"name": "memory", "target": memory}},
                ],
                "behavior": {"scaleDown": {
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
                    "stabilizationWindowSeconds": 60,
                }},
            },
        });
        let map = autoscaler.as_object_mut().unwrap();
        let before = map.clone();
        to_v1(map);
        assert_eq!(json!(map["spec"]), json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 60}));
        assert_eq!(
            json!(map["metadata"]["annotations"]),
            json!({
                "autoscaling.alpha.kubernetes.io/behavior":
                    "{\"ScaleUp\":null,\"ScaleDown\":{\"StabilizationWindowSeconds\":60,\"SelectPolicy\":null,\
                     \"Policies\":[{\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],\"Tolerance\":null}}",
                "autoscaling.alpha.kubernetes.io/metrics":
                    "[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"100Mi\"}}]",
            })
        );
        from_v1(map);
        let mut doubled = map.clone();
        let cpu = json!({"type": "Utilization", "averageUtilization": 70});
        let cpu = json!({"type": "Resource", "resource": {"name": "cpu", "target": cpu}});
        doubled["spec"]["metrics"].as_array_mut().unwrap().push(cpu);
        to_v1(&mut doubled);
        assert_eq!(doubled["spec"]["targetCPUUtilizationPercentage"], 60);
        from_v1(&mut doubled);
        assert_eq!(doubled["spec"]["metrics"], map["spec"]["metrics"]);
        assert_eq!(json!(map["spec"]["behavior"]), json!(before["spec"]["behavior"]));
        let names: Vec<_> = map["spec"]["metrics"].as_array().unwrap().iter().collect();
        assert_eq!(names.len(), 2);
        // Those of the annotation come first.
        assert_eq!(
            (&names[0]["resource"]["name"], &names[1]["resource"]["name"]),
            (&json!("memory"), &json!("cpu"))
        );
    }
}
