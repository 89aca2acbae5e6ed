//! What the kinds of priority and fairness show.

use crate::serve::table::built_in::{NONE, condition};
use kube_api::{Object, Value};

/// Whether a schema refers to a level that does not exist.
pub(super) fn dangling(schema: &Object) -> Value {
    condition(schema, "Dangling").map_or("?", |condition| condition.text("status")).into()
}

pub(super) fn shares(level: &Object) -> Value {
    if !level.has(["spec", "limited"]) {
        return NONE.into();
    }
    level.at(["spec", "limited", "nominalConcurrencyShares"]).cloned().unwrap_or_default()
}

/// Returns a number of the queues of a level.
pub(super) fn queuing(level: &Object, field: &str) -> Value {
    let queuing = level.child(["spec", "limited", "limitResponse", "queuing"]);
    queuing.map_or_else(|| NONE.into(), |queuing| queuing.int(field).into())
}
