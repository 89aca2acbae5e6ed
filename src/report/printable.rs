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
    text.chars().for_each(|character| Escapes::Text.push(&mut shown, character));
    Cow::Owned(shown)
}

/// Returns [`printable`] text in one line, such as the name of a file.
pub(super) fn printable_line(text: &str) -> Cow<'_, str> {
    match printable(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', "\\n")),
        shown => shown,
    }
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

/// The notation in which hidden characters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// `\u{1b}`, for people.
    Text,
    /// The same, except that the line breaks of Windows pass, so that a patch fits the file.
    Patch,
    /// The same as `Text`, except that sequences for colours pass. What is written has no colour of the input.
    Colored,
    /// `\u001b`, which the strings of JSON have: the values stay the same.
    Json,
    /// `&#x1b;`, which texts and attributes of XML have.
    Xml,
}

impl Escapes {
    fn push(self, text: &mut String, character: char) {
        let code = u32::from(character);
        let _ = match self {
            _ if !is_hidden(character) => text.write_char(character),
            Self::Text | Self::Patch | Self::Colored => write!(text, "{}", character.escape_unicode()),
            Self::Json => write!(text, "\\u{code:04x}"),
            Self::Xml => write!(text, "&#x{code:x};"),
        };
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

/// The bytes that are examined at a time.
const CHUNK: usize = 64;

/// Whether there is the first byte of a hidden character, or of others.
fn may_have_hidden(bytes: &[u8]) -> bool {
    // Every byte is examined, so that several are at once.
    bytes.iter().fold(false, |found, byte| {
        let is_control = (*byte < b' ' && *byte != b'\n' && *byte != b'\t') || *byte == 0x7F;
        found | is_control | matches!(byte, 0xC2 | 0xD8 | 0xE2 | 0xEF)
    })
}

/// A writer through which every format is written: no control characters except those of colours reach `out`.
pub struct Printable<W: Write> {
    out: W,
    escapes: Escapes,
    /// The start of a line, or of a character, that is not written yet.
    rest: Vec<u8>,
}

impl<W: Write> Printable<W> {
    /// Returns a writer to `out`, in which hidden characters are written as `escapes`.
    pub fn new(out: W, escapes: Escapes) -> Self {
        Self { out, escapes, rest: Vec::new() }
    }

    /// Returns the length of the part of `bytes` that can be written before the next bytes are known.
    fn complete(&self, bytes: &[u8]) -> usize {
        if self.escapes == Escapes::Colored {
            // No colour is split.
            return bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        }
        let may_be_divided = self.escapes == Escapes::Patch && bytes.ends_with(b"\r");
        bytes.len() - incomplete(bytes).max(usize::from(may_be_divided))
    }

    fn write_escaped(&mut self, text: &[u8]) -> io::Result<()> {
        let Some(first) = text.chunks(CHUNK).position(may_have_hidden) else {
            return self.out.write_all(text);
        };
        let mut first = first * CHUNK;
        // A character is not divided.
        while first > 0 && text[first] & 0b1100_0000 == 0b1000_0000 {
            first -= 1;
        }
        self.out.write_all(&text[..first])?;
        let text = String::from_utf8_lossy(&text[first..]);
        let mut shown = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some(character) = rest.chars().next() {
            let length = if let Some(length) = color(rest).filter(|_| self.escapes == Escapes::Colored) {
                shown.push_str(&rest[..length]);
                length
            } else if self.escapes == Escapes::Patch && rest.starts_with("\r\n") {
                shown.push_str("\r\n");
                2
            } else {
                self.escapes.push(&mut shown, character);
                character.len_utf8()
            };
            rest = &rest[length..];
        }
        self.out.write_all(shown.as_bytes())
    }
}

/// Returns the length of the character that `bytes` end within.
fn incomplete(bytes: &[u8]) -> usize {
    let is_first = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let Some(back) = bytes.iter().rev().take(4).position(is_first) else { return 0 };
    let (present, first) = (back + 1, bytes[bytes.len() - back - 1]);
    let length = match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0.. => 4,
        _ => 1,
    };
    if present < length { present } else { 0 }
}

/// Returns the length of the escape sequence for a colour that `text` begins with.
fn color(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1B}[")?;
    let end = parameters.find(|character: char| !matches!(character, '0'..='9' | ';'))?;
    parameters[end..].starts_with('m').then_some("\u{1B}[".len() + end + "m".len())
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            let complete = self.complete(bytes);
            self.write_escaped(&bytes[..complete])?;
            self.rest.extend_from_slice(&bytes[complete..]);
        } else {
            let mut all = mem::take(&mut self.rest);
            all.extend_from_slice(bytes);
            let complete = self.complete(&all);
            self.rest = all.split_off(complete);
            self.write_escaped(&all)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = mem::take(&mut self.rest);
        self.write_escaped(&rest)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Printable<W> {
    fn drop(&mut self) {
        // Callers that need the error about the last line flush explicitly.
        let _ = self.flush();
    }
}

/// Returns `count` and the noun `what`, in the plural unless it is one.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]], escapes: Escapes) -> String {
        let mut bytes = Vec::new();
        let mut out = Printable::new(&mut bytes, escapes);
        for part in parts {
            out.write_all(part).unwrap();
        }
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_patch_keeps_the_line_breaks_of_windows() {
        assert_eq!(written(&[b"a\r", b"\nb\r\nc\rd\r"], Escapes::Patch), "a\r\nb\r\nc\\u{d}d\\u{d}");
        assert_eq!(written(&[b"a\r\n"], Escapes::Text), "a\\u{d}\n");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = "a\u{1B}[2Jb\rc\u{9B}d\u{202E}e\u{7F}\tf ─ é\n";
        let people = "a\\u{1b}[2Jb\\u{d}c\\u{9b}d\\u{202e}e\\u{7f}\tf ─ é\n";
        assert_eq!(printable(text), people);
        for (escapes, shown) in [
            (Escapes::Text, people),
            (Escapes::Colored, people),
            (Escapes::Json, "a\\u001b[2Jb\\u000dc\\u009bd\\u202ee\\u007f\tf ─ é\n"),
            (Escapes::Xml, "a&#x1b;[2Jb&#xd;c&#x9b;d&#x202e;e&#x7f;\tf ─ é\n"),
        ] {
            assert_eq!(written(&[text.as_bytes()], escapes), shown);
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(written(&bytes, escapes), shown);
            // The first hidden character is anywhere in what is examined at once.
            for length in 0..2 * CHUNK {
                let before = "é".repeat(length);
                let long = before.clone() + text;
                assert_eq!(written(&[long.as_bytes()], escapes), before + shown);
            }
        }
    }

    #[test]
    fn only_colours_pass() {
        let text = "\u{1B}[1;31mred\u{1B}[0m \u{1B}]0;title\u{7}\n";
        assert_eq!(
            written(&[text.as_bytes()], Escapes::Colored),
            "\u{1B}[1;31mred\u{1B}[0m \\u{1b}]0;title\\u{7}\n"
        );
        assert_eq!(
            written(&[text.as_bytes()], Escapes::Text),
            "\\u{1b}[1;31mred\\u{1b}[0m \\u{1b}]0;title\\u{7}\n"
        );
    }

    #[test]
    fn places_stay_where_they_are() {
        let text = "a\u{1B}b\u{85}c\u{202E}d";
        assert_eq!(printable_in_place(text.to_owned()), "a?b·c\u{FFFD}d");
    }
}
