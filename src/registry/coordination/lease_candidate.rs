//! Candidates for a lease.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/coordination`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::coordination;

/// What the server does with a `LeaseCandidate`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "coordination.k8s.io",
    kind: "LeaseCandidate",
    resource: "leasecandidates",
    versions: &["v1beta1", "v1alpha2"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| coordination::validate_lease_candidate(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
