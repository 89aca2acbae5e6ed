//! Hashes of names in four bytes, for tables of many objects: what has the same hash is compared by its name.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Returns the hash of a name, shortened. Different names may have the same.
pub(crate) fn of(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    let [.., a, b, c, d] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Returns the hash with all bits that a table looks at.
pub(crate) fn spread(hash: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hash.hash(&mut hasher);
    hasher.finish()
}
