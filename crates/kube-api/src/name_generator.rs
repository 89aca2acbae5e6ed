//! Generated names.
//!
//! Source: `k8s.io/apiserver/pkg/storage/names`. The random part is a hash of the requester, so that the same input
//! results in the same names.

const MAX_NAME_LENGTH: usize = 63;
const SUFFIX_LENGTH: usize = 5;
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns `base`, cut where it is too long, and five characters that depend on `base` and `seed` alone.
pub fn generate_name(base: &str, seed: u64) -> String {
    let mut end = base.len().min(MAX_NAME_LENGTH - SUFFIX_LENGTH);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    let mut hash = continued(fnv1a(&seed.to_le_bytes()), base.as_bytes());
    let mut name = base[..end].to_owned();
    for _ in 0..SUFFIX_LENGTH {
        let letters = ALPHABET.len() as u64;
        let position = usize::try_from(hash % letters).expect("less than the alphabet is long");
        name.push(char::from(ALPHABET[position]));
        hash /= letters;
    }
    name
}

/// Returns a uid that is the same in every run.
pub fn generate_uid(ordinal: u64) -> String {
    format!("00000000-0000-4000-8000-{ordinal:012x}")
}

/// Returns the base that `name` was generated from, if it was with `seed` and nothing was cut.
pub fn base_of(name: &str, seed: u64) -> Option<&str> {
    let (base, suffix) = name.split_at_checked(name.len().checked_sub(SUFFIX_LENGTH)?)?;
    let is_suffix = suffix.bytes().all(|byte| ALPHABET.contains(&byte));
    (is_suffix && generate_name(base, seed) == name).then_some(base)
}

/// Returns `text` without the characters at its start that [`generate_name`] may have put there.
pub fn without_suffix(text: &str) -> &str {
    let length = text.bytes().take(SUFFIX_LENGTH).take_while(|byte| ALPHABET.contains(byte)).count();
    if length == SUFFIX_LENGTH { &text[length..] } else { text }
}

/// Returns the text in letters and digits that spell no words.
///
/// Source: `SafeEncodeString` of `k8s.io/apimachinery/pkg/util/rand`.
pub fn safe_encode(text: &str) -> String {
    text.bytes().map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])).collect()
}

/// Returns the hash of `bytes` that is the same in every run and on every machine: 64-bit FNV-1a.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    continued(0xcbf2_9ce4_8422_2325, bytes)
}

fn continued(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_the_same_name_for_the_same_request() {
        let name = generate_name("web-", 7);
        assert_eq!(name, generate_name("web-", 7));
        assert_ne!(name, generate_name("web-", 8));
        assert_eq!(name.len(), "web-".len() + SUFFIX_LENGTH);
        assert_eq!(generate_name(&"a".repeat(80), 1).len(), MAX_NAME_LENGTH);
    }

    #[test]
    fn recognizes_what_was_generated() {
        let name = generate_name("web-", 7);
        assert_eq!(base_of(&name, 7), Some("web-"));
        assert_eq!(base_of(&name, 8), None);
        assert_eq!(base_of("web", 7), None);
        assert_eq!(base_of("web-übbbb", 7), None);
        assert_eq!(without_suffix("bcdfg\" is forbidden"), "\" is forbidden");
        assert_eq!(without_suffix("\" is forbidden"), "\" is forbidden");
    }

    #[test]
    fn encodes_digits_as_letters() {
        assert_eq!(safe_encode("2570347913"), "69c478cf57");
    }
}
