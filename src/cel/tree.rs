//! Objects of the API as values: the only place of the interpreter that knows how an object's tree is made.
//!
//! A list or map of the tree is borrowed where it is; its items become values one by one, as they are read.

use crate::api;

use super::value::{List, Map, Text, Value};

/// A list in an object's tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeList<'a> {
    items: &'a [api::Value],
}

/// A map in an object's tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeMap<'a> {
    fields: &'a api::Map,
}

impl<'a> TreeList<'a> {
    pub(super) fn len(self) -> usize {
        self.items.len()
    }

    pub(super) fn get(self, index: usize) -> Option<Value<'a>> {
        self.items.get(index).map(Value::from)
    }
}

impl<'a> TreeMap<'a> {
    pub(super) fn len(self) -> usize {
        self.fields.len()
    }

    pub(super) fn get(self, name: &str) -> Option<Value<'a>> {
        self.fields.get(name).map(Value::from)
    }

    pub(super) fn entries(self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), Value::from(value)))
    }
}

/// As `k8s.io/apimachinery` decodes JSON: whole numbers that fit are `int`, the others `double`.
impl<'a> From<&'a api::Value> for Value<'a> {
    fn from(value: &'a api::Value) -> Self {
        match value {
            api::Value::Null => Self::Null,
            api::Value::Bool(value) => Self::Bool(*value),
            api::Value::Number(number) => match number.as_i64() {
                Some(whole) => Self::Int(whole),
                None => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            api::Value::String(text) => Self::String(Text::Borrowed(text)),
            api::Value::Array(items) => Self::List(List::Tree(TreeList { items })),
            api::Value::Object(fields) => Self::Map(Map::Tree(TreeMap { fields })),
        }
    }
}
