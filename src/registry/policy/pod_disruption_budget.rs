//! How many Pods may be missing.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy`.

use crate::registry::defaults;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::policy;

/// What the server does with a `PodDisruptionBudget`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "policy",
    kind: "PodDisruptionBudget",
    resource: "poddisruptionbudgets",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::cluster::disruption_budget(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| policy::validate_pod_disruption_budget(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
};
