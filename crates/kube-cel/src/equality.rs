//! Equality and order of values.
//!
//! Source: the methods `Equal` and `Compare` of cel-go's `common/types`.

pub(super) mod keyed;

use std::cmp::Ordering;

use super::failure::Fault;
use super::meter::Meter;
use super::number;
use super::value::{List, Map, ObjectValue, Opaque, Value};

/// Implements `types.Equal`: whether two values are equal; Kubernetes' own types equal only each other, and comparing
/// them with anything else is an error.
pub(super) fn equal<'a>(meter: &Meter, left: &Value<'a>, right: &Value<'a>) -> Result<bool, Fault> {
    meter.charge(1)?;
    Ok(match (left, right) {
        (Value::Null, _) | (_, Value::Null) => matches!((left, right), (Value::Null, Value::Null)),
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => {
            compare_numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Bytes(left), Value::Bytes(right)) => left == right,
        (Value::Type(left), Value::Type(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Timestamp(left), Value::Timestamp(right)) => left.instant() == right.instant(),
        (Value::List(left), Value::List(right)) => return lists(meter, left, right),
        (Value::Map(left), Value::Map(right)) => return maps(meter, left, right),
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (None, None) => true,
            (Some(left), Some(right)) => return equal(meter, left, right),
            _ => false,
        },
        (Value::Object(left), Value::Object(right)) => return objects(meter, left, right),
        (Value::Opaque(left), right) => return opaque(left, right),
        _ => false,
    })
}

/// Whether two values are equal for certain; values that cannot be compared are not.
pub(super) fn is_equal<'a>(meter: &Meter, left: &Value<'a>, right: &Value<'a>) -> Result<bool, Fault> {
    match equal(meter, left, right) {
        Err(fault) if fault.is_error() => Ok(false),
        result => result,
    }
}

/// Compares lists. Items that cannot be compared do not make lists differ; if one of the lists is a joined one, they
/// are an error.
fn lists<'a>(meter: &Meter, left: &List<'a>, right: &List<'a>) -> Result<bool, Fault> {
    if left.len() != right.len() {
        return Ok(false);
    }
    if let Some(list_type) = left.list_type() {
        return keyed::equal(meter, left, right, list_type);
    }
    let mut failed = None;
    for (left, right) in left.iter().zip(right.iter()) {
        match equal(meter, &left, &right) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(fault) if fault.is_error() => {
                failed.get_or_insert(fault);
            }
            Err(fault) => return Err(fault),
        }
    }
    match failed {
        Some(fault) if matches!(left, List::Concat(_)) => Err(fault),
        _ => Ok(true),
    }
}

fn maps<'a>(meter: &Meter, left: &Map<'a>, right: &Map<'a>) -> Result<bool, Fault> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, value) in left.entries() {
        let Some(other) = right.find(&key) else { return Ok(false) };
        match equal(meter, &value, &other) {
            Ok(false) => return Ok(false),
            Err(fault) if !fault.is_error() => return Err(fault),
            _ => {}
        }
    }
    Ok(true)
}

fn objects<'a>(meter: &Meter, left: &ObjectValue<'a>, right: &ObjectValue<'a>) -> Result<bool, Fault> {
    if left.type_name != right.type_name {
        return Ok(false);
    }
    if &*left.type_name == "JSONPatch" {
        let texts = ["op", "from", "path"];
        let text = |object: &ObjectValue, name: &str| {
            object.get(name).and_then(Value::as_text).unwrap_or_default().to_owned()
        };
        if texts.iter().any(|name| text(left, name) != text(right, name)) {
            return Ok(false);
        }
        return match (left.get("value"), right.get("value")) {
            (None, None) => Ok(true),
            (Some(left), Some(right)) => equal(meter, left, right),
            _ => Ok(false),
        };
    }
    if left.fields.len() != right.fields.len() {
        return Ok(false);
    }
    for (name, value) in &left.fields {
        let Some(other) = right.get(name) else { return Ok(false) };
        if value.type_name() != other.type_name() || !is_equal(meter, value, other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn opaque(left: &Opaque, right: &Value) -> Result<bool, Fault> {
    let Value::Opaque(right) = right else { return Err(Fault::no_such_overload()) };
    Ok(match (left, right) {
        (Opaque::Quantity { quantity, .. }, Opaque::Quantity { quantity: other, is_computed: false }) => {
            quantity == other
        }
        (Opaque::Ip(left), Opaque::Ip(right)) => left == right,
        (Opaque::Cidr(left), Opaque::Cidr(right)) => left == right,
        (Opaque::Url(left), Opaque::Url(right)) => left.to_string() == right.to_string(),
        (Opaque::Semver(left), Opaque::Semver(right)) => left.compare(right).is_eq(),
        (Opaque::Format(left), Opaque::Format(right)) => left.name == right.name,
        _ => return Err(Fault::no_such_overload()),
    })
}

/// Returns the order of two numbers of any types; `None` if one is not a number.
pub(super) fn compare_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    let is_nan = |value: &Value| matches!(value, Value::Double(value) if value.is_nan());
    if is_nan(left) || is_nan(right) {
        return None;
    }
    Some(match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Int(left), Value::Uint(right)) => number::compare_int_uint(*left, *right),
        (Value::Int(left), Value::Double(right)) => number::compare_double_int(*right, *left).reverse(),
        (Value::Uint(left), Value::Uint(right)) => left.cmp(right),
        (Value::Uint(left), Value::Int(right)) => number::compare_int_uint(*right, *left).reverse(),
        (Value::Uint(left), Value::Double(right)) => number::compare_double_uint(*right, *left).reverse(),
        (Value::Double(left), Value::Double(right)) => number::compare_doubles(*left, *right),
        (Value::Double(left), Value::Int(right)) => number::compare_double_int(*left, *right),
        (Value::Double(left), Value::Uint(right)) => number::compare_double_uint(*left, *right),
        _ => return None,
    })
}

/// Implements `Compare`: the order of two values, the left one of an ordered type.
pub(super) fn compare(left: &Value, right: &Value) -> Result<Ordering, Fault> {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Ok(str::cmp(left, right)),
        (Value::Bytes(left), Value::Bytes(right)) => Ok(left.cmp(right)),
        (Value::Duration(left), Value::Duration(right)) => Ok(left.cmp(right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => Ok(left.instant().cmp(&right.instant())),
        (Value::Double(value), _) if value.is_nan() => Err(unordered()),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Double(value)) if value.is_nan() => {
            Err(unordered())
        }
        _ => compare_numbers(left, right).ok_or_else(Fault::no_such_overload),
    }
}

fn unordered() -> Fault {
    Fault::new("NaN values cannot be ordered")
}
