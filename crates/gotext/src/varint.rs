//! Numbers in as few bytes as they need, as `encoding/binary` of Go writes them: seven bits a byte, the lowest first; all
//! bytes but the last have the highest bit set.

/// Appends `number` to `bytes`.
pub fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Returns the number that `bytes` begin with, and removes it from them.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            push(&mut bytes, number);
        }
        assert_eq!(bytes.len(), 1 + 1 + 1 + 2 + 2 + 5 + 10);
        let mut rest = &*bytes;
        assert_eq!(numbers.map(|_| take(&mut rest).unwrap()), numbers);
        assert_eq!(take(&mut rest), None);
        assert_eq!(take(&mut &[0xff; 11][..]), None);
    }
}
