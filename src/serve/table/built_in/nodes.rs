//! What Nodes show.

use std::collections::BTreeSet;

use crate::serve::table::built_in::{NONE, condition, or};
use kube_api::{Object, Value};

pub(super) fn status(node: &Object) -> String {
    let status = match condition(node, "Ready").map(|condition| condition.text("status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let more = if node.flag(["spec", "unschedulable"]) { ",SchedulingDisabled" } else { "" };
    format!("{status}{more}")
}

/// Source: `findNodeRoles`
pub(super) fn roles(node: &Object) -> Value {
    let roles = node.labels().filter_map(|(key, value)| match key {
        "kubernetes.io/role" => Some(value),
        key => key.strip_prefix("node-role.kubernetes.io/"),
    });
    let roles: BTreeSet<&str> = roles.filter(|role| !role.is_empty()).collect();
    or(&roles.into_iter().collect::<Vec<_>>().join(","), NONE)
}

/// Returns the first address of a type.
pub(super) fn address(node: &Object, kind: &str) -> Value {
    let found = node.items(["status", "addresses"]).find(|address| address.text("type") == kind);
    found.map_or(NONE, |address| address.text("address")).into()
}

pub(super) fn kernel(node: &Object) -> Value {
    let text = |field| node.text(["status", "nodeInfo", field]);
    let kernel = Some(text("kernelVersion")).filter(|kernel| !kernel.is_empty()).unwrap_or("<unknown>");
    match text("architecture") {
        "" => kernel.into(),
        architecture => format!("{kernel} ({architecture})").into(),
    }
}
