//! The numbers of the names of fields in packed objects.
//!
//! Objects repeat few names. They are numbered in the order in which the process packs them first, from 1; a number is
//! never given to another name. What names an input has is its own affair, so there is a limit.

use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashMap;

use gotext::value::Text;

/// The number of names that have numbers, more than all built-in kinds together have in common use.
const MAX: usize = 4096;

/// The length of a name that may have a number.
const LONGEST: usize = 64;

static NAMES: LazyLock<RwLock<Names>> = LazyLock::new(RwLock::default);

#[derive(Debug, Default)]
struct Names {
    /// The numbers of names of at most 23 bytes, which are most.
    short: FxHashMap<Short, u32>,
    /// The numbers of the others.
    long: FxHashMap<Text, u32>,
    in_order: Vec<Text>,
}

/// A name as a number: its bytes, zeros, and its length. It is hashed and compared faster than text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Short(u64, u64, u64);

impl Short {
    fn of(name: &str) -> Option<Self> {
        let mut bytes = [[0; 8]; 3];
        let (last, start) = bytes.as_flattened_mut().split_last_mut()?;
        start.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        *last = name.len().to_le_bytes()[0];
        let [start, middle, end] = bytes.map(u64::from_le_bytes);
        Some(Self(start, middle, end))
    }
}

impl Names {
    fn number_of(&self, name: &Text) -> Option<u32> {
        match Short::of(name) {
            Some(short) => self.short.get(&short),
            None => self.long.get(name.as_str()),
        }
        .copied()
    }

    /// Returns the number of a name, which gets one if there is one left.
    fn numbered(&mut self, name: &Text) -> u32 {
        if let Some(number) = self.number_of(name) {
            return number;
        }
        if self.in_order.len() >= MAX {
            return 0;
        }
        self.in_order.push(name.clone());
        let number = u32::try_from(self.in_order.len()).unwrap_or_default();
        match Short::of(name) {
            Some(short) => drop(self.short.insert(short, number)),
            None => drop(self.long.insert(name.clone(), number)),
        }
        number
    }
}

fn read() -> RwLockReadGuard<'static, Names> {
    NAMES.read().unwrap_or_else(PoisonError::into_inner)
}

/// Finds the numbers of names, and numbers new ones.
#[derive(Default)]
pub(super) struct Named(Option<RwLockReadGuard<'static, Names>>);

impl Named {
    /// Returns the number of `name`; 0 if it has none. Most have one.
    #[inline]
    pub(super) fn number_of(&mut self, name: &Text) -> u32 {
        self.0.get_or_insert_with(read).number_of(name).unwrap_or_else(|| self.number_of_new(name))
    }

    #[cold]
    fn number_of_new(&mut self, name: &Text) -> u32 {
        if self.0.get_or_insert_with(read).in_order.len() >= MAX || name.len() > LONGEST {
            return 0;
        }
        // The lock is not held by this thread when another one waits to write.
        self.0 = None;
        NAMES.write().unwrap_or_else(PoisonError::into_inner).numbered(name)
    }
}

/// Finds the names of numbers.
#[derive(Default)]
pub(super) struct Known(Option<RwLockReadGuard<'static, Names>>);

impl Known {
    pub(super) fn name_of(&mut self, number: usize) -> Option<Text> {
        self.0.get_or_insert_with(read).in_order.get(number.checked_sub(1)?).cloned()
    }
}
