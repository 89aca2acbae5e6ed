//! Ranges of the addresses of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::network;

/// What the server does with a `ServiceCIDR`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "ServiceCIDR",
    resource: "servicecidrs",
    versions: &["v1", "v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| network::validate_service_cidr(errors, object, old)),
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
