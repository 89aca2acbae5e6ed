//! Lists.

use std::sync::Arc;

use super::Value;
use super::tree::TreeList;
use crate::schema::ListType;

/// A list: part of an object, computed, or two lists joined.
#[derive(Debug, Clone)]
pub enum List<'a> {
    /// Part of an object.
    Tree(TreeList<'a>),
    /// Computed.
    Items(Arc<Vec<Value<'a>>>),
    /// Joined, without a copy of either.
    Concat(Arc<Concat<'a>>),
    /// Computed from one whose items are not distinguished by their order.
    Keyed(Arc<Keyed<'a>>),
}

/// Items that are distinguished as the schema of a list demands.
#[derive(Debug)]
pub struct Keyed<'a> {
    items: Vec<Value<'a>>,
    list_type: &'a ListType,
}

/// Two joined lists.
#[derive(Debug)]
pub struct Concat<'a> {
    first: List<'a>,
    second: List<'a>,
    len: usize,
}

/// The number of items up to which they are copied to the end of an unshared list; more are joined.
const MAX_COPIED: usize = 32;

impl<'a> List<'a> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Tree(list) => list.len(),
            Self::Items(items) => items.len(),
            Self::Concat(concat) => concat.len,
            Self::Keyed(keyed) => keyed.items.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an item.
    pub fn get(&self, mut index: usize) -> Option<Value<'a>> {
        let mut list = self;
        loop {
            match list {
                Self::Tree(items) => return items.get(index),
                Self::Items(items) => return items.get(index).cloned(),
                Self::Keyed(keyed) => return keyed.items.get(index).cloned(),
                Self::Concat(concat) => {
                    let before = concat.first.len();
                    if index < before {
                        list = &concat.first;
                    } else {
                        (list, index) = (&concat.second, index - before);
                    }
                }
            }
        }
    }

    /// Returns an iterator over the items.
    pub fn iter(&self) -> Items<'_, 'a> {
        Items { open: vec![self], index: 0 }
    }

    /// Returns how the items are distinguished, if not by their order.
    pub(crate) fn list_type(&self) -> Option<&'a ListType> {
        match self {
            Self::Tree(list) => list.list_type(),
            Self::Keyed(keyed) => Some(keyed.list_type),
            Self::Items(_) | Self::Concat(_) => None,
        }
    }

    pub(crate) fn keyed(items: Vec<Value<'a>>, list_type: &'a ListType) -> Self {
        Self::Keyed(Arc::new(Keyed { items, list_type }))
    }

    /// Returns this list with another after it.
    #[must_use]
    pub(crate) fn concat(mut self, other: Self) -> Self {
        if let Self::Items(items) = &mut self
            && other.len() <= MAX_COPIED
            && let Some(items) = Arc::get_mut(items)
        {
            items.extend(other.iter());
            return self;
        }
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let len = self.len().saturating_add(other.len());
        Self::Concat(Arc::new(Concat { first: self, second: other, len }))
    }
}

/// An iterator over the items of a list.
#[derive(Debug)]
pub struct Items<'l, 'a> {
    /// The lists that are still to come, the next one last.
    open: Vec<&'l List<'a>>,
    /// The next item of the next list.
    index: usize,
}

impl<'l, 'a> IntoIterator for &'l List<'a> {
    type Item = Value<'a>;
    type IntoIter = Items<'l, 'a>;

    fn into_iter(self) -> Items<'l, 'a> {
        self.iter()
    }
}

impl<'a> Iterator for Items<'_, 'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        loop {
            let list = self.open.pop()?;
            if let List::Concat(concat) = list {
                self.open.extend([&concat.second, &concat.first]);
            } else if let Some(item) = list.get(self.index) {
                self.open.push(list);
                self.index += 1;
                return Some(item);
            } else {
                self.index = 0;
            }
        }
    }
}

impl<'a> From<Vec<Value<'a>>> for List<'a> {
    fn from(items: Vec<Value<'a>>) -> Self {
        Self::Items(Arc::new(items))
    }
}
