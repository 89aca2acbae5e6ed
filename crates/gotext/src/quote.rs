//! Quoted text.
//!
//! Source: Go's `strconv.Quote`.

/// Returns the control character that a backslash and `letter` denote in Go's literals, if they denote one.
pub fn control_escape(letter: char) -> Option<char> {
    Some(match letter {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        _ => return None,
    })
}

/// Returns the text in double quotes as Go's `%q` writes it.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            '\0'..='\u{1f}' | '\u{7f}' => push_escape(&mut quoted, 'x', 2, character),
            '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                push_escape(&mut quoted, 'u', 4, character);
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns bytes in double quotes as Go's `%q` writes them: those that are not UTF-8 are escaped.
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut quoted = "\"".to_owned();
    for chunk in bytes.utf8_chunks() {
        let valid = quote(chunk.valid());
        quoted.push_str(&valid[1..valid.len() - 1]);
        for byte in chunk.invalid() {
            push_escape(&mut quoted, 'x', 2, char::from(*byte));
        }
    }
    quoted.push('"');
    quoted
}

fn push_escape(quoted: &mut String, letter: char, width: usize, character: char) {
    use std::fmt::Write as _;
    write!(quoted, "\\{letter}{:0width$x}", u32::from(character)).expect("a String takes everything");
}
