//! Events of their own group; inside the server they are those of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/events`.

use crate::strategy::Strategy;
use crate::validation::event;
use kube_api::{GroupVersionKind, Map, Status};

/// The strategy of `Event`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    validate: Some(|errors, object, old, _| event::validate_event(errors, object, old, "events.k8s.io")),
    refuse: Some(|name, errors| Status::new_invalid(&GroupVersionKind::new("", "v1", "Event"), name, errors)),
    ..Strategy::new("events.k8s.io", "Event")
};

/// The fields that the two groups name differently: in the core group, and in events.k8s.io.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// Converts an event of one group to the other.
pub(crate) fn convert(event: &mut Map, to_core: bool) {
    for (core, own) in NAMES {
        let (from, to) = if to_core { (own, core) } else { (core, own) };
        if let Some(value) = event.remove(from) {
            event.insert(to.to_owned(), value);
        }
    }
}
