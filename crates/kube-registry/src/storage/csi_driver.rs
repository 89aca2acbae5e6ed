//! Drivers of volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::warnings::Warnings;
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set, set_if_absent};
use kube_api::{Map, Object, Value};
use std::collections::BTreeSet;

/// The strategy of `CSIDriver`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    gated: &[Gated::Below(&[], CSI_DRIVER)],
    validate: Some(|errors, object, old, context| {
        validate_csi_driver(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    ..Strategy::new("storage.k8s.io", "CSIDriver")
};

const CSI_DRIVER: &[Fields] = &[
    fields(&[Feature::VolumeLimitScaling], &["spec/preventPodSchedulingIfMissing"]),
    fields(&[Feature::SELinuxMountReadWriteOncePod], &["spec/seLinuxMount"]),
    fields(&[Feature::MutableCSINodeAllocatableCount], &["spec/nodeAllocatableUpdatePeriodSeconds"]),
];

fn warnings(driver: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    const REQUESTS: &[&str] = &["spec", "tokenRequests"];
    if let Some(Value::Object(spec)) = driver.at("spec")
        && !spec.is_zero("tokenRequests")
        && old.is_none_or(|old| driver.at(REQUESTS) != old.at(REQUESTS))
    {
        csi_driver(spec, warnings);
    }
}

/// Sets the defaults of `CSIDriver`.
fn set_defaults(driver: &mut Map, profile: &ServerProfile) {
    let spec = child_or_insert(driver, "spec");
    set_if_absent(spec, "attachRequired", true);
    set_if_absent(spec, "podInfoOnMount", false);
    set_if_absent(spec, "storageCapacity", false);
    set_if_absent(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if spec.is_zero("volumeLifecycleModes") {
        set(spec, "volumeLifecycleModes", json!(["Persistent"]));
    }
    set_if_absent(spec, "requiresRepublish", false);
    if profile.enabled(Feature::SELinuxMountReadWriteOncePod) {
        set_if_absent(spec, "seLinuxMount", false);
    }
    if profile.enabled(Feature::VolumeLimitScaling) {
        set_if_absent(spec, "preventPodSchedulingIfMissing", false);
    }
}

/// Runs `ValidateCSIDriver`, and `ValidateCSIDriverUpdate` if there is an old object.
fn validate_csi_driver(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    for (field, printed) in [
        ("attachRequired", "attachedRequired"),
        ("podInfoOnMount", "podInfoOnMount"),
        ("storageCapacity", "storageCapacity"),
    ] {
        if !spec.has(field) {
            errors.required(&spec.at(printed), "");
        }
    }
    errors.optional_one_of(&spec, "fsGroupPolicy", &["File", "None", "ReadWriteOnceWithFSType"]);
    let mut audiences = BTreeSet::new();
    for request in spec.items("tokenRequests") {
        if !audiences.insert(request.text("audience")) {
            errors.duplicate(&request.at("audience"), request.text("audience"));
            continue;
        }
        let Some(seconds) = request.number("expirationSeconds") else { continue };
        let path = || request.at("expirationSeconds");
        if seconds < 600 {
            errors.invalid_int(&path(), seconds, "may not specify a duration less than 10 minutes");
        }
        if seconds > 1 << 32 {
            errors.invalid_int(&path(), seconds, "may not specify a duration larger than 2^32 seconds");
        }
    }
    for mode in spec.texts("volumeLifecycleModes") {
        if !["Persistent", "Ephemeral"].contains(&mode) {
            errors.not_supported(&spec.at("volumeLifecycleModes"), mode, &["Persistent", "Ephemeral"]);
        }
    }
    if profile.enabled(Feature::SELinuxMountReadWriteOncePod) && !spec.has("seLinuxMount") {
        errors.required(&spec.at("seLinuxMount"), "");
    }
    if let Some(period) = spec.number("nodeAllocatableUpdatePeriodSeconds").filter(|period| *period < 10) {
        let detail = "must be greater than or equal to 10 seconds";
        errors.invalid_int(&spec.at("nodeAllocatableUpdatePeriodSeconds"), period, detail);
    }
    if spec.has("serviceAccountTokenInSecrets") && spec.len("tokenRequests") == 0 {
        let path = spec.at("serviceAccountTokenInSecrets");
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid_value(&path, spec.raw("serviceAccountTokenInSecrets"), detail);
    }
    if !spec.has("preventPodSchedulingIfMissing") && profile.enabled(Feature::VolumeLimitScaling) {
        errors.required(&spec.at("preventPodSchedulingIfMissing"), "");
    }
    let Some(before) = old.map(|old| old.child("spec")) else { return };
    let could_change = errors.since(30);
    for (field, printed, changes) in [
        ("attachRequired", "attachedRequired", false),
        ("fsGroupPolicy", "fsGroupPolicy", could_change),
        ("podInfoOnMount", "podInfoOnMount", could_change),
        ("volumeLifecycleModes", "volumeLifecycleModes", false),
    ] {
        if !changes && !plainly_equal(spec.raw(field), before.raw(field)) {
            errors.invalid_value(&spec.at(printed), spec.raw(field), IMMUTABLE);
        }
    }
}

fn csi_driver(spec: &Map, warnings: &mut Warnings<'_>) {
    if !spec.has("serviceAccountTokenInSecrets") && warnings.since(35) {
        warnings.push(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
             possible logging of tokens in volume attributes"
                .to_owned(),
        );
    }
}
