//! The numbers of the names of fields in packed objects.
//!
//! Objects repeat few names. They are numbered in the order in which the process packs them first, from 1; a number is
//! never given to another name. What names an input has is its own affair, so there is a limit.

use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashMap;

use crate::value::Text;

/// The number of names that have numbers, more than all built-in kinds together have in common use.
const MOST: usize = 4096;

/// The length of a name that may have a number.
const LONGEST: usize = 64;

static NAMES: LazyLock<RwLock<Names>> = LazyLock::new(RwLock::default);

#[derive(Debug, Default)]
struct Names {
    numbers: FxHashMap<Text, u32>,
    names: Vec<Text>,
}

fn read() -> RwLockReadGuard<'static, Names> {
    NAMES.read().unwrap_or_else(PoisonError::into_inner)
}

/// Finds the numbers of names, and numbers new ones.
#[derive(Default)]
pub(super) struct Named(Option<RwLockReadGuard<'static, Names>>);

impl Named {
    /// Returns the number of `name`; 0 if it has none.
    pub(super) fn number_of(&mut self, name: &Text) -> u32 {
        let names = self.0.get_or_insert_with(read);
        if let Some(number) = names.numbers.get(name.as_str()) {
            return *number;
        }
        if names.names.len() >= MOST || name.len() > LONGEST {
            return 0;
        }
        // The lock is not held by this thread when another one waits to write.
        self.0 = None;
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        let Names { numbers, names } = &mut *names;
        *numbers.entry(name.clone()).or_insert_with(|| {
            if names.len() >= MOST {
                return 0;
            }
            names.push(name.clone());
            u32::try_from(names.len()).unwrap_or_default()
        })
    }
}

/// Finds the names of numbers.
#[derive(Default)]
pub(super) struct Known(Option<RwLockReadGuard<'static, Names>>);

impl Known {
    pub(super) fn name_of(&mut self, number: usize) -> Option<Text> {
        self.0.get_or_insert_with(read).names.get(number.checked_sub(1)?).cloned()
    }
}
