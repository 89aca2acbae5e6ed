//! Maps that are shared until one of them is written: sorted pairs, as objects have few fields.

mod entry;
mod iter;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops;
use std::sync::Arc;

#[cfg(debug_assertions)]
use super::Fields;
use super::seal::Seals;
use super::tags::{TagKey, Tags};
use super::{Seal, Text, Value, Walk};

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{IntoIter, Iter, IterMut};

/// A map from text to values, ordered by the bytes of the keys. A copy shares its entries; the first write to a shared
/// map copies them.
#[derive(Clone, Default)]
pub struct Map(Option<Arc<Entries>>);

#[derive(Clone, Default)]
struct Entries {
    pairs: Vec<(Text, Value)>,
    tags: Tags,
    seals: Seals,
    #[cfg(debug_assertions)]
    fields: Option<&'static dyn Fields>,
}

impl Entries {
    fn insert(&mut self, position: usize, key: Text, value: Value) {
        self.tags.insert(position, &key);
        self.pairs.insert(position, (key, value));
    }

    fn remove(&mut self, position: usize) -> (Text, Value) {
        let removed = self.pairs.remove(position);
        self.tags = Tags::of(&self.pairs);
        removed
    }

    /// Returns the position of a key whose tag may be there.
    #[inline(never)]
    fn position(&self, key: &TagKey<'_>) -> Option<usize> {
        if self.pairs.len() > Tags::MAX {
            return self.pairs.binary_search_by(|(found, _)| found.as_str().cmp(key.text())).ok();
        }
        self.tags.find(key, |position| self.pairs.get(position).is_some_and(|(found, _)| key.is(found)))
    }
}

