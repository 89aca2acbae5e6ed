//! Lists that are shared until one of them is written.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Value;

/// A list of values. A copy shares its items; the first write to a shared list copies them.
#[derive(Clone, Default)]
pub struct List(Option<Arc<Vec<Value>>>);

static EMPTY: Vec<Value> = Vec::new();

impl List {
    /// Whether both are one list in memory, and so equal without comparing the items.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(left), Some(right)) => Arc::ptr_eq(left, right),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether another copy shares the items, so that a write copies them.
    pub fn is_shared(&self) -> bool {
        self.0.as_ref().is_some_and(|items| Arc::strong_count(items) > 1)
    }
}

impl Deref for List {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl Eq for List {}

impl PartialEq<Vec<Value>> for List {
    fn eq(&self, other: &Vec<Value>) -> bool {
        **self == *other
    }
}

impl PartialEq<List> for Vec<Value> {
    fn eq(&self, other: &List) -> bool {
        *self == **other
    }
}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        Self((!items.is_empty()).then(|| Arc::new(items)))
    }
}

impl From<List> for Vec<Value> {
    fn from(list: List) -> Self {
        list.0.map(Arc::unwrap_or_clone).unwrap_or_default()
    }
}

impl<T: Into<Value>> FromIterator<T> for List {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().map(Into::into).collect::<Vec<Value>>().into()
    }
}

impl IntoIterator for List {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        Vec::from(self).into_iter()
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut List {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        // An empty list is not copied to be walked.
        if self.is_empty() { std::slice::IterMut::default() } else { self.iter_mut() }
    }
}
