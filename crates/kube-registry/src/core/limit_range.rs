//! Limits and defaults of what Pods and claims in a namespace request.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::defaults::resources;
use crate::strategy::{Scope, Strategy};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, Node};
use crate::validation::resources::{
    is_overcommit_allowed, quantity, validate_container_resource_name, validate_resource_name,
};
use gotext::names;
use gotext::quantity::{Format, Quantity};
use gotext::value::Text;
use kube_api::field::{Error, Path};
use kube_api::tree::{child_mut, child_or_insert, items_mut};
use kube_api::{Map, Value};
use std::collections::BTreeSet;

/// The strategy of `LimitRange`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    names_nameless: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, _, _| validate_limit_range(errors, object)),
    ..Strategy::new("", "LimitRange")
};

/// Sets the defaults of `LimitRange`: the maximum becomes the default limit, and the default limit the default request.
fn set_defaults(range: &mut Map) {
    let Some(spec) = child_mut(range, "spec") else { return };
    for item in items_mut(spec, "limits") {
        if item.text("type") == "Container" {
            fill(item, "default", "max");
            fill(item, "defaultRequest", "default");
            fill(item, "defaultRequest", "min");
        }
        for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            resources::round_up(item, list);
        }
    }
}

/// Copies into `target` the quantities of `source` that it lacks.
fn fill(item: &mut Map, target: &'static str, source: &str) {
    let Some(Value::Object(available)) = item.get(source) else { return };
    let present = item.child(target);
    let missing: Vec<(Text, Value)> = available
        .iter()
        .filter(|(name, _)| present.is_none_or(|present| !present.contains_key(name)))
        .map(|(name, quantity)| (name.clone(), quantity.clone()))
        .collect();
    if !missing.is_empty() {
        child_or_insert(item, target).extend(missing);
    }
}

/// Implements `ValidateLimitRange`; an update is checked like a new one.
fn validate_limit_range(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let mut seen = BTreeSet::new();
    for limit in object.child("spec").items("limits") {
        validate_limit(errors, &limit, &mut seen);
    }
}

fn validate_limit<'a>(errors: &mut Errors, limit: &Node<'a>, seen: &mut BTreeSet<&'a str>) {
    let kind = limit.text("type");
    let messages = names::is_qualified_name(kind);
    if messages.is_empty()
        && !kind.contains('/')
        && !["Pod", "Container", "PersistentVolumeClaim"].contains(&kind)
    {
        errors.invalid(&limit.at("type"), kind, "must be a standard limit type or fully qualified");
    }
    errors.each_of(limit, "type", messages);
    if !seen.insert(kind) {
        errors.duplicate(&limit.at("type"), kind);
    }
    let rule = if ["Pod", "Container"].contains(&kind) {
        validate_container_resource_name
    } else {
        validate_resource_name
    };
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    let mut check = |errors: &mut Errors, field: &'static str| {
        for (name, _) in limit.entries(field) {
            rule(errors, name, &limit.at(field).key(name));
            keys.insert(name);
        }
    };
    check(errors, "max");
    check(errors, "min");
    for field in ["default", "defaultRequest"] {
        if kind != "Pod" {
            check(errors, field);
        } else if limit.len(field) > 0 {
            errors.forbidden(&limit.at(field), "may not be specified when `type` is 'Pod'");
        }
    }
    let storage = |field: &str| limit.raw(field).get("storage").is_some();
    if kind == "PersistentVolumeClaim" && !storage("min") && !storage("max") {
        let detail = "either minimum or maximum storage value is required, but neither was provided";
        errors.required(&limit.at("limits"), detail);
    }
    check(errors, "maxLimitRequestRatio");
    for key in keys {
        validate_limit_amounts(errors, limit, key, kind == "Pod");
    }
}

/// Validates how the amounts of a limit for one resource relate.
fn validate_limit_amounts(errors: &mut Errors, limit: &Node, key: &str, pod: bool) {
    let amount = |field: &str| limit.raw(field).get(key).map(quantity);
    let default_of = |field: &str| amount(field).filter(|_| !pod);
    let (min, max, ratio) = (amount("min"), amount("max"), amount("maxLimitRequestRatio"));
    let (default, request) = (default_of("default"), default_of("defaultRequest"));
    let mut above = |field: &'static str,
                     bad: &Option<Quantity>,
                     pair: (&Option<Quantity>, &Option<Quantity>),
                     what: [&str; 2]| {
        if let ((Some(left), Some(right)), Some(bad)) = (pair, bad)
            && left > right
        {
            let detail = format!(
                "{} value {} is greater than {} value {}",
                what[0],
                left.canonical(),
                what[1],
                right.canonical()
            );
            errors.push(invalid(&limit.at(field).key(key), bad, detail));
        }
    };
    above("min", &min, (&min, &max), ["min", "max"]);
    above("defaultRequest", &request, (&min, &request), ["min", "default request"]);
    above("defaultRequest", &request, (&request, &max), ["default request", "max"]);
    above("defaultRequest", &request, (&request, &default), ["default request", "default limit"]);
    above("default", &min, (&min, &default), ["min", "default"]);
    above("default", &max, (&default, &max), ["default", "max"]);
    if let Some(ratio) = ratio {
        let path = || limit.at("maxLimitRequestRatio").key(key);
        if ratio < Quantity::from_value(1, Format::DecimalSi) {
            errors.push(invalid(&path(), &ratio, format!("ratio {} is less than 1", ratio.canonical())));
        }
        if let (Some(min), Some(max)) = (&min, &max) {
            let bound = max.to_f64() / min.to_f64();
            if ratio.to_f64() > bound {
                let detail = format!("ratio {} is greater than max/min = {bound:.6}", ratio.canonical());
                errors.push(invalid(&path(), &ratio, detail));
            }
        }
    }
    if let (Some(default), Some(request)) = (&default, &request)
        && !is_overcommit_allowed(key)
        && default != request
    {
        let detail = format!(
            "default value {} must equal to defaultRequest value {} in {key}",
            default.canonical(),
            request.canonical()
        );
        errors.push(invalid(&limit.at("defaultRequest").key(key), request, detail));
    }
}

/// Returns the error that a quantity is not allowed.
fn invalid(path: &Path, quantity: &Quantity, detail: String) -> Error {
    let text = quantity.canonical();
    Error::invalid_text(path, &text, detail).about(None, &Value::from(&*text))
}
