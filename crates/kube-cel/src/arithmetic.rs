//! The operators `+`, `-`, `*`, `/`, `%` and negation.
//!
//! Source: the methods of cel-go's `common/types`.

use std::sync::Arc;

use super::equality::keyed;
use super::failure::Fault;
use super::meter::Meter;
use super::number::{int_overflow, uint_overflow};
use super::time::Duration;
use super::value::Outcome;
use super::value::{Text, Value};

fn int(value: Option<i64>) -> Outcome<'static> {
    value.map(Value::Int).ok_or_else(int_overflow)
}

fn uint(value: Option<u64>) -> Outcome<'static> {
    value.map(Value::Uint).ok_or_else(uint_overflow)
}

fn duration(value: Option<i64>) -> Outcome<'static> {
    value.map(|value| Value::Duration(Duration(value))).ok_or_else(int_overflow)
}

pub(super) fn add<'a>(meter: &Meter, left: Value<'a>, right: Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_add(right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_add(right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::String(left), Value::String(right)) => {
            meter.charge_text(left.len() + right.len())?;
            Ok(Value::String(Text::Shared([&*left, &*right].concat().into())))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            meter.charge_text(left.len() + right.len())?;
            Ok(Value::Bytes(Arc::from([&*left, &*right].concat())))
        }
        (Value::List(left), Value::List(right)) => match left.list_type() {
            Some(list_type) => keyed::add(meter, &left, &right, list_type).map(Value::List),
            None => Ok(Value::List(left.concat(right))),
        },
        (Value::Duration(left), Value::Duration(right)) => duration(left.0.checked_add(right.0)),
        (Value::Duration(duration), Value::Timestamp(time))
        | (Value::Timestamp(time), Value::Duration(duration)) => time.add(duration).map(Value::Timestamp),
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn subtract<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_sub(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_sub(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left - right)),
        (Value::Duration(left), Value::Duration(right)) => duration(left.0.checked_sub(right.0)),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.sub(*right).map(Value::Duration),
        (Value::Timestamp(time), Value::Duration(duration)) => {
            let negated = duration.0.checked_neg().ok_or_else(int_overflow)?;
            time.add(Duration(negated)).map(Value::Timestamp)
        }
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn multiply<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int(left.checked_mul(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_mul(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left * right)),
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn divide<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Fault::new("division by zero"))
        }
        (Value::Int(left), Value::Int(right)) => int(left.checked_div(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_div(*right)),
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left / right)),
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn modulo<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(Fault::new("modulus by zero"))
        }
        (Value::Int(left), Value::Int(right)) => int(left.checked_rem(*right)),
        (Value::Uint(left), Value::Uint(right)) => uint(left.checked_rem(*right)),
        _ => Err(Fault::no_such_overload()),
    }
}

pub(super) fn negate<'a>(value: &Value<'a>) -> Outcome<'a> {
    match value {
        Value::Int(value) => int(value.checked_neg()),
        Value::Double(value) => Ok(Value::Double(-value)),
        Value::Duration(value) => duration(value.0.checked_neg()),
        _ => Err(Fault::no_such_overload()),
    }
}
