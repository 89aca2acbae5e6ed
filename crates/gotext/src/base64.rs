//! Bytes in JSON.
//!
//! Source: Go's `encoding/base64`, `StdEncoding`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Writes bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the text as Go would write it back: without line breaks and stray bits.
pub fn canonical(text: &str) -> Result<String, String> {
    decode(text.as_bytes())
        .map(|bytes| encode(&bytes))
        .map_err(|offset| format!("illegal base64 data at input byte {offset}"))
}

/// Returns the bytes of a text that is known to be right.
pub fn decoded(text: &str) -> Vec<u8> {
    decode(text.as_bytes()).unwrap_or_default()
}

/// Reads bytes; an error is the offset at which Go gives up.
fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = [0_u8; 4];
    let mut filled = 0;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        if let Some(value) = value(byte) {
            group[filled] = value;
            filled += 1;
            if filled == 4 {
                push(&mut bytes, group, 3);
                filled = 0;
            }
        } else if byte == b'=' {
            return padding(text, at, filled).map(|()| {
                group[filled..].fill(0);
                push(&mut bytes, group, filled - 1);
                bytes
            });
        } else if byte != b'\n' && byte != b'\r' {
            return Err(at - 1);
        }
    }
    // What is missing is reported at the group's first digit, line breaks counted.
    if filled == 0 { Ok(bytes) } else { Err(at - filled) }
}

/// Checks what follows the first `=`, which ended at `at` after `filled` digits of its group.
fn padding(text: &[u8], mut at: usize, filled: usize) -> Result<(), usize> {
    let skip = |mut at: usize| {
        while matches!(text.get(at), Some(b'\n' | b'\r')) {
            at += 1;
        }
        at
    };
    match filled {
        0 | 1 => return Err(at - 1),
        2 => {
            at = skip(at);
            match text.get(at) {
                None => return Err(text.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        _ => {}
    }
    at = skip(at);
    if at < text.len() { Err(at) } else { Ok(()) }
}

fn push(bytes: &mut Vec<u8>, group: [u8; 4], count: usize) {
    let bits = group.iter().fold(0_u32, |bits, value| bits << 6 | u32::from(*value));
    bytes.extend_from_slice(&bits.to_be_bytes()[1..=count]);
}

fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_line_breaks_and_stray_bits() {
        assert_eq!(canonical("YWJj\nZGU=\n"), Ok("YWJjZGU=".to_owned()));
        assert_eq!(canonical("YR=="), Ok("YQ==".to_owned()));
        assert_eq!(canonical(""), Ok(String::new()));
    }

    #[test]
    fn says_where_it_gives_up() {
        let cases = [
            ("not base64", 3),
            ("YWJ", 0),
            ("YQ=", 3),
            ("YQ=x", 2),
            ("=", 0),
            ("YWJjZA==x", 8),
            ("YWJjZ", 4),
        ];
        for (text, offset) in cases {
            let expected = Err(format!("illegal base64 data at input byte {offset}"));
            assert_eq!(canonical(text), expected, "{text}");
        }
    }
}
