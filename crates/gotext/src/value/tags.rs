//! Bytes by which the keys of a map are found without looking at them.

use super::{Text, Value};

/// The tags of the first keys of a map.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tags {
    /// A bit for each key, and perhaps for keys that were removed: most keys that are absent have another bit, and are
    /// not searched.
    marks: u64,
    /// A byte for each of the first keys, in their order.
    bytes: [u8; Tags::MAX],
}

/// A key that is looked up.
pub(super) struct TagKey<'a> {
    text: &'a str,
    tag: u8,
}

/// The lowest, and the highest bit of each byte of a word.
const LOWEST: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);

impl<'a> TagKey<'a> {
    #[inline]
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, tag: tag(text) }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Whether `other` is the same key. Most are short: their ends are compared as numbers, which is faster than a
    /// loop.
    pub(super) fn is(&self, other: &str) -> bool {
        let (left, right) = (self.text.as_bytes(), other.as_bytes());
        if left.len() != right.len() {
            return false;
        }
        match left.len() {
            8..=16 => {
                left.last_chunk::<8>() == right.last_chunk() && left.first_chunk::<8>() == right.first_chunk()
            }
            4..8 => {
                left.last_chunk::<4>() == right.last_chunk() && left.first_chunk::<4>() == right.first_chunk()
            }
            _ => is_equal(left, right),
        }
    }
}

/// Compares very short and long keys.
#[cold]
fn is_equal(left: &[u8], right: &[u8]) -> bool {
    left == right
}

/// Returns a byte that differs for most keys that maps of Kubernetes have together.
#[inline]
fn tag(key: &str) -> u8 {
    let key = key.as_bytes();
    let (Some(first), Some(last)) = (key.first(), key.last()) else { return 0 };
    let length = key.len().to_le_bytes()[0];
    length.wrapping_add(first.wrapping_mul(5)).wrapping_add(last.wrapping_mul(11))
}

#[inline]
fn mark(tag: u8) -> u64 {
    1 << (tag % 64)
}

impl Tags {
    /// The number of keys that have a tag; beyond it, a binary search is fast enough.
    pub(super) const MAX: usize = 24;

    pub(super) fn of(pairs: &[(Text, Value)]) -> Self {
        let mut tags = Self::default();
        for (position, (key, _)) in pairs.iter().enumerate() {
            let tag = tag(key);
            tags.marks |= mark(tag);
            if let Some(byte) = tags.bytes.get_mut(position) {
                *byte = tag;
            }
        }
        tags
    }

    /// Adds the tag of a key at `position`; those from there on move up.
    pub(super) fn insert(&mut self, position: usize, key: &str) {
        let tag = tag(key);
        self.marks |= mark(tag);
        if position < Self::MAX {
            self.bytes.copy_within(position..Self::MAX - 1, position + 1);
            self.bytes[position] = tag;
        }
    }

    /// Whether `key` may be among the keys.
    #[inline]
    pub(super) fn may_have(&self, key: &TagKey<'_>) -> bool {
        self.marks & mark(key.tag) != 0
    }

    /// Returns the first position at which `key` may be and, by `is_there`, is.
    #[inline]
    pub(super) fn find(&self, key: &TagKey<'_>, is_there: impl Fn(usize) -> bool) -> Option<usize> {
        let wanted = LOWEST * u64::from(key.tag);
        for (number, word) in self.bytes.as_chunks().0.iter().enumerate() {
            // A byte of zero borrows from the next one, which may then be found as well.
            let differences = u64::from_le_bytes(*word) ^ wanted;
            let mut found = differences.wrapping_sub(LOWEST) & !differences & HIGHEST;
            while found != 0 {
                let position = 8 * number + found.trailing_zeros() as usize / 8;
                if is_there(position) {
                    return Some(position);
                }
                found &= found - 1;
            }
        }
        None
    }
}
