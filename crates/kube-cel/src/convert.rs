//! Conversions between types: `int('1')`, `string(1.5)`, `timestamp(0)`.
//!
//! Source: the methods `ConvertToType` of cel-go's `common/types`.

use std::sync::Arc;

use super::failure::Fault;
use super::number;
use super::time::{Duration, Timestamp};
use super::value::Outcome;
use super::value::{Text, Value};

fn mismatch(value: &Value, to: &str) -> Fault {
    Fault::new(format!("type conversion error from '{}' to '{to}'", value.type_name()))
}

pub(super) fn to_type<'a>(value: &Value<'a>) -> Value<'a> {
    Value::Type(value.type_name().into())
}

pub(super) fn to_bool<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => {
            number::parse_bool(text).map(Value::Bool).ok_or_else(|| mismatch(value, "bool"))
        }
        _ => Err(mismatch(value, "bool")),
    }
}

pub(super) fn to_bytes<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Bytes(_) => Ok(value.clone()),
        Value::String(text) => Ok(Value::Bytes(Arc::from(text.as_bytes()))),
        _ => Err(mismatch(value, "bytes")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a conversion may lose digits")]
pub(super) fn to_double<'a>(value: &Value<'a>) -> Outcome<'a> {
    let converted = match value {
        Value::Double(value) => Some(*value),
        Value::Int(value) => Some(*value as f64),
        Value::Uint(value) => Some(*value as f64),
        Value::String(text) => number::parse_double(text),
        _ => None,
    };
    converted.map(Value::Double).ok_or_else(|| mismatch(value, "double"))
}

pub(super) fn to_int<'a>(value: &Value<'a>) -> Outcome<'a> {
    let converted = match value {
        Value::Int(value) => Some(*value),
        Value::Uint(value) => Some(i64::try_from(*value).map_err(|_| number::int_overflow())?),
        Value::Double(value) => Some(number::double_to_int(*value).ok_or_else(number::int_overflow)?),
        Value::String(text) => number::parse_int(text),
        Value::Duration(duration) => Some(duration.0),
        Value::Timestamp(time) => Some(time.seconds),
        _ => None,
    };
    converted.map(Value::Int).ok_or_else(|| mismatch(value, "int"))
}

pub(super) fn to_uint<'a>(value: &Value<'a>) -> Outcome<'a> {
    let converted = match value {
        Value::Uint(value) => Some(*value),
        Value::Int(value) => Some(u64::try_from(*value).map_err(|_| number::uint_overflow())?),
        Value::Double(value) => Some(number::double_to_uint(*value).ok_or_else(number::uint_overflow)?),
        Value::String(text) => number::parse_uint(text),
        _ => None,
    };
    converted.map(Value::Uint).ok_or_else(|| mismatch(value, "uint"))
}

pub(super) fn to_duration<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Duration(_) => Ok(value.clone()),
        Value::String(text) => Duration::parse(text)
            .map(Value::Duration)
            .ok_or_else(|| mismatch(value, "google.protobuf.Duration")),
        _ => Err(mismatch(value, "google.protobuf.Duration")),
    }
}

pub(super) fn to_timestamp<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Timestamp(_) => Ok(value.clone()),
        Value::Int(seconds) => Timestamp::from_seconds(*seconds)
            .map(Value::Timestamp)
            .ok_or_else(|| Fault::new("timestamp overflow")),
        Value::String(text) => match Timestamp::parse(text) {
            Some(time) => time.map(Value::Timestamp),
            None => Err(mismatch(value, "google.protobuf.Timestamp")),
        },
        _ => Err(mismatch(value, "google.protobuf.Timestamp")),
    }
}

pub(super) fn to_text<'a>(value: &Value<'a>) -> Result<Text<'a>, Fault> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string().into(),
        Value::Int(value) => value.to_string().into(),
        Value::Uint(value) => value.to_string().into(),
        Value::Double(value) => number::general(*value).into(),
        Value::Bytes(bytes) => std::str::from_utf8(bytes)
            .map_err(|_| Fault::new("invalid UTF-8 in bytes, cannot convert to string"))?
            .to_owned()
            .into(),
        Value::Null => "null".to_owned().into(),
        Value::Duration(duration) => duration.to_text().into(),
        Value::Timestamp(time) => time.to_text().into(),
        Value::Type(name) => Text::Shared(Arc::clone(name)),
        _ => return Err(mismatch(value, "string")),
    })
}
