//! Fingerprints of keys, by which a map finds one without comparing it with others.

/// The fingerprints of the first keys of a map, a byte for each, the first key's lowest.
#[derive(Clone, Copy, Default)]
pub(super) struct Prints(u128);

/// The number of keys that have one.
pub(super) const PRINTED: usize = 16;

/// A byte of 1 for each fingerprint.
const EACH: u128 = u128::MAX / 0xff;

/// Returns the fingerprint of a key.
fn print(key: &str) -> u8 {
    let key = key.as_bytes();
    let (first, last) = (key.first().copied().unwrap_or_default(), key.last().copied().unwrap_or_default());
    let length = key.len().to_le_bytes()[0];
    length.wrapping_add(first.wrapping_mul(5)).wrapping_add(last.wrapping_mul(11))
}

impl Prints {
    /// Returns those of `keys`.
    pub(super) fn of<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let prints = keys.take(PRINTED).enumerate();
        Self(prints.fold(0, |prints, (position, key)| prints | u128::from(print(key)) << (8 * position)))
    }

    /// Makes room for `key` at `position`.
    pub(super) fn insert(&mut self, position: usize, key: &str) {
        if position < PRINTED {
            let before = (1 << (8 * position)) - 1;
            let moved = (self.0 & !before) << 8;
            self.0 = self.0 & before | u128::from(print(key)) << (8 * position) | moved;
        }
    }

    /// Returns the positions where `key` may be, in order; some may be beyond the end of the map.
    pub(super) fn candidates(self, key: &str) -> impl Iterator<Item = usize> {
        let differences = self.0 ^ (EACH * u128::from(print(key)));
        // A byte that is 0 borrows from its highest bit; above it, others may seem to be 0 too.
        let mut equal = differences.wrapping_sub(EACH) & !differences & (EACH << 7);
        std::iter::from_fn(move || {
            let found = (equal != 0).then(|| equal.trailing_zeros() as usize / 8);
            equal &= equal.wrapping_sub(1);
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_key_among_the_candidates() {
        let names = ["", "a", "b", "ab", "spec", "kind", "name", "metadata", "namespace", "apiVersion"];
        let mut keys: Vec<String> = Vec::new();
        let mut prints = Prints::default();
        for round in 0..40_usize {
            let key = format!("{}{}", names[round % names.len()], round / names.len());
            let position = (round * 7) % (keys.len() + 1);
            prints.insert(position, &key);
            keys.insert(position, key);
            assert_eq!(prints.0, Prints::of(keys.iter().map(String::as_str)).0);
            for (position, key) in keys.iter().enumerate().take(PRINTED) {
                assert!(prints.candidates(key).any(|candidate| candidate == position), "{key}");
            }
        }
    }

    #[test]
    fn most_keys_have_no_other_candidate() {
        let keys = ["args", "command", "env", "image", "imagePullPolicy", "livenessProbe", "name", "ports"];
        let prints = Prints::of(keys.into_iter());
        for (position, key) in keys.into_iter().enumerate() {
            let candidates = prints.candidates(key).filter(|candidate| *candidate < keys.len());
            assert_eq!(candidates.collect::<Vec<_>>(), [position], "{key}");
        }
    }
}
