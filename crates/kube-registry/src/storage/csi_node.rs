//! Drivers of volumes on a node.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::gated::{Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::validate_csi_driver_name;
use gotext::names;
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;

/// The strategy of `CSINode`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&[], &[fields(&[Feature::CSIVolumeHealth], &["status"])])],
    validate: Some(|errors, object, old, context| {
        validate_csi_node(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| validate_object_meta_update(errors, object, old)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("storage.k8s.io", "CSINode")
};

const MAX_NODE_ID: usize = 256;

/// Runs `ValidateCSINode`, and `ValidateCSINodeUpdate` if there is an old object.
fn validate_csi_node(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    let mut seen = Vec::new();
    for driver in spec.items("drivers") {
        validate_driver(errors, &driver);
        let name = driver.text("name");
        if seen.contains(&name) {
            errors.duplicate(&driver.at("name"), name);
        }
        seen.push(name);
        validate_topology_keys(errors, &driver);
    }
    let Some(before) = old.map(|old| old.child("spec")) else { return };
    for old in before.items("drivers") {
        for driver in spec.items("drivers").filter(|driver| driver.text("name") == old.text("name")) {
            let [now, then] = [&driver, &old].map(|driver| compared(driver, profile));
            if !plainly_equal(&now, &then) {
                let path = if errors.since(33) { spec.at("drivers") } else { Path::new("CSINodeDriver") };
                errors.invalid_internal(&path, "storage/v1.CSINodeDriver", &now, IMMUTABLE);
            }
        }
    }
}

/// Returns the part of a driver that must not change: the number of attachable volumes may, while a gate is on.
fn compared(driver: &Node, profile: &ServerProfile) -> Value {
    let mut value = driver.value().clone();
    if let Some(fields) =
        value.as_object_mut().filter(|_| profile.enabled(Feature::MutableCSINodeAllocatableCount))
    {
        fields.remove("allocatable");
    }
    value
}

/// Implements `validateCSINodeDriver`, without the checks that it shares with others.
fn validate_driver(errors: &mut Errors, driver: &Node) {
    validate_csi_driver_name(errors, driver, "name");
    let id = driver.text("nodeID");
    if id.is_empty() {
        errors.required(&driver.at("nodeID"), "");
    }
    if id.len() > MAX_NODE_ID {
        errors.invalid(&driver.at("nodeID"), id, format!("must be {MAX_NODE_ID} characters or less"));
    }
    if let Some(allocatable) = driver.get("allocatable") {
        errors.non_negative(&allocatable, "count");
    }
}

fn validate_topology_keys(errors: &mut Errors, driver: &Node) {
    let keys: Vec<&str> = driver.texts("topologyKeys").collect();
    for (index, key) in keys.iter().enumerate() {
        if key.is_empty() {
            errors.required(&driver.here(), "");
        }
        if keys[..index].contains(key) {
            errors.duplicate(&driver.here(), key);
        }
        errors.each(|| driver.here(), key, names::is_qualified_name(key));
    }
}
