//! What events show, in both groups.
//!
//! Source: `printEvent`

use crate::serve::table::since;
use kube_api::{Object, Value};

/// Whether the event is one of `events.k8s.io`, whose fields have other names.
fn is_new(event: &Object) -> bool {
    !event.kind.group.is_empty()
}

/// Returns a field of the object that the event is about.
pub(super) fn target(event: &Object, field: &str) -> Value {
    let target = if is_new(event) { "regarding" } else { "involvedObject" };
    event.text([target, field]).into()
}

pub(super) fn object(event: &Object) -> Value {
    let (kind, name) = (target(event, "kind"), target(event, "name"));
    let (kind, name) = (kind.as_str().unwrap_or_default().to_lowercase(), name.as_str().unwrap_or_default());
    if name.is_empty() { kind.into() } else { format!("{kind}/{name}").into() }
}

pub(super) fn message(event: &Object) -> Value {
    event.text(if is_new(event) { "note" } else { "message" }).trim().into()
}

pub(super) fn first_seen(event: &Object, now: i64) -> Value {
    let first = event.text(if is_new(event) { "deprecatedFirstTimestamp" } else { "firstTimestamp" });
    since(if first.is_empty() { event.text("eventTime") } else { first }, now).into()
}

pub(super) fn last_seen(event: &Object, now: i64) -> Value {
    let last = event.text(if is_new(event) { "deprecatedLastTimestamp" } else { "lastTimestamp" });
    match (event.has("series"), last) {
        (true, _) => since(event.text(["series", "lastObservedTime"]), now).into(),
        (false, "") => first_seen(event, now),
        (false, last) => since(last, now).into(),
    }
}

pub(super) fn count(event: &Object) -> Value {
    if event.has("series") {
        return event.int(["series", "count"]).into();
    }
    let count = event.int(if is_new(event) { "deprecatedCount" } else { "count" });
    count.max(1).into()
}

pub(super) fn source(event: &Object) -> Value {
    let (source, controller) = if is_new(event) {
        ("deprecatedSource", "reportingController")
    } else {
        ("source", "reportingComponent")
    };
    let or = |own: &str, other: &str| if own.is_empty() { other.to_owned() } else { own.to_owned() };
    let component = or(event.text([source, "component"]), event.text(controller));
    let host = or(event.text([source, "host"]), event.text("reportingInstance"));
    if host.is_empty() { component.into() } else { format!("{component}, {host}").into() }
}
