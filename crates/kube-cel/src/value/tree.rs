//! Objects of the API as values: the only place of the interpreter that knows how an object's tree is built.
//!
//! A list or map of the tree is borrowed; its items become values one by one, as they are read, typed by their schema
//! if there is one.

use super::{List, Map, Text, Value};
use crate::escape::{escape, unescape};
use crate::schema::{ListType, ValueSchema};

/// A list in an object's tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeList<'a> {
    items: &'a [gotext::value::Value],
    schema: Option<(&'a ValueSchema, &'a ListType)>,
}

/// A map in an object's tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeMap<'a> {
    fields: &'a gotext::value::Map,
    schema: Option<&'a ValueSchema>,
}

impl<'a> TreeList<'a> {
    pub(crate) fn typed(
        items: &'a [gotext::value::Value],
        item: &'a ValueSchema,
        list_type: &'a ListType,
    ) -> Self {
        Self { items, schema: Some((item, list_type)) }
    }

    pub(crate) fn len(self) -> usize {
        self.items.len()
    }

    pub(crate) fn get(self, index: usize) -> Option<Value<'a>> {
        let item = self.items.get(index)?;
        Some(match self.schema {
            Some((schema, _)) => Value::typed(item, schema),
            None => Value::from(item),
        })
    }

    /// Returns how its items are distinguished, if not by their order.
    pub(crate) fn list_type(self) -> Option<&'a ListType> {
        self.schema.map(|(_, list_type)| list_type).filter(|list_type| **list_type != ListType::Atomic)
    }
}

impl<'a> TreeMap<'a> {
    pub(crate) fn typed(fields: &'a gotext::value::Map, schema: &'a ValueSchema) -> Self {
        Self { fields, schema: Some(schema) }
    }

    pub(crate) fn len(self) -> usize {
        self.fields.len()
    }

    pub(crate) fn get(self, name: &str) -> Option<Value<'a>> {
        match self.schema {
            None => self.fields.look_up(name).map(Value::from),
            Some(ValueSchema::Object(properties)) => {
                let name = unescape(name)?;
                let value = self.fields.look_up(&name).filter(|value| !value.is_null())?;
                Some(Value::typed(value, properties.get(&name)?))
            }
            Some(ValueSchema::Map(schema)) => {
                self.fields.look_up(name).map(|value| Value::typed(value, schema))
            }
            Some(_) => None,
        }
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = (Text<'a>, Value<'a>)> {
        self.fields.iter().filter_map(move |(name, value)| match self.schema {
            None => Some((Text::Borrowed(name), Value::from(value))),
            Some(ValueSchema::Object(properties)) => {
                let value = Value::typed(value, properties.get(name.as_str())?);
                let escaped = escape(name).filter(|escaped| escaped != name);
                Some((escaped.map_or(Text::Borrowed(name), Text::from), value))
            }
            Some(ValueSchema::Map(schema)) => Some((Text::Borrowed(name), Value::typed(value, schema))),
            Some(_) => None,
        })
    }
}

/// Converts as `k8s.io/apimachinery` decodes JSON: whole numbers that fit are `int`, the others `double`.
impl<'a> From<&'a gotext::value::Value> for Value<'a> {
    fn from(value: &'a gotext::value::Value) -> Self {
        match value {
            gotext::value::Value::Null => Self::Null,
            gotext::value::Value::Bool(value) => Self::Bool(*value),
            gotext::value::Value::Number(number) => match number.as_i64() {
                Some(whole) => Self::Int(whole),
                None => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            gotext::value::Value::String(text) => Self::String(Text::Borrowed(text)),
            gotext::value::Value::Array(items) => Self::List(List::Tree(TreeList { items, schema: None })),
            gotext::value::Value::Object(fields) => Self::Map(Map::Tree(TreeMap { fields, schema: None })),
        }
    }
}
