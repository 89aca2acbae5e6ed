//! The values of literals: numbers, and strings without their quotes and escapes.

use gotext::control_escape;

/// Returns the bytes that a inner text denotes, with its prefix; `Err` has the error.
///
/// Source: cel-go `parser/unescape.go`.
pub(super) fn unquote(text: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_raw = text.starts_with(['r', 'R']);
    let inner = &text[usize::from(is_raw)..];
    let quotes =
        if inner.len() >= 6 && (inner.starts_with("'''") || inner.starts_with("\"\"\"")) { 3 } else { 1 };
    let body = inner.get(quotes..inner.len().saturating_sub(quotes)).ok_or("unable to unescape string")?;
    if is_raw {
        return Ok(body.as_bytes().to_vec());
    }
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        let Some(letter) = (if character == '\\' { rest.next() } else { None }) else {
            push(&mut bytes, character);
            continue;
        };
        let (digits, radix) = match letter {
            'x' | 'X' => (2, 16),
            'u' | 'U' if is_bytes => return Err("unable to unescape string"),
            'u' => (4, 16),
            'U' => (8, 16),
            '0'..='3' => (2, 8),
            _ => {
                push(&mut bytes, control_escape(letter).unwrap_or(letter));
                continue;
            }
        };
        let mut code = letter.to_digit(8).filter(|_| radix == 8).unwrap_or_default();
        for _ in 0..digits {
            let digit = rest.next().and_then(|digit| digit.to_digit(radix));
            code = code.wrapping_mul(radix) + digit.ok_or("unable to unescape string")?;
        }
        match u8::try_from(code) {
            Ok(byte) if is_bytes => bytes.push(byte),
            _ => push(&mut bytes, char::from_u32(code).ok_or("invalid unicode code point")?),
        }
    }
    Ok(bytes)
}

fn push(bytes: &mut Vec<u8>, character: char) {
    bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Reads `42`, `-42`, `0x2a`.
pub(super) fn int(text: &str, is_negative: bool) -> Option<i64> {
    let sign = if is_negative { "-" } else { "" };
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(&format!("{sign}{digits}"), 16).ok(),
        None => format!("{sign}{text}").parse().ok(),
    }
}

/// Reads `42u`, `0x2au`.
pub(super) fn uint(text: &str) -> Option<u64> {
    let text = &text[..text.len() - 1];
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Reads `1.5`; nothing if the number is too large for a double.
pub(super) fn double(text: &str, is_negative: bool) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(if is_negative { -value } else { value })
}
