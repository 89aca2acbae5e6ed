//! What workloads show.

use crate::serve::table::built_in::NONE;
use kube_api::{Object, Value};

/// Returns how many Pods are ready, of how many.
pub(super) fn ready(workload: &Object) -> Value {
    let ready = workload.int(["status", "readyReplicas"]);
    format!("{ready}/{}", workload.int(["spec", "replicas"])).into()
}

/// Returns the controller of a revision.
pub(super) fn controller(revision: &Object) -> Value {
    let mut owners = revision.items(["metadata", "ownerReferences"]);
    let Some(owner) = owners.find(|owner| owner.flag("controller")) else { return NONE.into() };
    let kind = owner.text("kind").to_lowercase();
    match owner.text("apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{}", owner.text("name")).into(),
        None => format!("{kind}/{}", owner.text("name")).into(),
    }
}
