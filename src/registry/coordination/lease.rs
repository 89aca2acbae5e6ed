//! Leases, by which leaders are elected and nodes report.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/coordination`.

use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::coordination;

/// What the server does with a `Lease`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "coordination.k8s.io",
    kind: "Lease",
    resource: "leases",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], LEASE)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        coordination::validate_lease(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

pub(in crate::registry) const LEASE: &[Fields] = &[
    fields(&["CoordinatedLeaderElection"], &["spec/strategy"]),
    fields(&["CoordinatedLeaderElection"], &["spec/preferredHolder"]),
];
