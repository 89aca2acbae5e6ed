//! Events of their own group; inside the server they are those of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/events`.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::event;
use kube_api::{GroupVersionKind, Map, Status};

/// The strategy of `Event`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "events.k8s.io",
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
    validate: Some(|errors, object, old, _| event::validate_event(errors, object, old, "events.k8s.io")),
    refuse: Some(|name, errors| Status::new_invalid(&GroupVersionKind::new("", "v1", "Event"), name, errors)),
    warnings: None,
    sub_resources: &[],
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
