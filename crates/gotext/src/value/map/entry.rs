//! The places of keys in a map.

use super::{Map, Text, Value};

/// The place of a key in a map.
#[derive(Debug)]
pub enum Entry<'a> {
    /// The key has a value.
    Occupied(OccupiedEntry<'a>),
    /// The key has none.
    Vacant(VacantEntry<'a>),
}

/// The place of a key that has a value.
#[derive(Debug)]
pub struct OccupiedEntry<'a> {
    pub(super) map: &'a mut Map,
    pub(super) position: usize,
}

/// The place of a key that has no value.
#[derive(Debug)]
pub struct VacantEntry<'a> {
    pub(super) map: &'a mut Map,
    pub(super) position: usize,
    pub(super) key: Text,
}

impl<'a> Entry<'a> {
    /// Returns the value, after inserting `value` where there was none.
    pub fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// Returns the value, after inserting what `make` returns where there was none.
    pub fn or_insert_with(self, make: impl FnOnce() -> Value) -> &'a mut Value {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }
}

impl<'a> OccupiedEntry<'a> {
    /// Returns the value.
    pub fn into_mut(self) -> &'a mut Value {
        &mut self.map.pairs_mut()[self.position].1
    }

    /// Returns the value.
    pub fn get(&self) -> &Value {
        &self.map.pairs()[self.position].1
    }

    /// Writes the value and returns the one before.
    pub fn insert(&mut self, value: Value) -> Value {
        std::mem::replace(&mut self.map.pairs_mut()[self.position].1, value)
    }
}

impl<'a> VacantEntry<'a> {
    /// Writes the value.
    pub fn insert(self, value: Value) -> &'a mut Value {
        let Self { map, position, key } = self;
        let value = map.adopted(&key, value);
        let entries = map.entries_mut();
        entries.insert(position, key, value);
        &mut entries.pairs[position].1
    }
}
