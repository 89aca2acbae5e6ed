//! What autoscalers show.

use crate::serve::table::built_in::{NONE, UNSET, some};
use kube_api::{Map, Object, Value};

const UNKNOWN: &str = "<unknown>";

/// Types of metrics, and the fields with their sources.
const SOURCES: [(&str, &str); 5] = [
    ("External", "external"),
    ("Pods", "pods"),
    ("Object", "object"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];

pub(super) fn reference(scaler: &Object) -> Value {
    let text = |field| scaler.text(["spec", "scaleTargetRef", field]);
    format!("{}/{}", text("kind"), text("name")).into()
}

pub(super) fn least(scaler: &Object) -> Value {
    let least = scaler.at(["spec", "minReplicas"]).and_then(Value::as_i64);
    least.map_or_else(|| UNSET.to_owned(), |least| least.to_string()).into()
}

/// Source: `formatHPAMetrics`
pub(super) fn targets(scaler: &Object) -> Value {
    const MAX: usize = 2;
    if &*scaler.kind.version == "v1" {
        let of = |path: [&'static str; 2]| scaler.at(path).and_then(Value::as_i64);
        let Some(target) = of(["spec", "targetCPUUtilizationPercentage"]) else { return NONE.into() };
        let current = of(["status", "currentCPUUtilizationPercentage"]);
        let current = current.map_or_else(|| UNKNOWN.to_owned(), |current| format!("{current}%"));
        return format!("cpu: {current}/{target}%").into();
    }
    let statuses: Vec<&Map> = scaler.items(["status", "currentMetrics"]).collect();
    let metrics = scaler.items(["spec", "metrics"]).enumerate();
    let metrics: Vec<String> =
        metrics.map(|(position, metric)| target(metric, statuses.get(position).copied())).collect();
    if metrics.is_empty() { NONE.into() } else { some(&metrics, MAX, ", ").into() }
}

fn target(metric: &Map, status: Option<&Map>) -> String {
    let kind = metric.text("type");
    let Some((_, source)) = SOURCES.iter().find(|(own, _)| *own == kind) else {
        return "<unknown type>".to_owned();
    };
    let wanted = |field: &str| metric.at([source, "target", field]).map(shown);
    let current = |field: &str| status.and_then(|status| status.at([source, "current", field])).map(shown);
    let known = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let percent = |text: Option<String>| text.map(|text| format!("{text}%"));
    let average = wanted("averageValue");
    if source.ends_with("esource") {
        let name = metric.text([source, "name"]);
        if let Some(average) = average {
            return format!("{name}: {}/{average}", known(current("averageValue")));
        }
        let wanted = percent(wanted("averageUtilization")).unwrap_or_else(|| "<auto>".to_owned());
        return format!("{name}: {}/{wanted}", known(percent(current("averageUtilization"))));
    }
    match average {
        Some(average) if *source == "pods" => format!("{}/{average}", known(current("averageValue"))),
        Some(average) => format!("{}/{average} (avg)", known(current("averageValue"))),
        None => format!("{}/{}", known(current("value")), wanted("value").unwrap_or_default()),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
