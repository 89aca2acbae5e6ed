//! The path from the value that a schema is for to a part of it, formatted only if an error needs it.

use kube_api::Value;
use kube_api::field::Path;

use crate::custom_resource::schema::{ListType, Schema};

/// A place in a value under validation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    /// A field that the schema names.
    Property(&'a str),
    /// Any other field.
    Additional(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    pub(super) const ROOT: Self = Self { parent: None, step: Step::Root };

    pub(super) fn property(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Property(name) }
    }

    pub(super) fn additional(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Additional(name) }
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// Returns the path as messages print it: `spec.ports[0].name`, and nothing for the root.
    pub(super) fn text(&self) -> String {
        let mut text = self.parent.map_or_else(String::new, Place::text);
        match self.step {
            Step::Root => {}
            Step::Property(name) if text.is_empty() => text.push_str(name),
            // Upstream writes the dot even at the start.
            Step::Property(name) | Step::Additional(name) => text.extend([".", name]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
        text
    }

    /// Returns the same below `base`; nothing for the root of an object.
    pub(super) fn path(&self, base: Option<&Path>) -> Option<Path> {
        let Some(parent) = self.parent else { return base.cloned() };
        let above = parent.path(base);
        match self.step {
            Step::Root => above,
            Step::Property(name) | Step::Additional(name) => Some(field(above.as_ref(), name)),
            Step::Index(index) => above.map(|path| path.index(index)),
        }
    }
}

/// Returns the field `name` below `path`, or of the object.
pub(super) fn field(path: Option<&Path>, name: &str) -> Path {
    path.map_or_else(|| Path::named(name.to_owned()), |path| path.child(name.to_owned()))
}

/// A value of an update and the old value, if the two can be correlated: unchanged values may stay invalid.
///
/// Source: `CorrelatedObject` of `k8s.io/apiserver/pkg/cel/common`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update<'a> {
    pub(super) schema: &'a Schema,
    pub(super) new: &'a Value,
    pub(super) old: &'a Value,
}

impl Update<'_> {
    /// Returns the same field of both maps.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        let (new, old) = (self.new.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        Some(Self { schema: self.schema.field(name)?, new, old })
    }

    /// Returns an item of the new list and the one of the old list with the same keys.
    pub(super) fn item(self, index: usize) -> Option<Self> {
        let ListType::Map(keys) = &self.schema.list_type else { return None };
        let new = self.new.as_array()?.get(index)?;
        let wanted = key_of(new, keys)?;
        let old = self.old.as_array()?.iter().find(|item| key_of(item, keys).as_ref() == Some(&wanted))?;
        Some(Self { schema: self.schema.items.as_deref()?, new, old })
    }

    /// Whether nothing changed. Items of a list that are distinguished by keys may have moved; a field that no schema
    /// describes counts as changed.
    pub(super) fn is_unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                let is_map = matches!(self.schema.list_type, ListType::Map(_));
                new.len() == old.len()
                    && if is_map {
                        (0..new.len()).all(|index| self.item(index).is_some_and(Self::is_unchanged))
                    } else {
                        new == old
                    }
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.field(name).is_some_and(Self::is_unchanged))
            }
            (new, old) => new == old,
        }
    }
}

/// Returns the values of `keys`; nothing if one is missing or not a scalar.
fn key_of<'a>(item: &'a Value, keys: &[String]) -> Option<Vec<&'a Value>> {
    if keys.is_empty() {
        return None;
    }
    let value = |key: &String| item.as_object()?.get(key).filter(|value| !is_compound(value));
    keys.iter().map(value).collect()
}

fn is_compound(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Array(_) | Value::Object(_))
}
