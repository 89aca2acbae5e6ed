//! The functions of CEL itself.
//!
//! Source: cel-go `common/stdlib/standard.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Function;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::value::Outcome;
use crate::value::{Entries, Map, Trait, Value};
use crate::{arithmetic, convert, equality};

pub(super) fn singleton(function: &str) -> Option<(Option<Trait>, Function)> {
    Some(match function {
        "!_" => (None, |_, arguments| match arguments {
            [Value::Bool(value)] => Ok(Value::Bool(!value)),
            _ => Err(Fault::no_such_overload()),
        }),
        "-_" => (Some(Trait::Negator), |_, arguments| arithmetic::negate(&arguments[0])),
        "_+_" => (Some(Trait::Adder), |meter, arguments| {
            arithmetic::add(meter, arguments[0].clone(), arguments[1].clone())
        }),
        "_-_" => (Some(Trait::Subtractor), |_, arguments| arithmetic::subtract(&arguments[0], &arguments[1])),
        "_*_" => (Some(Trait::Multiplier), |_, arguments| arithmetic::multiply(&arguments[0], &arguments[1])),
        "_/_" => (Some(Trait::Divider), |_, arguments| arithmetic::divide(&arguments[0], &arguments[1])),
        "_%_" => (Some(Trait::Modder), |_, arguments| arithmetic::modulo(&arguments[0], &arguments[1])),
        "_<_" => (Some(Trait::Comparer), |_, arguments| ordered(arguments, Ordering::is_lt)),
        "_<=_" => (Some(Trait::Comparer), |_, arguments| ordered(arguments, Ordering::is_le)),
        "_>_" => (Some(Trait::Comparer), |_, arguments| ordered(arguments, Ordering::is_gt)),
        "_>=_" => (Some(Trait::Comparer), |_, arguments| ordered(arguments, Ordering::is_ge)),
        "@in" => (None, is_in),
        "size" => (Some(Trait::Sizer), |_, arguments| {
            let size = arguments[0].size().ok_or_else(Fault::no_such_overload)?;
            Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
        }),
        "matches" => (Some(Trait::Matcher), super::patterns::matches),
        "type" => (None, |_, arguments| Ok(convert::to_type(&arguments[0]))),
        "dyn" => (None, |_, arguments| Ok(arguments[0].clone())),
        _ => return None,
    })
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "bool_to_bool" | "string_to_bool" => |_, arguments| convert::to_bool(&arguments[0]),
        "bytes_to_bytes" | "string_to_bytes" => |_, arguments| convert::to_bytes(&arguments[0]),
        "double_to_double" | "int64_to_double" | "string_to_double" | "uint64_to_double" => {
            |_, arguments| convert::to_double(&arguments[0])
        }
        "duration_to_duration" | "string_to_duration" => |_, arguments| convert::to_duration(&arguments[0]),
        // This conversion is declared, but not implemented in cel-go.
        "int64_to_duration" => {
            |_, _| Err(Fault::new("type conversion error from 'int' to 'google.protobuf.Duration'"))
        }
        "int64_to_int64" | "double_to_int64" | "duration_to_int64" | "string_to_int64"
        | "timestamp_to_int64" | "uint64_to_int64" => |_, arguments| convert::to_int(&arguments[0]),
        "uint64_to_uint64" | "double_to_uint64" | "int64_to_uint64" | "string_to_uint64" => {
            |_, arguments| convert::to_uint(&arguments[0])
        }
        "timestamp_to_timestamp" | "int64_to_timestamp" | "string_to_timestamp" => {
            |_, arguments| convert::to_timestamp(&arguments[0])
        }
        "string_to_string"
        | "bool_to_string"
        | "bytes_to_string"
        | "double_to_string"
        | "duration_to_string"
        | "int64_to_string"
        | "timestamp_to_string"
        | "uint64_to_string" => |_, arguments| convert::to_text(&arguments[0]).map(Value::String),
        "contains_string" => |_, arguments| texts(arguments, |text, part| text.contains(part)),
        "ends_with_string" => |_, arguments| texts(arguments, |text, part| text.ends_with(part)),
        "starts_with_string" => |_, arguments| texts(arguments, |text, part| text.starts_with(part)),
        "@mapInsert_map_key_value" | "@mapInsert_map_map" => {
            |meter, arguments| insert(meter, arguments.to_vec())
        }
        _ => return None,
    })
}

fn ordered<'a>(arguments: &[Value<'a>], is_wanted: fn(Ordering) -> bool) -> Outcome<'a> {
    equality::compare(&arguments[0], &arguments[1]).map(is_wanted).map(Value::Bool)
}

fn texts<'a>(arguments: &[Value<'a>], holds: fn(&str, &str) -> bool) -> Outcome<'a> {
    match arguments {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(holds(text, part))),
        _ => Err(Fault::no_such_overload()),
    }
}

fn is_in<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    match &arguments[1] {
        Value::List(list) => {
            for item in list {
                if equality::is_equal(meter, &arguments[0], &item)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        Value::Map(map) => Ok(Value::Bool(map.find(&arguments[0]).is_some())),
        _ => Err(Fault::no_such_overload()),
    }
}

/// Returns the entries of a map, to add to them.
fn into_entries(map: Map) -> Entries {
    match map {
        Map::Entries(entries) => Arc::unwrap_or_clone(entries),
        Map::Tree(_) => {
            let mut entries = Entries::default();
            for (key, value) in map.entries() {
                entries.set(key, value);
            }
            entries
        }
    }
}

/// Implements `InsertMapKeyValue`.
fn insert_entry<'a>(entries: &mut Entries<'a>, key: Value<'a>, value: Value<'a>) -> Result<(), Fault> {
    if entries.find(&key).is_some() {
        let key = crate::printed::print(&key);
        return Err(Fault::new(format!("insert failed: key {key} already exists")));
    }
    let go_type = key.go_type();
    if entries.set(key, value) {
        Ok(())
    } else {
        Err(Fault::Panic(format!("runtime error: hash of unhashable type {go_type}").into()))
    }
}

/// `cel.@mapInsert`: a map with an entry or with the entries of another; it grows in place if it is not shared.
pub(crate) fn insert<'a>(meter: &Meter, arguments: Vec<Value<'a>>) -> Outcome<'a> {
    let mut arguments = arguments.into_iter();
    let Some(Value::Map(map)) = arguments.next() else { return Err(Fault::no_such_overload()) };
    let (added, value) = (arguments.next(), arguments.next());
    let is_shared = !matches!(&map, Map::Entries(entries) if Arc::strong_count(entries) == 1);
    meter.charge_items(if is_shared { map.len() } else { 1 })?;
    let mut entries = into_entries(map);
    match (added, value) {
        (Some(key), Some(value)) => insert_entry(&mut entries, key, value)?,
        (Some(Value::Map(added)), None) => {
            meter.charge_items(added.len())?;
            for (key, value) in added.entries() {
                insert_entry(&mut entries, key, value)?;
            }
        }
        _ => return Err(Fault::no_such_overload()),
    }
    Ok(Value::Map(entries.into()))
}
