//! Keys of maps, distinguished as in Go: `1` and `1u` are two keys.

use std::sync::Arc;

use super::{Text, Value};

/// A key that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(u64),
    String(Text<'a>),
    Type(Arc<str>),
    Duration(i64),
    Timestamp(i64, u32, i32),
}

impl<'a> Key<'a> {
    /// Returns a value as a key; `None` for a type that Go cannot use as one.
    pub(crate) fn of(value: &Value<'a>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Uint(value) => Self::Uint(*value),
            Value::Double(value) => Self::Double(if *value == 0.0 { 0 } else { value.to_bits() }),
            Value::String(text) => Self::String(text.clone()),
            Value::Type(name) => Self::Type(Arc::clone(name)),
            Value::Duration(duration) => Self::Duration(duration.0),
            Value::Timestamp(time) => Self::Timestamp(time.seconds, time.nanoseconds, time.offset),
            _ => return None,
        })
    }

    /// Returns the other keys that the same number may be written as, in the order of their lookup.
    pub(crate) fn alternatives(&self) -> [Option<Self>; 2] {
        match self {
            Self::Double(bits) => {
                let value = f64::from_bits(*bits);
                [double_to_int(value).map(Self::Int), double_to_uint(value).map(Self::Uint)]
            }
            Self::Int(value) => [u64::try_from(*value).ok().map(Self::Uint), None],
            Self::Uint(value) => [i64::try_from(*value).ok().map(Self::Int), None],
            _ => [None, None],
        }
    }
}

/// Implements `doubleToInt64Lossless`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "it is checked that nothing is lost"
)]
#[expect(clippy::float_cmp, reason = "equality is what CEL asks")]
pub(crate) fn double_to_int(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value > -END && value < END && (value as i64) as f64 == value).then_some(value as i64)
}

/// Implements `doubleToUint64Lossless`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "it is checked that nothing is lost"
)]
#[expect(clippy::float_cmp, reason = "equality is what CEL asks")]
pub(crate) fn double_to_uint(value: f64) -> Option<u64> {
    const END: f64 = 18_446_744_073_709_551_616.0;
    ((0.0..END).contains(&value) && (value as u64) as f64 == value).then_some(value as u64)
}
