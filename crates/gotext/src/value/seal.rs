//! Marks on maps that need not be walked again.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A walk over values of a type that may change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Writes them as the encoder does.
    Encoding = 1,
    /// Writes them as they come back from the storage.
    Storage = 2,
    /// Drops the fields that the type does not have.
    Known = 4,
}

/// States that a walk over a map of some type finds nothing to change in it and below. The first write breaks it.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    address: usize,
    walk: Walk,
}

/// The bits of [`Walk`], which are free in the address of a type.
const WALKS: usize = Walk::Encoding as usize | Walk::Storage as usize | Walk::Known as usize;

impl Seal {
    /// Returns the seal of a `walk` over values of the type `target`.
    pub fn of<T>(walk: Walk, target: &'static T) -> Self {
        const { assert!(align_of::<T>() > WALKS, "the bits of an address are free") };
        Self { address: ptr::from_ref(target).addr(), walk }
    }
}

/// The seals of a map: those of the last type that it was walked as. A copy has none, as it is made to be written.
#[derive(Default)]
pub(super) struct Seals(AtomicUsize);

impl Seals {
    pub(super) fn has(&self, seal: Seal) -> bool {
        let seals = self.0.load(Ordering::Relaxed);
        seals & !WALKS == seal.address && seals & seal.walk as usize != 0
    }

    pub(super) fn has_walk(&self, walk: Walk) -> bool {
        self.0.load(Ordering::Relaxed) & walk as usize != 0
    }

    pub(super) fn add(&self, seal: Seal) {
        let seals = self.0.load(Ordering::Relaxed);
        let others = if seals & !WALKS == seal.address { seals } else { seal.address };
        self.0.store(others | seal.walk as usize, Ordering::Relaxed);
    }

    pub(super) fn break_all(&mut self) {
        *self.0.get_mut() = 0;
    }
}

impl Clone for Seals {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Seals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seals")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Map, Value, json};

    fn map<'a>(value: &'a Value, key: &str) -> &'a Map {
        value[key].as_object().expect("it is a map")
    }

    #[test]
    fn a_write_breaks_the_seals_on_its_path() {
        static ONE: u64 = 1;
        static OTHER: u64 = 2;
        let encoding = Seal::of(Walk::Encoding, &ONE);
        let mut value = json!({"a": {"b": [{"c": 1}]}, "d": {"e": 1}});
        value.as_object().expect("it is a map").seal(encoding);
        map(&value, "a").seal(encoding);
        map(&value, "d").seal(encoding);
        map(&value, "d").seal(Seal::of(Walk::Storage, &ONE));
        assert!(
            map(&value, "a").is_sealed(encoding)
                && !map(&value, "a").is_sealed(Seal::of(Walk::Storage, &ONE))
        );
        let before = value.clone();
        value["a"]["b"][0]["c"] = 2.into();
        assert!(!value.as_object().expect("it is a map").is_sealed(encoding));
        assert!(!map(&value, "a").is_sealed(encoding));
        assert!(
            map(&value, "d").is_sealed(encoding) && map(&value, "d").is_sealed(Seal::of(Walk::Storage, &ONE))
        );
        assert!(map(&before, "a").is_sealed(encoding));
        map(&value, "d").seal(Seal::of(Walk::Storage, &OTHER));
        assert!(!map(&value, "d").is_sealed(encoding));
    }
}