impl Map {
    /// Returns a map without entries.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Returns a map with room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::of(Vec::with_capacity(capacity))
    }

    fn of(pairs: Vec<(Text, Value)>) -> Self {
        let tags = Tags::of(&pairs);
        Self(Some(Arc::new(Entries {
            pairs,
            tags,
            seals: Seals::default(),
            #[cfg(debug_assertions)]
            fields: None,
        })))
    }

    fn pairs(&self) -> &[(Text, Value)] {
        self.0.as_deref().map_or(&[], |entries| &entries.pairs)
    }

    /// Returns the entries to change them.
    fn entries_mut(&mut self) -> &mut Entries {
        let entries = Arc::make_mut(self.0.get_or_insert_default());
        entries.seals.break_all();
        entries
    }

    /// Returns the pairs to change their values.
    fn pairs_mut(&mut self) -> &mut [(Text, Value)] {
        &mut self.entries_mut().pairs
    }

    /// Returns the position of `key`. Most keys that are looked up are absent, and found to be without a call.
    #[inline]
    fn position(&self, key: &str) -> Option<usize> {
        let key = TagKey::of(key);
        let entries = self.0.as_deref().filter(|entries| entries.tags.may_have(&key))?;
        entries.position(&key)
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        let pairs = self.pairs();
        // Maps are mostly filled in order.
        if pairs.last().is_none_or(|(last, _)| last.as_str() < key) {
            return Err(pairs.len());
        }
        pairs.binary_search_by(|(found, _)| found.as_str().cmp(key))
    }

    /// Whether both are one map in memory, and so equal without comparing the entries.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(left), Some(right)) => Arc::ptr_eq(left, right),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether another copy shares the entries, so that a write copies them.
    pub fn is_shared(&self) -> bool {
        self.0.as_ref().is_some_and(|entries| Arc::strong_count(entries) > 1)
    }

    /// Whether `seal` holds for the map. An empty map has none.
    pub fn is_sealed(&self, seal: Seal) -> bool {
        self.0.as_ref().is_some_and(|entries| entries.seals.has(seal))
    }

    /// Whether the seal of `walk` holds for the map as a value of some type.
    pub fn is_sealed_by(&self, walk: Walk) -> bool {
        self.0.as_ref().is_some_and(|entries| entries.seals.has_walk(walk))
    }

    /// Notes that `seal` holds for the map, until the next write to it or below.
    pub fn seal(&self, seal: Seal) {
        if let Some(entries) = &self.0 {
            entries.seals.add(seal);
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.pairs().len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.pairs().is_empty()
    }

    /// Returns the value of `key`. In debug builds a map that knows its type demands that the type has the field.
    #[cfg_attr(debug_assertions, track_caller)]
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.check(key);
        self.look_up(key)
    }

    /// Returns the value of `key` to change it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.check(key);
        self.look_up_mut(key)
    }

    /// Returns the value of a `key` that the input names and not the program: the type need not have it.
    #[inline]
    pub fn look_up(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|position| &self.pairs()[position].1)
    }

    /// Returns the value of a `key` that the input names, to change it.
    pub fn look_up_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).map(|position| &mut self.pairs_mut()[position].1)
    }

    /// Returns the key as the map holds it, and its value.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get_key_value(&self, key: &str) -> Option<(&Text, &Value)> {
        self.check(key);
        self.position(key).map(|position| &self.pairs()[position]).map(|(key, value)| (key, value))
    }

    /// Whether there is a value of `key`.
    #[cfg_attr(debug_assertions, track_caller)]
    #[inline]
    pub fn contains_key(&self, key: &str) -> bool {
        self.check(key);
        self.position(key).is_some()
    }

    /// Writes the value of `key` and returns the one before.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn insert(&mut self, key: impl Into<Text>, value: Value) -> Option<Value> {
        let key = key.into();
        self.check(&key);
        let value = self.adopted(&key, value);
        match self.place(&key) {
            Ok(position) => Some(std::mem::replace(&mut self.pairs_mut()[position].1, value)),
            Err(position) => {
                self.entries_mut().insert(position, key, value);
                None
            }
        }
    }

    /// Removes `key` and returns its value.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes `key` and returns it with its value.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn remove_entry(&mut self, key: &str) -> Option<(Text, Value)> {
        self.check(key);
        let position = self.position(key)?;
        Some(self.entries_mut().remove(position))
    }

    /// Returns the place of `key`, to write it if it is absent.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn entry(&mut self, key: impl Into<Text>) -> Entry<'_> {
        let key = key.into();
        self.check(&key);
        match self.place(&key) {
            Ok(position) => Entry::Occupied(OccupiedEntry { map: self, position }),
            Err(position) => Entry::Vacant(VacantEntry { map: self, position, key }),
        }
    }

    /// Keeps the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text, &mut Value) -> bool) {
        if !self.is_empty() {
            let entries = self.entries_mut();
            let before = entries.pairs.len();
            entries.pairs.retain_mut(|(key, value)| keep(key, value));
            if entries.pairs.len() < before {
                entries.tags = Tags::of(&entries.pairs);
            }
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            let entries = self.entries_mut();
            entries.pairs.clear();
            entries.tags = Tags::default();
        }
    }

    /// Moves the entries of `other` here.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    /// Returns the entries, ordered by key.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.pairs().iter())
    }

    /// Returns the entries, to change their values.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        // An empty map is not copied to be walked.
        IterMut(if self.is_empty() { std::slice::IterMut::default() } else { self.pairs_mut().iter_mut() })
    }

    /// Returns the keys in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text> + ExactSizeIterator + Clone {
        self.pairs().iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of the keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.pairs().iter().map(|(_, value)| value)
    }

    /// Returns the values in the order of the keys, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.iter_mut().map(|(_, value)| value)
    }

    #[cfg(debug_assertions)]
    #[track_caller]
    fn check(&self, key: &str) {
        if let Some(fields) = self.0.as_ref().and_then(|entries| entries.fields) {
            assert!(fields.has(key), "`{}` has no field `{key}`", fields.type_name());
        }
    }

    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_self, reason = "release builds trust the names of fields")]
    fn check(&self, _: &str) {}

    #[cfg(debug_assertions)]
    fn adopted(&self, key: &str, mut value: Value) -> Value {
        if let Some(fields) = self.0.as_ref().and_then(|entries| entries.fields) {
            fields.adopt(key, &mut value);
        }
        value
    }

    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_self, reason = "release builds trust the names of fields")]
    fn adopted(&self, _: &str, value: Value) -> Value {
        value
    }

    /// Whether the map knows its type.
    #[cfg(debug_assertions)]
    pub fn knows_fields(&self) -> bool {
        self.0.as_ref().is_some_and(|entries| entries.fields.is_some())
    }

    /// Lets the map know the type that it was read as, or forget it.
    #[cfg(debug_assertions)]
    pub fn know_fields(&mut self, fields: Option<&'static dyn Fields>) {
        Arc::make_mut(self.0.get_or_insert_default()).fields = fields;
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.pairs() == other.pairs()
    }
}

impl Eq for Map {}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pairs().hash(state);
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self).finish()
    }
}

impl ops::Index<&str> for Map {
    type Output = Value;

    #[cfg_attr(debug_assertions, track_caller)]
    fn index(&self, key: &str) -> &Value {
        self.get(key).expect("an indexed map has the key")
    }
}

impl ops::IndexMut<&str> for Map {
    #[cfg_attr(debug_assertions, track_caller)]
    fn index_mut(&mut self, key: &str) -> &mut Value {
        self.get_mut(key).expect("an indexed map has the key")
    }
}

impl From<Vec<(Text, Value)>> for Map {
    /// Returns the map of `pairs`. The last of equal keys counts.
    fn from(mut pairs: Vec<(Text, Value)>) -> Self {
        if pairs.is_empty() {
            return Self::new();
        }
        if !pairs.is_sorted_by(|(left, _), (right, _)| left.as_str() < right.as_str()) {
            // The sort is stable.
            pairs.sort_by(|(left, _), (right, _)| left.as_str().cmp(right.as_str()));
            pairs.dedup_by(|later, kept| {
                let is_repeated = later.0 == kept.0;
                if is_repeated {
                    std::mem::swap(&mut later.1, &mut kept.1);
                }
                is_repeated
            });
        }
        Self::of(pairs)
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value.into()));
        Self::from(pairs.collect::<Vec<_>>())
    }
}

impl<K: Into<Text>, V: Into<Value>> Extend<(K, V)> for Map {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value.into());
        }
    }
}
