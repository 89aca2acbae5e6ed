//! Equality of decoded values as Go's `apiequality.Semantic` sees it.

use crate::api::Value;
use crate::api::quantity::Quantity;

/// Whether two values are equivalent: absent, `null` and empty lists and maps are equal, quantities are compared by
/// amount.
///
/// Source: `k8s.io/apimachinery/pkg/api/equality`.
pub fn semantically_equal(left: &Value, right: &Value) -> bool {
    equal(left, right, false)
}

pub(in crate::registry) fn equal(left: &Value, right: &Value, quantities: bool) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let both = left.iter().all(|(key, value)| {
                equal(value, right.get(key).unwrap_or(&Value::Null), quantities || holds_quantities(key))
            });
            both && right.iter().all(|(key, value)| left.contains_key(key) || is_empty(value))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal(left, right, quantities))
        }
        (Value::String(left), Value::String(right)) if quantities && left != right => {
            match (Quantity::parse(left), Quantity::parse(right)) {
                (Ok(left), Ok(right)) => left == right,
                _ => false,
            }
        }
        _ => left == right || is_empty(left) && is_empty(right),
    }
}

fn holds_quantities(key: &str) -> bool {
    matches!(
        key,
        "limits"
            | "requests"
            | "overhead"
            | "capacity"
            | "sizeLimit"
            | "divisor"
            | "hard"
            | "used"
            | "allocatable"
    )
}

/// Whether `value` is absent or an empty collection.
pub(in crate::registry) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}
