//! Values from Rust's own types, and comparisons with them.

use std::borrow::Cow;

use super::{List, Map, Number, Text, Value};

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        Self::String(text)
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        Self::String(text.into())
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Object(map)
    }
}

impl From<List> for Value {
    fn from(items: List) -> Self {
        Self::Array(items)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().collect())
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self::Object(pairs.into_iter().collect())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(value) => Self::Number(value),
            serde_json::Value::String(text) => Self::String(text.into()),
            serde_json::Value::Array(items) => items.into_iter().collect(),
            serde_json::Value::Object(map) => map.into_iter().collect(),
        }
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Number(value.into())
            }
        }

        equals!($type, |value: &Value, other: &$type| value.as_number() == Some(&Number::from(*other)));
    )*};
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            /// Returns a number that is not finite is `null`, as JSON has none.
            fn from(value: $type) -> Self {
                Number::from_f64(value.into()).map_or(Self::Null, Self::Number)
            }
        }

        equals!($type, |value: &Value, other: &$type| value.as_f64() == Some(f64::from(*other)));
    )*};
}

macro_rules! equals {
    ($type:ty, $equal:expr) => {
        impl PartialEq<$type> for Value {
            fn eq(&self, other: &$type) -> bool {
                $equal(self, other)
            }
        }

        impl PartialEq<$type> for &Value {
            fn eq(&self, other: &$type) -> bool {
                $equal(*self, other)
            }
        }

        impl PartialEq<Value> for $type {
            fn eq(&self, other: &Value) -> bool {
                $equal(other, self)
            }
        }
    };
}

numbers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
floats!(f32, f64);
equals!(bool, |value: &Value, other: &bool| value.as_bool() == Some(*other));
equals!(str, |value: &Value, other: &str| value.as_str() == Some(other));

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

impl PartialEq<Value> for &str {
    fn eq(&self, other: &Value) -> bool {
        other.as_str() == Some(*self)
    }
}
equals!(String, |value: &Value, other: &String| value.as_str() == Some(other));
equals!(Text, |value: &Value, other: &Text| value.as_str() == Some(other));
