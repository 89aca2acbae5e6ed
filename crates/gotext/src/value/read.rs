//! Reading fields by name: the same verbs for maps, values and objects.
//!
//! Nothing here fails: a step into something that is not there, or is of another type, yields nothing, and `null` counts
//! as absent. In debug builds a map that knows its type asserts that the type has the field.

use std::{iter, slice};

use super::{Map, Value};

/// The names of the fields from a value down to one below it: one name, or several.
pub trait Steps {
    /// Returns the names, outermost first.
    fn names(&self) -> &[&str];
}

impl Steps for &str {
    fn names(&self) -> &[&str] {
        slice::from_ref(self)
    }
}

impl Steps for [&str] {
    fn names(&self) -> &[&str] {
        self
    }
}

impl<const N: usize> Steps for [&str; N] {
    fn names(&self) -> &[&str] {
        self
    }
}

impl Steps for Vec<&str> {
    fn names(&self) -> &[&str] {
        self
    }
}

impl<S: Steps + ?Sized> Steps for &S {
    fn names(&self) -> &[&str] {
        (**self).names()
    }
}

/// The maps of a list.
pub type Items<'a> = iter::FilterMap<slice::Iter<'a, Value>, fn(&'a Value) -> Option<&'a Map>>;

/// Defines the verbs that read what a method `at` finds.
#[macro_export]
macro_rules! readers {
    () => {
        /// Returns the text at the named fields, or an empty one.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn text(&self, fields: impl $crate::value::Steps) -> &str {
            self.at(fields).and_then($crate::value::Value::as_str).unwrap_or_default()
        }

        /// Returns the number at the named fields, or 0.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn int(&self, fields: impl $crate::value::Steps) -> i64 {
            self.at(fields).and_then($crate::value::Value::as_i64).unwrap_or_default()
        }

        /// Whether the flag at the named fields is true.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn flag(&self, fields: impl $crate::value::Steps) -> bool {
            self.at(fields).and_then($crate::value::Value::as_bool).unwrap_or_default()
        }

        /// Whether there is anything at the named fields.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn has(&self, fields: impl $crate::value::Steps) -> bool {
            self.at(fields).is_some()
        }

        /// Whether the named field is unset to Go, as one that is not a pointer: absent, `null`, empty text, list or map,
        /// zero, false.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn is_zero(&self, fields: impl $crate::value::Steps) -> bool {
            self.at(fields).is_none_or($crate::value::Value::is_zero_value)
        }

        /// Returns the list at the named fields, or an empty one.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn list(&self, fields: impl $crate::value::Steps) -> &[$crate::value::Value] {
            self.at(fields).and_then($crate::value::Value::as_array).map_or(&[], Vec::as_slice)
        }

        /// Returns the maps in the list at the named fields.
        #[cfg_attr(debug_assertions, track_caller)]
        pub fn items(&self, fields: impl $crate::value::Steps) -> $crate::value::Items<'_> {
            self.list(fields).iter().filter_map($crate::value::Value::as_object)
        }
    };
}

impl Value {
    /// Returns the value at the named fields.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn at(&self, fields: impl Steps) -> Option<&Self> {
        let mut value = self;
        for field in fields.names() {
            value = value.get(*field)?;
        }
        (!value.is_null()).then_some(value)
    }

    /// Returns the map at the named fields.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn child(&self, fields: impl Steps) -> Option<&Map> {
        self.at(fields)?.as_object()
    }

    /// Whether it is a value that Go leaves out as empty: `null`, empty text, list or map, zero, false.
    pub fn is_zero_value(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(flag) => !flag,
            Self::Number(number) => number.as_f64() == Some(0.0),
            Self::String(text) => text.is_empty(),
            Self::Array(items) => items.is_empty(),
            Self::Object(entries) => entries.is_empty(),
        }
    }

    crate::readers!();
}

impl Map {
    /// Returns the value at the named fields, of which there is at least one.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn at(&self, fields: impl Steps) -> Option<&Value> {
        let (first, rest) = fields.names().split_first()?;
        self.get(first)?.at(rest)
    }

    /// Returns the map at the named fields: itself if there are none.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn child(&self, fields: impl Steps) -> Option<&Self> {
        let mut map = self;
        for field in fields.names() {
            map = map.get(field)?.as_object()?;
        }
        Some(map)
    }

    crate::readers!();
}

#[cfg(test)]
mod tests {
    use crate::value::json;

    #[test]
    fn a_step_into_another_type_finds_nothing() {
        let value = json!({"spec": "text", "items": [{"a": 1}, 2, null], "count": "3", "none": null});
        let map = value.as_object().expect("a map");
        assert_eq!((map.child("spec"), value.child(["spec", "template"])), (None, None));
        assert_eq!((map.items("items").count(), map.items("spec").count()), (1, 0));
        assert_eq!((map.int("count"), map.text("count"), map.text("items")), (0, "3", ""));
        assert_eq!((map.has("items"), map.has("none"), value.has("other")), (true, false, false));
        assert_eq!(map.child([]), Some(map));
        assert!(map.is_zero("none") && !map.is_zero("spec"));
    }
}
