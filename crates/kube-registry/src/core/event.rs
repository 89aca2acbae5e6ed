//! Events of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::event;

/// The strategy of `Event`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Event",
    resource: "events",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: true,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| event::validate_event(errors, object, old, "")),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
