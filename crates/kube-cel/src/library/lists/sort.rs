//! Sorting as cel-go sorts.
//!
//! Go's `sort.Slice` does not keep the order of equal keys in lists of more than twelve items; they keep it here.

use std::cmp::Ordering;

use crate::equality;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::value::Outcome;
use crate::value::{List, Trait, Value};

/// Returns the items of `list` in the order of their keys.
pub(super) fn by_keys<'a>(meter: &Meter, list: &List<'a>, keys: &List<'a>) -> Outcome<'a> {
    if list.len() != keys.len() {
        return Err(Fault::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            list.len(),
            keys.len()
        )));
    }
    let Some(first) = keys.get(0) else { return Ok(Value::List(list.clone())) };
    if !first.has(Trait::Comparer) {
        return Err(Fault::new("list elements must be comparable"));
    }
    meter.charge_items(list.len().saturating_mul(2))?;
    let mut items: Vec<(Value, Value)> = keys.iter().zip(list.iter()).collect();
    if items.iter().any(|(key, _)| key.type_name() != first.type_name()) {
        return Err(Fault::new("list elements must have the same type"));
    }
    items.sort_by(|(left, _), (right, _)| ordering(left, right));
    Ok(Value::list(items.into_iter().map(|(_, item)| item).collect()))
}

/// Orders two values. NaN is before all numbers, so that the order is total; cel-go does not define this.
fn ordering(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Double(left), Value::Double(right)) if left.is_nan() || right.is_nan() => {
            right.is_nan().cmp(&left.is_nan())
        }
        _ => equality::compare(left, right).unwrap_or(Ordering::Equal),
    }
}
