//! Text that is safe to show: input never controls a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::mem;

/// Returns `text` with control characters and marks of writing direction as escapes such as `\u{1b}`. Line breaks are
/// kept.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|character| push(&mut shown, character));
    Cow::Owned(shown)
}

/// Returns [`printable`] text with the same number of bytes, so that places in it stay valid.
pub(super) fn printable_in_place(text: String) -> String {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let stands_for = |character: char| match character.len_utf8() {
        _ if !is_hidden(character) => character,
        1 => '?',
        2 => '·',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(stands_for).collect()
}

fn push(text: &mut String, character: char) {
    if is_hidden(character) {
        let _ = write!(text, "{}", character.escape_unicode());
    } else {
        text.push(character);
    }
}

/// Whether a terminal or browser may interpret the character instead of showing it.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{FEFF}' => true,
        other => other.is_control(),
    }
}

/// Whether the first byte of a hidden character, or of others, is this one.
fn may_be_hidden(byte: u8) -> bool {
    match byte {
        b'\n' | b'\t' => false,
        0xC2 | 0xD8 | 0xE2 | 0xEF => true,
        other => other.is_ascii_control(),
    }
}

/// A writer of text for people: no control characters except those of colours reach `out`. Every format for people is
/// written through it.
pub struct Printable<W: Write> {
    out: W,
    is_colored: bool,
    /// The start of a line that is not written yet.
    line: Vec<u8>,
}

impl<W: Write> Printable<W> {
    /// Returns a writer to `out`; `is_colored` lets colours pass.
    pub fn new(out: W, is_colored: bool) -> Self {
        Self { out, is_colored, line: Vec::new() }
    }

    fn write_lines(&mut self, text: &[u8]) -> io::Result<()> {
        let Some(first) = text.iter().position(|byte| may_be_hidden(*byte)) else {
            return self.out.write_all(text);
        };
        self.out.write_all(&text[..first])?;
        let text = String::from_utf8_lossy(&text[first..]);
        let mut shown = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some(character) = rest.chars().next() {
            let length = if let Some(length) = color(rest).filter(|_| self.is_colored) {
                shown.push_str(&rest[..length]);
                length
            } else {
                push(&mut shown, character);
                character.len_utf8()
            };
            rest = &rest[length..];
        }
        self.out.write_all(shown.as_bytes())
    }
}

/// Returns the length of the escape sequence for a colour that `text` begins with.
fn color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1B}[")?;
    let end = parameters.find(|character: char| !matches!(character, '0'..='9' | ';'))?;
    parameters[end..].starts_with('m').then_some("\u{1B}[".len() + end + "m".len())
}

impl<W: Write> Write for Printable<W> {
    /// Writes whole lines, so that no character or colour is split.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            None => self.line.extend_from_slice(bytes),
            Some(end) => {
                let mut lines = mem::take(&mut self.line);
                if lines.is_empty() {
                    self.write_lines(&bytes[..=end])?;
                } else {
                    lines.extend_from_slice(&bytes[..=end]);
                    self.write_lines(&lines)?;
                }
                self.line.extend_from_slice(&bytes[end + 1..]);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = mem::take(&mut self.line);
        self.write_lines(&line)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Printable<W> {
    fn drop(&mut self) {
        // Callers that need the error about the last line flush explicitly.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&str], is_colored: bool) -> String {
        let mut bytes = Vec::new();
        let mut out = Printable::new(&mut bytes, is_colored);
        for part in parts {
            out.write_all(part.as_bytes()).unwrap();
        }
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = "a\u{1B}[2Jb\rc\u{9B}d\u{202E}e\u{7F}\tf ─ é\n";
        let shown = "a\\u{1b}[2Jb\\u{d}c\\u{9b}d\\u{202e}e\\u{7f}\tf ─ é\n";
        assert_eq!(printable(text), shown);
        for is_colored in [false, true] {
            assert_eq!(written(&[text], is_colored), shown);
            let parts: Vec<String> = text.chars().map(String::from).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(written(&parts, is_colored), shown);
        }
    }

    #[test]
    fn only_colours_pass() {
        let text = "\u{1B}[1;31mred\u{1B}[0m \u{1B}]0;title\u{7}\n";
        assert_eq!(written(&[text], true), "\u{1B}[1;31mred\u{1B}[0m \\u{1b}]0;title\\u{7}\n");
        assert_eq!(written(&[text], false), "\\u{1b}[1;31mred\\u{1b}[0m \\u{1b}]0;title\\u{7}\n");
    }

    #[test]
    fn places_stay_where_they_are() {
        let text = "a\u{1B}b\u{85}c\u{202E}d";
        assert_eq!(printable_in_place(text.to_owned()), "a?b·c\u{FFFD}d");
    }
}
