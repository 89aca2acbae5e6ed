//! The tree that every object, patch and configuration is read into.
//!
//! A value is a JSON value. The type suits objects that are read once, inspected often and changed a little: maps and
//! lists are shared, so a copy of a tree costs nothing, a write copies only the containers on its path, and two
//! versions of an object are compared by address first. Short text is kept in place.
//!
//! In debug builds a map may know the type that it was read as ([`Fields`]); asking it for a field that the type does
//! not have is then a bug in kadmit.

mod convert;
mod fields;
mod index;
mod json;
mod list;
mod map;
mod read;
mod seal;
mod tags;
mod text;

use std::borrow::Cow;
use std::fmt;

pub use fields::Fields;
pub use index::Index;
pub use json::{Of, Shared, Written};
pub use list::List;
pub use map::{Entry, IntoIter, Iter, IterMut, Map, OccupiedEntry, VacantEntry};
pub use read::{Items, Steps};
pub use seal::{Seal, Walk};
pub use serde_json::Number;
pub use smol_str::SmolStr as Text;
pub use text::{from_value, to_value};

pub use crate::json;
use crate::pointer::unescape;

/// A JSON value; maps are ordered by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that fits a 64-bit integer, or a 64-bit float.
    Number(Number),
    /// Text.
    String(Text),
    /// A list.
    Array(List),
    /// A map.
    Object(Map),
}

impl Value {
    /// Returns the tree without its types, so that it can be changed freely. Release builds trust the names of fields
    /// anyway.
    #[must_use]
    pub fn untyped(self) -> Self {
        #[cfg(debug_assertions)]
        {
            let mut tree = self;
            match &mut tree {
                Self::Object(map) => {
                    map.know_fields(None);
                    map.iter_mut().for_each(|(_, value)| *value = std::mem::take(value).untyped());
                }
                Self::Array(items) => {
                    items.iter_mut().for_each(|value| *value = std::mem::take(value).untyped());
                }
                _ => {}
            }
            tree
        }
        #[cfg(not(debug_assertions))]
        self
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Whether this is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether this is a whole number that fits `i64`.
    pub fn is_i64(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_i64())
    }

    /// Whether this is a whole number that fits `u64`.
    pub fn is_u64(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_u64())
    }

    /// Whether this is a number that was written as a float.
    pub fn is_f64(&self) -> bool {
        matches!(self, Self::Number(number) if number.is_f64())
    }

    /// Whether this is text.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Whether this is a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Whether this is a map.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the truth, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the number, if this is a whole one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number, if this is a whole one that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number as a float, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the list, if this is one.
    pub fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the list, if this is one, to change it.
    pub fn as_array_mut(&mut self) -> Option<&mut List> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the map, if this is one.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the map, if this is one, to change it.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the value of a key of a map, or at a position of a list.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get(&self, index: impl Index) -> Option<&Self> {
        index.of(self)
    }

    /// Returns the value of a key of a map, or at a position of a list, to change it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get_mut(&mut self, index: impl Index) -> Option<&mut Self> {
        index.of_mut(self)
    }

    /// Returns the value of a `key` that the input names and not the program: the type need not have it.
    pub fn look_up(&self, key: &str) -> Option<&Self> {
        self.as_object()?.look_up(key)
    }

    /// Returns the value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(map) => map.look_up(&step),
            Self::Array(items) => items.get(position(&step)?),
            _ => None,
        })
    }

    /// Returns the value at a JSON pointer (RFC 6901), to change it.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(map) => map.look_up_mut(&step),
            Self::Array(items) => items.get_mut(position(&step)?),
            _ => None,
        })
    }

    /// Whether this is a map or list that another copy shares, so that a write copies it.
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Array(items) => items.is_shared(),
            Self::Object(map) => map.is_shared(),
            _ => false,
        }
    }

    /// Returns the value; `null` is left in its place.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

fn steps(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    Some(pointer.split('/').skip(1).map(unescape))
}

/// Returns the position that a step of a JSON pointer names.
fn position(step: &str) -> Option<usize> {
    if step.starts_with('+') || step.starts_with('0') && step.len() > 1 {
        return None;
    }
    step.parse().ok()
}

impl fmt::Display for Value {
    /// Writes compact JSON; `{:#}` indents it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indents = formatter.alternate();
        let text = if indents { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        formatter.write_str(&text.map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests;
