//! Maps, ordered as their entries were written or inserted.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::tree::TreeMap;
use super::{Key, Value};

/// A map: part of an object, or computed.
#[derive(Debug, Clone)]
pub enum Map<'a> {
    /// Part of an object: its keys are texts.
    Tree(TreeMap<'a>),
    /// Computed.
    Entries(Arc<Entries<'a>>),
}

/// The entries of a computed map.
#[derive(Clone, Default)]
pub struct Entries<'a> {
    pairs: Vec<(Value<'a>, Value<'a>)>,
    index: HashMap<Key<'a>, usize>,
    /// The value of every other key, where a key is looked up to be read.
    default: Option<Value<'a>>,
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.pairs.iter().map(|(key, value)| (key, value))).finish()
    }
}

impl<'a> Entries<'a> {
    fn position(&self, key: &Value<'a>) -> Option<usize> {
        if matches!(key, Value::Double(value) if value.is_nan()) {
            return None;
        }
        self.index.get(&Key::of(key)?).copied()
    }

    /// Sets an entry; an earlier one of the same key keeps its place. returns `false` if `key` cannot be a key.
    pub(crate) fn set(&mut self, key: Value<'a>, value: Value<'a>) -> bool {
        let Some(hashed) = Key::of(&key) else { return false };
        if let Some(position) = self.position(&key) {
            self.pairs[position].1 = value;
        } else {
            self.index.insert(hashed, self.pairs.len());
            self.pairs.push((key, value));
        }
        true
    }

    /// Returns the same map, in which every other key has the value `default` when it is read.
    pub(crate) fn with_default(self, default: Value<'a>) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(crate) fn remove(&mut self, key: &Value<'a>) {
        let Some(removed) = self.position(key) else { return };
        self.pairs.remove(removed);
        let entries = self.pairs.iter().enumerate();
        self.index = entries.filter_map(|(position, (key, _))| Some((Key::of(key)?, position))).collect();
    }

    /// Returns the value of a key, or of the same number written differently.
    pub(crate) fn find(&self, key: &Value<'a>) -> Option<&Value<'a>> {
        if let Some(position) = self.position(key) {
            return Some(&self.pairs[position].1);
        }
        let found = Key::of(key)?.alternatives().into_iter().flatten().find_map(|key| self.index.get(&key));
        found.map(|position| &self.pairs[*position].1)
    }
}

impl<'a> Map<'a> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Tree(fields) => fields.len(),
            Self::Entries(entries) => entries.pairs.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key.
    pub fn find(&self, key: &Value<'a>) -> Option<Value<'a>> {
        match (self, key) {
            (Self::Tree(fields), Value::String(name)) => fields.get(name),
            (Self::Tree(_), _) => None,
            (Self::Entries(entries), key) => entries.find(key).cloned(),
        }
    }

    /// Returns the value that reading a key yields: its own, or the default of the map.
    pub(crate) fn read(&self, key: &Value<'a>) -> Option<Value<'a>> {
        self.find(key).or_else(|| match self {
            Self::Tree(_) => None,
            Self::Entries(entries) => entries.default.clone(),
        })
    }

    /// Returns the entries in order.
    pub fn entries(&self) -> Box<dyn Iterator<Item = (Value<'a>, Value<'a>)> + '_> {
        match self {
            Self::Tree(fields) => {
                Box::new(fields.entries().map(|(name, value)| (Value::String(name), value)))
            }
            Self::Entries(entries) => Box::new(entries.pairs.iter().cloned()),
        }
    }
}

impl<'a> From<Entries<'a>> for Map<'a> {
    fn from(entries: Entries<'a>) -> Self {
        Self::Entries(Arc::new(entries))
    }
}
