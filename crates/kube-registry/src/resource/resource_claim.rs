//! Claims of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::defaults::device::{Requests, claim_spec, tolerations};
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::resource::CLAIM_SPEC;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::devices;
use crate::validation::devices::claim_status::{
    drop_deallocated_devices, validate_admin_access_of_status, validate_claim_status,
};
use crate::validation::devices::validate_device_claim;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, items_mut};

/// The strategy of `ResourceClaim`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta2", "v1beta1"],
    defaults: Some(|object, version, _| set_defaults(object, Requests::of(version))),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&["spec"], CLAIM_SPEC), Gated::Below(&["status"], CLAIM_STATUS)],
    as_validated: Some(devices::first_beta::claim),
    validate: Some(|errors, object, old, context| {
        if old.is_none() {
            devices::validate_admin_access(errors, &object.child("spec"), context);
        }
        validate_resource_claim(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|claim, old, context| {
            keep_spec_and_metadata(claim, old, context);
            drop_deallocated_devices(claim, old);
        }),
        validate_update: Some(|errors, object, old, context| {
            validate_admin_access_of_status(errors, object, old, context);
            validate_claim_status(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("resource.k8s.io", "ResourceClaim")
};

const CLAIM_STATUS: &[Fields] = &[
    fields(&[Feature::DRAResourceClaimDeviceStatus], &["devices"]),
    fields(
        &[Feature::DRAConsumableCapacity],
        &[
            "allocation/devices/results/*/shareID",
            "allocation/devices/results/*/consumedCapacity",
            "devices/*/shareID",
        ],
    ),
    fields(
        &[Feature::DRADeviceBindingConditions],
        &[
            "allocation/devices/results/*/bindingConditions",
            "allocation/devices/results/*/bindingFailureConditions",
        ],
    ),
];

/// Sets the defaults of `ResourceClaim`.
fn set_defaults(claim: &mut Map, requests: Requests) {
    if let Some(spec) = child_mut(claim, "spec") {
        claim_spec(spec, requests);
    }
    if let Some(devices) = child_mut(claim, ["status", "allocation", "devices"]) {
        items_mut(devices, "results").for_each(tolerations);
    }
}

/// Runs `ValidateResourceClaim`, and `ValidateResourceClaimUpdate` if there is an old object.
fn validate_resource_claim(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    let Some(old) = old else {
        return validate_device_claim(errors, &spec.child("devices"), profile);
    };
    validate_object_meta_update(errors, object, old);
    if !semantically_equal("resource/v1.ResourceClaimSpec", spec.value(), old.raw("spec")) {
        errors.invalid_internal(&spec.here(), "resource/v1.ResourceClaimSpec", spec.value(), IMMUTABLE);
    }
}
