//! Fields that were given with an empty value.

use crate::field::Segment;
use crate::{Map, Value};
use gotext::value::List;

/// A list or map that was given empty, which no encoding has: Go distinguishes it from an absent one while the object
/// stays in memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EmptyField {
    /// The path to it, last step first.
    steps: Vec<Segment>,
    is_list: bool,
}

impl EmptyField {
    /// Returns the field for `value`, if it is an empty list or map; its steps are still to be added.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        let is_list = match value {
            Value::Array(items) if items.is_empty() => true,
            Value::Object(entries) if entries.is_empty() => false,
            _ => return None,
        };
        Some(Self { steps: Vec::new(), is_list })
    }

    /// Adds the step before those so far.
    pub(crate) fn push(&mut self, step: Segment) {
        self.steps.push(step);
    }

    /// Whether it is at the named fields.
    pub(super) fn is_at(&self, fields: &[&str]) -> bool {
        let steps = self.steps.iter().rev();
        self.steps.len() == fields.len()
            && steps.zip(fields).all(|(step, field)| matches!(step, Segment::Field(name) if name == field))
    }

    /// Writes it into `object`, unless another value is there by now or the path to it is gone.
    pub(super) fn write(&self, object: &mut Value) {
        let Some((last, before)) = self.steps.split_first() else { return };
        let parent = before.iter().rev().try_fold(object, |value, step| match step {
            Segment::Field(name) => value.get_mut(name.as_ref()),
            Segment::Key(key) => value.get_mut(key),
            Segment::Index(index) => value.get_mut(index),
        });
        let (Some(Value::Object(parent)), Segment::Field(name)) = (parent, last) else { return };
        let slot = parent.entry(name.as_ref()).or_insert(Value::Null);
        if slot.is_null() {
            *slot = if self.is_list { Value::Array(List::default()) } else { Value::Object(Map::new()) };
        }
    }
}
