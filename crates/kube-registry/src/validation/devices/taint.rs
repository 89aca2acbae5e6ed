//! Taints of devices, and tolerations of them.

use crate::validation::condition::validate_conditions;
use crate::validation::devices::validate_pool_name;
use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_label_name, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_csi_driver_name;
use gotext::names;

const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// Returns the effects that a taint may have.
fn effects(errors: &Errors) -> &'static [&'static str] {
    if errors.since(35) { &EFFECTS } else { &EFFECTS[..2] }
}

/// Runs `ValidateDeviceTaintRule`, and `ValidateDeviceTaintRuleUpdate` if there is an old object.
pub(crate) fn validate_device_taint_rule(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    match old {
        None => validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
    let spec = object.child("spec");
    if let Some(selector) = spec.get("deviceSelector") {
        if selector.has("driver") {
            validate_csi_driver_name(errors, &selector, "driver");
        }
        if selector.has("pool") {
            validate_pool_name(errors, &selector, "pool");
        }
        if let Some(device) = selector.given("device") {
            errors.each_of(&selector, "device", names::is_dns1123_label(device));
        }
    }
    let before = old.map(|old| old.child("spec").child("taint"));
    validate_device_taint(errors, &spec.child("taint"), before.as_ref());
}

/// Implements `validateDeviceTaint`.
pub(crate) fn validate_device_taint(errors: &mut Errors, taint: &Node, old: Option<&Node>) {
    validate_label_name(errors, taint, "key");
    errors.each_of(taint, "value", names::is_valid_label_value(taint.text("value")));
    let is_kept = old.is_some_and(|old| old.text("effect") == taint.text("effect")) && errors.since(35);
    if !is_kept {
        errors.require_one_of(taint, "effect", effects(errors));
    }
}

/// Implements `validateDeviceToleration`.
pub(crate) fn validate_device_toleration(errors: &mut Errors, toleration: &Node) {
    if !toleration.text("key").is_empty() {
        validate_label_name(errors, toleration, "key");
    }
    let value = toleration.text("value");
    match toleration.text("operator") {
        "Exists" if !value.is_empty() => {
            errors.invalid(&toleration.at("value"), value, "must be empty for operator `Exists`");
        }
        "Exists" => {}
        "Equal" => errors.each_of(toleration, "value", names::is_valid_label_value(value)),
        _ => errors.require_one_of(toleration, "operator", &["Equal", "Exists"]),
    }
    if !toleration.text("effect").is_empty() {
        errors.one_of(toleration, "effect", effects(errors));
    }
}

/// Implements `ValidateDeviceTaintRuleStatusUpdate`.
pub(crate) fn validate_device_taint_rule_status(errors: &mut Errors, object: &Node, old: &Node) {
    const MAX_CONDITIONS: usize = 8;
    validate_object_meta_update(errors, object, old);
    validate_conditions(errors, object);
    let status = object.child("status");
    if status.len("conditions") > MAX_CONDITIONS {
        errors.too_many(&status.at("conditions"), status.len("conditions"), MAX_CONDITIONS);
    }
}
