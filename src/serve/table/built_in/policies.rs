//! What policies, quotas, bindings of roles and API services show.

use crate::serve::table::built_in::{UNSET, condition};
use kube_api::labels::Selector;
use kube_api::{Object, Value, pairs};

pub(super) fn param_kind(policy: &Object) -> Value {
    let text = |field| policy.text(["spec", "paramKind", field]);
    if !policy.has(["spec", "paramKind"]) {
        return UNSET.into();
    }
    format!("{}/{}", text("apiVersion"), text("kind")).into()
}

pub(super) fn param_ref(binding: &Object) -> Value {
    let text = |field| binding.text(["spec", "paramRef", field]);
    match (text("namespace"), text("name")) {
        ("", "") => match binding.at(["spec", "paramRef", "selector"]).map(Selector::from_label_selector) {
            Some(Ok(selector)) => selector.to_string().into(),
            _ => UNSET.into(),
        },
        (_, "") => UNSET.into(),
        // Whether the parameter is in a namespace is not known here.
        ("", name) => format!("*/{name}").into(),
        (namespace, name) => format!("{namespace}/{name}").into(),
    }
}

pub(super) fn role(binding: &Object) -> Value {
    let text = |field| binding.text(["roleRef", field]);
    format!("{}/{}", text("kind"), text("name")).into()
}

/// Returns the subjects of a kind.
pub(super) fn subjects(binding: &Object, kind: &str) -> Value {
    let subjects = binding.items("subjects").filter(|subject| subject.text("kind") == kind);
    let names = subjects.map(|subject| match (kind, subject.text("namespace")) {
        ("ServiceAccount", namespace) if !namespace.is_empty() => {
            format!("{namespace}/{}", subject.text("name"))
        }
        _ => subject.text("name").to_owned(),
    });
    names.collect::<Vec<_>>().join(", ").into()
}

/// Returns a limit of a budget for disruptions.
pub(super) fn limit(budget: &Object, field: &str) -> Value {
    match budget.at(["spec", field]) {
        Some(Value::String(text)) => text.to_string().into(),
        Some(Value::Number(number)) => number.to_string().into(),
        _ => "N/A".into(),
    }
}

/// Returns what a quota allows of limits, or of all the rest.
///
/// Source: `printResourceQuota`
pub(super) fn quota(quota: &Object, is_of_limits: bool) -> Value {
    let used = |name: &str| match quota.at(["status", "used"]).and_then(|used| used.get(name)) {
        Some(Value::String(used)) => used.to_string(),
        _ => "0".to_owned(),
    };
    let hard = pairs(quota.at(["status", "hard"]));
    let hard = hard.filter(|(name, _)| name.starts_with("limits.") == is_of_limits);
    let shown = hard.map(|(name, hard)| format!("{name}: {}/{hard}", used(name)));
    shown.collect::<Vec<_>>().join(", ").into()
}

/// Returns the Service of an API service.
pub(super) fn backend(service: &Object) -> Value {
    let text = |field| service.text(["spec", "service", field]);
    if !service.has(["spec", "service"]) {
        return "Local".into();
    }
    format!("{}/{}", text("namespace"), text("name")).into()
}

pub(super) fn availability(service: &Object) -> Value {
    let Some(condition) = condition(service, "Available") else { return "Unknown".into() };
    match (condition.text("status"), condition.text("reason")) {
        (status @ "True", _) | (status, "") => status.into(),
        (status, reason) => format!("{status} ({reason})").into(),
    }
}
