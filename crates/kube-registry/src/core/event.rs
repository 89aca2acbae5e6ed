//! Events of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::Strategy;
use crate::validation::event;

/// The strategy of `Event`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    validate: Some(|errors, object, old, _| event::validate_event(errors, object, old, "")),
    ..Strategy::new("", "Event")
};
