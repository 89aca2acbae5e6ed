//! Steps into a value: by a key, by a position.

use std::ops;

use super::{Map, Text, Value};

static NULL: Value = Value::Null;

/// A step from a value to one below it: a key or a position.
pub trait Index {
    /// Returns the value below `value`.
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value>;

    /// Returns the value below `value`, to change it.
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;

    /// Returns the value below `value`, created where the type of `value` allows it.
    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value;
}

impl Index for usize {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match value {
            Value::Array(items) => items.get(*self),
            _ => None,
        }
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match value {
            Value::Array(items) => items.get_mut(*self),
            _ => None,
        }
    }

    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        let Value::Array(items) = value else { panic!("item {self} of a value that is not a list") };
        &mut items[*self]
    }
}

impl Index for str {
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match value {
            Value::Object(map) => map.get(self),
            _ => None,
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match value {
            Value::Object(map) => map.get_mut(self),
            _ => None,
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        let Value::Object(map) = value else { panic!("field `{self}` of a value that is not a map") };
        map.entry(self).or_insert(Value::Null)
    }
}

impl Index for String {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.as_str().of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().of_mut(value)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        self.as_str().get_or_insert(value)
    }
}

impl Index for Text {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.as_str().of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().of_mut(value)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        self.as_str().get_or_insert(value)
    }
}

impl<T: Index + ?Sized> Index for &T {
    #[cfg_attr(debug_assertions, track_caller)]
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).of(value)
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_mut(value)
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn get_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        (**self).get_or_insert(value)
    }
}

impl<I: Index> ops::Index<I> for Value {
    type Output = Value;

    /// Returns the value below; `null` where there is none.
    #[cfg_attr(debug_assertions, track_caller)]
    fn index(&self, index: I) -> &Value {
        index.of(self).unwrap_or(&NULL)
    }
}

impl<I: Index> ops::IndexMut<I> for Value {
    /// Returns the value below; an absent key is created, in a `null` as well.
    #[cfg_attr(debug_assertions, track_caller)]
    fn index_mut(&mut self, index: I) -> &mut Value {
        index.get_or_insert(self)
    }
}
