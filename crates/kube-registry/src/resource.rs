//! The kinds of the group resource.k8s.io.

pub(super) mod device_class;
pub(super) mod device_taint_rule;
pub(super) mod resource_claim;
pub(super) mod resource_claim_template;
pub(super) mod resource_pool_status_request;
pub(super) mod resource_slice;

use crate::gated::{Fields, fields, fields_since};
use kube_api::features::Feature;

/// Fields below the `spec` of a claim; up to `v1beta1` the contents of `exactly` are in the request itself.
const CLAIM_SPEC: &[Fields] = &[
    fields_since(
        35,
        &[Feature::DRADeviceTaints],
        &[
            "devices/requests/*/exactly/tolerations",
            "devices/requests/*/firstAvailable/*/tolerations",
            "devices/requests/*/tolerations",
        ],
    ),
    fields_since(35, &[Feature::DRAConsumableCapacity], &["devices/constraints/*/distinctAttribute"]),
    fields(
        &[Feature::DRADerivedAttributes],
        &[
            "devices/requests/*/exactly/derivedAttributes",
            "devices/requests/*/firstAvailable/*/derivedAttributes",
            "devices/requests/*/derivedAttributes",
        ],
    ),
    fields(
        &[Feature::DRAConsumableCapacity],
        &[
            "devices/requests/*/exactly/capacity",
            "devices/requests/*/firstAvailable/*/capacity",
            "devices/requests/*/capacity",
        ],
    ),
];
