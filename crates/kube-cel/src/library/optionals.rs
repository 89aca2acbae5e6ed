//! Values that may be absent.
//!
//! Source: cel-go `cel/library.go`.

use super::Function;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::printed;
use crate::value::Outcome;
use crate::value::Value;

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "optional_of" => |_, arguments| Ok(Value::optional(arguments[0].clone())),
        "optional_ofNonZeroValue" => |_, arguments| match &arguments[0] {
            value if value.is_zero() => Ok(Value::Optional(None)),
            value => Ok(Value::optional(value.clone())),
        },
        "optional_none" => |_, _| Ok(Value::Optional(None)),
        "optional_value" => |_, arguments| match &arguments[0] {
            Value::Optional(Some(value)) => Ok(Value::clone(value)),
            Value::Optional(None) => Err(Fault::new("optional.none() dereference")),
            _ => Err(Fault::no_such_overload()),
        },
        "optional_hasValue" => |_, arguments| match &arguments[0] {
            Value::Optional(value) => Ok(Value::Bool(value.is_some())),
            _ => Err(Fault::no_such_overload()),
        },
        "list_first" => |_, arguments| item(arguments, |_| 0),
        "list_last" => |_, arguments| item(arguments, |length| length.wrapping_sub(1)),
        "optional_unwrap" | "optional_unwrapOpt" => unwrap,
        _ => return None,
    })
}

fn item<'a>(arguments: &[Value<'a>], position: fn(usize) -> usize) -> Outcome<'a> {
    let Value::List(list) = &arguments[0] else { return Err(Fault::no_such_overload()) };
    Ok(Value::Optional(list.get(position(list.len())).map(Into::into)))
}

fn unwrap<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let Value::List(list) = &arguments[0] else { return Err(Fault::no_such_overload()) };
    meter.charge_items(list.len())?;
    let mut values = Vec::new();
    for item in list {
        match item {
            Value::Optional(None) => {}
            Value::Optional(Some(value)) => values.push(Value::clone(&value)),
            other => {
                return Err(Fault::new(format!("value {} is not optional", printed::print(&other))));
            }
        }
    }
    Ok(Value::list(values))
}
