//! Claims of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::registry::defaults;
use crate::registry::defaults::device::Requests;
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::resource::CLAIM_SPEC;
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::devices;

/// What the server does with a `ResourceClaim`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "resource.k8s.io",
    kind: "ResourceClaim",
    resource: "resourceclaims",
    versions: &["v1", "v1beta2", "v1beta1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, version, _| defaults::device::claim(object, Requests::of(version))),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&["spec"], CLAIM_SPEC), Gated::Below(&["status"], CLAIM_STATUS)],
    prepared_times: None,
    as_validated: Some(devices::first_beta::claim),
    validate: Some(|errors, object, old, context| {
        if old.is_none() {
            devices::validate_admin_access(errors, &object.child("spec"), context);
        }
        devices::validate_resource_claim(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
};

pub(in crate::registry) const CLAIM_STATUS: &[Fields] = &[
    fields(&["DRAResourceClaimDeviceStatus"], &["devices"]),
    fields(
        &["DRAConsumableCapacity"],
        &[
            "allocation/devices/results/*/shareID",
            "allocation/devices/results/*/consumedCapacity",
            "devices/*/shareID",
        ],
    ),
    fields(
        &["DRADeviceBindingConditions"],
        &[
            "allocation/devices/results/*/bindingConditions",
            "allocation/devices/results/*/bindingFailureConditions",
        ],
    ),
];
