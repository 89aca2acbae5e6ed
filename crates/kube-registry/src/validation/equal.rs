//! Equality of decoded values as Go's `apiequality.Semantic` sees it.
//!
//! Source: `k8s.io/apimachinery/pkg/api/equality`, `k8s.io/apimachinery/third_party/forked/golang/reflect`.

use gotext::quantity::Quantity;
use kube_api::Value;
use kube_api::schema::{self, Reference, Scalar, Shape, Struct, Type};

/// Whether two values of a type of the field tables, such as `core/v1.PodSpec`, are equivalent: quantities are compared
/// by amount, absent and empty lists and maps are equal, an absent struct behind a pointer and an empty one are not.
///
/// # Panics
///
/// If the tables do not have the type.
pub fn semantically_equal(type_name: &str, left: &Value, right: &Value) -> bool {
    let found = schema::named(type_name).expect("the tables have the types that are compared");
    equal(found, left, right)
}

/// Whether a field of two structs of a type of the field tables is equivalent; behind a pointer, absent and empty are not.
pub(crate) fn field_equal(type_name: &str, field: &str, left: &Value, right: &Value) -> bool {
    let field =
        schema::named(type_name).and_then(|found| found.field(field)).expect("the tables have the field");
    let of = |value: &Value| value.get(&*field.name).cloned().unwrap_or_default();
    references_equal(&field.reference, &of(left), &of(right))
}

/// Whether two values without quantities are equivalent: absent and empty ones are equal.
pub(crate) fn plainly_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let both =
                left.iter().all(|(key, value)| plainly_equal(value, right.get(key).unwrap_or(&Value::Null)));
            both && right.iter().all(|(key, value)| left.contains_key(key) || is_empty(value))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| plainly_equal(left, right))
        }
        _ => left == right || is_empty(left) && is_empty(right),
    }
}

fn equal(of: &Type, left: &Value, right: &Value) -> bool {
    match &of.shape {
        Shape::Struct(structure) => structs_equal(structure, left, right),
        Shape::List(item) => {
            let [left, right] = [left, right].map(|list| list.as_array().map_or(&[][..], Vec::as_slice));
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| references_equal(item, left, right))
        }
        Shape::Map { value, .. } => match (left.as_object(), right.as_object()) {
            (Some(left), Some(right)) => {
                let is_in_left =
                    |key: &str, right| left.get(key).is_some_and(|left| references_equal(value, left, right));
                left.len() == right.len() && right.iter().all(|(key, right)| is_in_left(key, right))
            }
            _ => is_empty(left) && is_empty(right),
        },
        Shape::Scalar(Scalar::Quantity) => quantities_equal(left, right),
        Shape::Scalar(_) => left == right || left.is_zero_value() && right.is_zero_value(),
    }
}

pub(crate) fn references_equal(reference: &Reference, left: &Value, right: &Value) -> bool {
    if reference.pointer && left.is_null() != right.is_null() {
        return false;
    }
    equal(reference.get(), left, right)
}

fn structs_equal(structure: &Struct, left: &Value, right: &Value) -> bool {
    let of_field =
        |name: &str| (left.get(name).unwrap_or(&Value::Null), right.get(name).unwrap_or(&Value::Null));
    structure.fields.iter().all(|field| {
        let (left, right) = of_field(&field.name);
        references_equal(&field.reference, left, right)
    })
}

fn quantities_equal(left: &Value, right: &Value) -> bool {
    let amount = |value: &Value| value.as_str().map_or(Ok(Quantity::default()), Quantity::parse);
    match (amount(left), amount(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

/// Whether `value` is absent or an empty collection.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn compares_quantities_where_the_table_has_them() {
        let container = |cpu: &str, limits: &str| json!({"resources": {"limits": {"cpu": cpu}}, "env": [{"name": "limits", "value": limits}]});
        let equal = |left, right| semantically_equal("core/v1.Container", &left, &right);
        assert!(equal(container("1", "1"), container("1000m", "1")));
        assert!(!equal(container("1", "1"), container("1", "1000m")));
        assert!(!equal(container("1", "1"), container("2", "1")));
    }

    #[test]
    fn distinguishes_a_pointer_to_nothing_from_no_pointer() {
        let equal = |left, right| semantically_equal("core/v1.PodSpec", &left, &right);
        assert!(equal(json!({"containers": []}), json!({"nodeSelector": {}, "hostNetwork": false})));
        assert!(!equal(json!({"affinity": {}}), json!({})));
        assert!(!equal(json!({"runtimeClassName": ""}), json!({})));
    }
}
