//! Maps by names that are ours, or of which there are few: fields, kinds, resources, gates.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by names. Its hashes take little time and can be foreseen, so it is not for keys that the input can choose
/// without limit.
pub type NameMap<K, V> = HashMap<K, V, BuildHasherDefault<NameHasher>>;

/// Hashes eight bytes at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameHasher(u64);

impl NameHasher {
    fn add(&mut self, word: u64) {
        /// An odd number without a pattern: the fraction of the golden ratio.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        // The last bits of a product depend on the last bits of its factors alone.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }
}
