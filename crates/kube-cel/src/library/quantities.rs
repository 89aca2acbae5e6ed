//! Quantities.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/quantity.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Function;
use crate::failure::Fault;
use crate::value::{Opaque, Value};
use gotext::quantity::{Format, Quantity};

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_to_quantity" => |_, arguments| match &arguments[0] {
            Value::String(text) => match Quantity::parse(text) {
                Ok(quantity) => Ok(value(quantity, false)),
                Err(error) => Err(Fault::new(error.to_string())),
            },
            _ => Err(Fault::no_such_overload()),
        },
        "is_quantity_string" => |_, arguments| match &arguments[0] {
            Value::String(text) => Ok(Value::Bool(Quantity::parse(text).is_ok())),
            _ => Err(Fault::no_such_overload()),
        },
        "quantity_sign" => |_, arguments| Ok(Value::Int(one(arguments)?.sign().into())),
        "quantity_get_float" => |_, arguments| Ok(Value::Double(one(arguments)?.to_f64())),
        "quantity_is_integer" => |_, arguments| Ok(Value::Bool(one(arguments)?.as_i64().is_some())),
        "quantity_get_int" => |_, arguments| {
            let whole = one(arguments)?.as_i64();
            whole.map(Value::Int).ok_or_else(|| Fault::new("cannot convert value to integer"))
        },
        "quantity_is_greater_than" => |_, arguments| Ok(Value::Bool(order(arguments)?.is_gt())),
        "quantity_is_less_than" => |_, arguments| Ok(Value::Bool(order(arguments)?.is_lt())),
        "quantity_compare_to" => |_, arguments| Ok(Value::Int(order(arguments)? as i64)),
        "quantity_add" | "quantity_add_int" => {
            |_, arguments| Ok(value(one(arguments)?.add(&other(arguments)?), true))
        }
        "quantity_sub" | "quantity_sub_int" => {
            |_, arguments| Ok(value(one(arguments)?.sub(&other(arguments)?), true))
        }
        _ => return None,
    })
}

fn value<'a>(quantity: Quantity, is_computed: bool) -> Value<'a> {
    Value::Opaque(Opaque::Quantity { quantity: Arc::new(quantity), is_computed })
}

fn one<'v>(arguments: &'v [Value]) -> Result<&'v Quantity, Fault> {
    match arguments.first() {
        Some(Value::Opaque(Opaque::Quantity { quantity, .. })) => Ok(quantity),
        _ => Err(Fault::no_such_overload()),
    }
}

fn other(arguments: &[Value]) -> Result<Quantity, Fault> {
    match arguments.get(1) {
        Some(Value::Opaque(Opaque::Quantity { quantity, .. })) => Ok(Quantity::clone(quantity)),
        Some(Value::Int(value)) => Ok(Quantity::from_value(*value, Format::DecimalExponent)),
        _ => Err(Fault::no_such_overload()),
    }
}

fn order(arguments: &[Value]) -> Result<Ordering, Fault> {
    Ok(one(arguments)?.cmp(&other(arguments)?))
}
