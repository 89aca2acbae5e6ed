//! What requests for certificates show.

use crate::serve::table::built_in::{NONE, condition as find};
use crate::serve::table::human_duration;
use kube_api::{Object, Value};

pub(super) fn duration(request: &Object) -> Value {
    let seconds = request.at(["spec", "expirationSeconds"]).and_then(Value::as_i64);
    seconds.map_or_else(|| NONE.to_owned(), human_duration).into()
}

/// Source: `extractCSRStatus`
pub(super) fn condition(request: &Object) -> Value {
    let has = |kind: &str| find(request, kind).is_some();
    let decision = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (_, true) => "Approved",
        _ => "Pending",
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if request.text(["status", "certificate"]).is_empty() { "" } else { ",Issued" };
    format!("{decision}{failed}{issued}").into()
}

/// Returns the state of a Pod's request.
pub(super) fn state(request: &Object) -> &'static str {
    let states = ["Failed", "Denied", "Issued"];
    states.into_iter().find(|kind| find(request, kind).is_some()).unwrap_or("Pending")
}
