//! Events, which two groups have with differently named fields.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/validation/events.go`.

use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::field::{Error, Path};
use kube_api::{Map, Value};

/// The names that a group has for the core group's fields, and its strictness.
pub(crate) struct Names {
    involved_object: &'static str,
    message: &'static str,
    source: &'static str,
    first_timestamp: &'static str,
    last_timestamp: &'static str,
    count: &'static str,
    reporting_controller: &'static str,
    strict: bool,
}

const CORE: Names = Names {
    involved_object: "involvedObject",
    message: "message",
    source: "source",
    first_timestamp: "firstTimestamp",
    last_timestamp: "lastTimestamp",
    count: "count",
    reporting_controller: "reportingComponent",
    strict: false,
};

const EVENTS: Names = Names {
    involved_object: "regarding",
    message: "note",
    source: "deprecatedSource",
    first_timestamp: "deprecatedFirstTimestamp",
    last_timestamp: "deprecatedLastTimestamp",
    count: "deprecatedCount",
    reporting_controller: "reportingController",
    strict: true,
};

/// Runs `ValidateEventCreate`, and `ValidateEventUpdate` if there is an old object. Errors name fields as the core
/// group does, in every group.
pub(crate) fn validate_event(errors: &mut Errors, object: &Node, old: Option<&Node>, group: &str) {
    let names = if group.is_empty() { CORE } else { EVENTS };
    legacy_validate_event(errors, object, &names);
    match old {
        _ if !names.strict => {}
        None => validate_strictly(errors, object, &names),
        Some(old) => validate_unchanged(errors, object, old, &names),
    }
}

/// Implements `legacyValidateEvent`.
fn legacy_validate_event(errors: &mut Errors, object: &Node, names: &Names) {
    let namespace = object.child("metadata").text("namespace");
    let involved = object.child(names.involved_object).text("namespace");
    let is_new = object.has("eventTime");
    let agrees = match (is_new, involved) {
        (false, "") => ["", "default"].contains(&namespace),
        (false, involved) => namespace == involved,
        (true, "") => ["default", "kube-system"].contains(&namespace),
        (true, _) => true,
    };
    if !agrees {
        let path = Path::new("involvedObject.namespace");
        errors.invalid(&path, involved, "does not match event.namespace");
    }
    if is_new {
        let controller = object.text(names.reporting_controller);
        let path = Path::new(names.reporting_controller);
        if controller.is_empty() {
            errors.required(&path, "");
        }
        errors.each(|| path, controller, names::is_qualified_name(controller));
        for field in ["reportingInstance", "action", "reason"] {
            errors.require_text(object, field);
            limit_length(errors, &Path::new(field), object.text(field), 128);
        }
        limit_length(errors, &Path::new("message"), object.text(names.message), 1024);
    }
    errors.each(|| Path::new("namespace"), namespace, names::is_dns1123_subdomain(namespace));
}

fn limit_length(errors: &mut Errors, path: &Path, text: &str, limit: usize) {
    if text.len() > limit {
        errors.invalid(path, "", format!("can have at most {limit} characters"));
    }
}

/// Validates what `events.k8s.io/v1` requires of a new event.
fn validate_strictly(errors: &mut Errors, object: &Node, names: &Names) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_series(errors, object);
    if !object.has("eventTime") {
        errors.required(&object.at("eventTime"), "");
    }
    let kind = object.text("type");
    if !["Normal", "Warning"].contains(&kind) {
        errors.invalid(&object.at("type"), "", format!("has invalid value: {kind}"));
    }
    let source = object.child(names.source);
    let unset = [
        ("firstTimestamp", !object.has(names.first_timestamp)),
        ("lastTimestamp", !object.has(names.last_timestamp)),
        ("count", object.int(names.count) == 0),
        ("source", source.text("component").is_empty() && source.text("host").is_empty()),
    ];
    for (field, _) in unset.into_iter().filter(|(_, unset)| !unset) {
        errors.invalid(&Path::new(field), "", "needs to be unset");
    }
}

/// Implements `validateV1EventSeries`.
fn validate_series(errors: &mut Errors, object: &Node) {
    let Some(series) = object.get("series") else { return };
    if series.int("count") < 2 {
        errors.invalid(&series.at("count"), "", "should be at least 2");
    }
    if !series.has("lastObservedTime") {
        errors.required(&series.at("lastObservedTime"), "");
    }
}

/// Checks that an update changes only what `events.k8s.io/v1` allows: the series and some metadata.
pub(crate) fn validate_unchanged(errors: &mut Errors, object: &Node, old: &Node, names: &Names) {
    const REFERENCE: &str = "core/v1.ObjectReference";
    const TEXTS: [&str; 4] = ["reason", "type", "action", "reportingInstance"];
    validate_object_meta_update(errors, object, old);
    if object.raw("series") != old.raw("series") {
        validate_series(errors, object);
    }
    let fields: [(&'static str, &'static str, &'static str); 14] = [
        ("involvedObject", names.involved_object, REFERENCE),
        ("reason", "reason", ""),
        ("message", names.message, ""),
        ("source", names.source, "core/v1.EventSource"),
        ("firstTimestamp", names.first_timestamp, "core/v1.Event#firstTimestamp"),
        ("lastTimestamp", names.last_timestamp, "core/v1.Event#lastTimestamp"),
        ("count", names.count, ""),
        ("reason", "reason", ""),
        ("type", "type", ""),
        ("eventTime", "eventTime", "core/v1.Event#eventTime"),
        ("action", "action", ""),
        ("related", "related", REFERENCE),
        ("reportingController", names.reporting_controller, ""),
        ("reportingInstance", "reportingInstance", ""),
    ];
    for (path, field, type_name) in fields {
        // This one is a pointer, which distinguishes nothing from an empty reference.
        let is_set_anew = field == "related" && object.has(field) != old.has(field);
        if plainly_equal(object.raw(field), old.raw(field)) && !is_set_anew {
            continue;
        }
        let path = Path::new(path);
        match object.raw(field) {
            Value::Null if field == names.count => errors.invalid_int(&path, 0, IMMUTABLE),
            Value::Null
                if TEXTS.contains(&field)
                    || field == names.message
                    || field == names.reporting_controller =>
            {
                errors.invalid(&path, "", IMMUTABLE);
            }
            Value::Null if field == names.involved_object || field == names.source => {
                errors.invalid_internal(&path, type_name, &Value::Object(Map::new()), IMMUTABLE);
            }
            value if type_name.contains('#') => {
                errors.push(Error::invalid(&path, value, IMMUTABLE).about(Some(type_name), value));
            }
            value @ Value::Object(_) => errors.invalid_internal(&path, type_name, value, IMMUTABLE),
            value => errors.invalid_value(&path, value, IMMUTABLE),
        }
    }
}
