//! Requests for the status of pools of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::api::Map;
use crate::api::tree::{child_or_insert, set_if_absent};
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::devices;

/// The strategy of `ResourcePoolStatusRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "resource.k8s.io",
    kind: "ResourcePoolStatusRequest",
    resource: "resourcepoolstatusrequests",
    versions: &["v1alpha3"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        devices::slice::validate_pool_status_request(errors, object, old);
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

/// Sets the defaults of `ResourcePoolStatusRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "limit", 100);
}
