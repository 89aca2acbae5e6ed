//! Taints of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::devices;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set, set_if_absent};
use kube_api::{Map, Object};

/// The strategy of `DeviceTaintRule`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta2", "v1alpha3"],
    default_times: Some(set_defaults),
    status: ObjectStatus::Controllers,
    prepared_times: Some(renew_time),
    validate: Some(|errors, object, old, _| devices::taint::validate_device_taint_rule(errors, object, old)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| {
            devices::validate_device_taint_rule_status(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("resource.k8s.io", "DeviceTaintRule")
};

/// Sets the time at which the taint of a `DeviceTaintRule` was added.
fn set_defaults(rule: &mut Map, now: &str) {
    set_if_absent(child_or_insert(child_or_insert(rule, "spec"), "taint"), "timeAdded", now);
}

/// Sets the time of a taint whose effect changes, unless the request changes it.
fn renew_time(rule: &mut Map, old: Option<&Object>, now: &str, _: &ServerProfile) {
    let Some(old) = old.and_then(|old| old.value.as_object()?.child(["spec", "taint"])) else { return };
    let taint = child_or_insert(child_or_insert(rule, "spec"), "taint");
    if taint.text("effect") != old.text("effect") && taint.get("timeAdded") == old.get("timeAdded") {
        set(taint, "timeAdded", now);
    }
}
