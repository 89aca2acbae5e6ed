//! The attributes of devices.
//!
//! Source: `k8s.io/dynamic-resource-allocation/cel`.

use super::Function;
use crate::equality;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::value::Outcome;
use crate::value::Value;

/// The number of values that the attributes of a device can have together.
pub(crate) const MAX_ATTRIBUTE_VALUES: u64 = 48;

pub(super) fn overload(identity: &str) -> Option<Function> {
    match identity {
        "dra_includes_dyn_dyn" => Some(includes),
        _ => None,
    }
}

fn includes<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let Value::List(list) = &arguments[0] else {
        return equality::is_equal(meter, &arguments[0], &arguments[1]).map(Value::Bool);
    };
    for (item, index) in list.iter().zip(0..) {
        if index >= MAX_ATTRIBUTE_VALUES {
            let message = "'includes' function cannot be applied to lists longer than";
            return Err(Fault::new(format!("{message} {MAX_ATTRIBUTE_VALUES} values")));
        }
        if equality::is_equal(meter, &item, &arguments[1])? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
