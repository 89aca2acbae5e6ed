//! Addresses that are in use.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::network;

/// What the server does with a `IPAddress`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "IPAddress",
    resource: "ipaddresses",
    versions: &["v1", "v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        network::validate_ip_address(errors, object, None);
        if old.is_some() {
            network::validate_ip_address(errors, object, old);
        }
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
