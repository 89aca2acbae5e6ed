//! Parses JSON text into values with places; order and repeated keys are kept.
//!
//! Source: Go's `encoding/json` (what is JSON, and the error texts) and `sigs.k8s.io/json` (numbers, the strict
//! reading's duplicate fields).

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

use gotext::value::{Number, Text};

use crate::compose::MAX_DEPTH;
use crate::go_text::through_json;
pub(super) use gotext::encoding_json::{Failure, scan, scan_whole, skip_blanks};
use gotext::source::{Data, Entry, Node, Span};

/// A JSON value with places in the text.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) node: Node,
    /// The faults that only strict decoding refuses, with the key's place.
    pub(super) duplicates: Vec<(String, Span)>,
}

/// Returns the value in `range` of `text`, which [`scan`] found to be one; none if it is nested too deep.
pub(super) fn read(text: &str, range: Range<usize>) -> Option<Read> {
    // What follows a number may look like more of it.
    let (text, position) = (&text[..range.end], range.start);
    let mut reader = Reader { text, position, depth: 0, path: Vec::new(), duplicates: Vec::new() };
    let node = reader.value()?;
    Some(Read { node, duplicates: reader.duplicates })
}

/// The number of keys of one object up to which each is compared with all others.
const MAX_COMPARED: usize = 32;

enum Step {
    Key(Text),
    Index(usize),
}

/// A reader of text that is known to be JSON.
struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    path: Vec<Step>,
    duplicates: Vec<(String, Span)>,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Node> {
        self.position = skip_blanks(self.text, self.position);
        let start = self.position;
        let data = match self.byte() {
            b'{' => self.object()?,
            b'[' => self.array()?,
            b'"' => Data::String(self.string()),
            b't' => self.word(4, Data::Bool(true)),
            b'f' => self.word(5, Data::Bool(false)),
            b'n' => self.word(4, Data::Null),
            _ => self.number(),
        };
        Some(Node { span: Span::new(start..self.position), data })
    }

    fn object(&mut self) -> Option<Data> {
        self.enter()?;
        let mut entries: Vec<Entry> = Vec::new();
        let mut known = HashSet::new();
        while self.has_more(b'}') {
            let start = self.position;
            let key = self.string();
            let key_span = Span::new(start..self.position);
            if is_repeated(&key, &entries, &mut known) {
                let path = self.path_to(&key);
                self.duplicates.push((format!("duplicate field {}", gotext::quote(&path)), key_span));
            }
            self.position = skip_blanks(self.text, self.position) + 1;
            self.path.push(Step::Key(key));
            let value = self.value()?;
            if let Some(Step::Key(key)) = self.path.pop() {
                entries.push(Entry { key, key_span, value });
            }
        }
        self.depth -= 1;
        Some(Data::Object(entries))
    }

    fn array(&mut self) -> Option<Data> {
        self.enter()?;
        let mut items = Vec::new();
        while self.has_more(b']') {
            self.path.push(Step::Index(items.len()));
            items.push(self.value()?);
            self.path.pop();
        }
        self.depth -= 1;
        Some(Data::Array(items))
    }

    fn enter(&mut self) -> Option<()> {
        self.position += 1;
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Steps to the next item, or past the closing bracket.
    fn has_more(&mut self, closing: u8) -> bool {
        self.position = skip_blanks(self.text, self.position);
        if self.byte() == b',' {
            self.position = skip_blanks(self.text, self.position + 1);
        }
        let more = self.byte() != closing;
        self.position += usize::from(!more);
        more
    }

    fn word(&mut self, length: usize, data: Data) -> Data {
        self.position += length;
        data
    }

    fn number(&mut self) -> Data {
        let start = self.position;
        while matches!(self.byte(), b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') {
            self.position += 1;
        }
        let text = &self.text[start..self.position];
        if let Ok(value) = text.parse::<i64>() {
            return Data::Number(Number::from(value));
        }
        if let Ok(value) = text.parse::<u64>() {
            return Data::Number(Number::from(value));
        }
        let value: f64 = text.parse().expect("a JSON number is a float");
        // Go keeps numbers that do not fit a float as text until they are used as a number.
        Data::Number(through_json(value.clamp(f64::MIN, f64::MAX)).expect("a clamped number is finite"))
    }

    fn string(&mut self) -> Text {
        let bytes = self.text.as_bytes();
        let start = self.position + 1;
        let mut end = start;
        while !matches!(bytes[end], b'"' | b'\\') {
            end += 1;
        }
        if bytes[end] == b'"' {
            self.position = end + 1;
            return self.text[start..end].into();
        }
        let mut out = self.text[start..end].to_owned();
        while bytes[end] == b'\\' {
            let escaped = bytes[end + 1];
            end += 2;
            match escaped {
                b'b' => out.push('\u{8}'),
                b'f' => out.push('\u{c}'),
                b'n' => out.push('\n'),
                b'r' => out.push('\r'),
                b't' => out.push('\t'),
                b'u' => out.push(self.unicode_escape(&mut end)),
                other => out.push(char::from(other)),
            }
            let from = end;
            while !matches!(bytes[end], b'"' | b'\\') {
                end += 1;
            }
            out.push_str(&self.text[from..end]);
        }
        self.position = end + 1;
        out.into()
    }

    /// Returns the character of an escape whose digits are at `position`; half of a surrogate pair is replaced.
    fn unicode_escape(&self, position: &mut usize) -> char {
        let unit = |at: usize| {
            self.text
                .get(at..at + 4)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .unwrap_or_default()
        };
        let first = unit(*position);
        *position += 4;
        if let Some(character) = char::from_u32(first) {
            return character;
        }
        if self.text.as_bytes()[*position..].starts_with(b"\\u") {
            let second = unit(*position + 2);
            if first < 0xdc00 && (0xdc00..0xe000).contains(&second) {
                *position += 6;
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
        }
        char::REPLACEMENT_CHARACTER
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.position).copied().unwrap_or_default()
    }

    fn path_to(&self, key: &str) -> String {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => write!(path, ".{key}").expect("writing to text never fails"),
                Step::Index(index) => write!(path, "[{index}]").expect("writing to text never fails"),
            }
        }
        if !path.is_empty() {
            path.push('.');
        }
        path + key
    }
}

/// Whether one of `entries` has `key`; `known` are their keys once they are many.
fn is_repeated(key: &Text, entries: &[Entry], known: &mut HashSet<Text>) -> bool {
    if entries.len() < MAX_COMPARED {
        return entries.iter().any(|entry| entry.key == *key);
    }
    if known.is_empty() {
        known.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !known.insert(key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, usize) {
        match scan(text, 0) {
            Err(Failure::Syntax { text, offset }) => (text, offset),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn says_what_go_says() {
        assert_eq!(
            error("{\n\t\"foo\": {\n\t\t\"stuff\": 1\n\t\t\"otherStuff\": 2"),
            ("invalid character '\"' after object key:value pair".to_owned(), 27)
        );
        assert_eq!(error("{\"a\":tru}").0, "invalid character '}' in literal true (expecting 'e')");
        assert_eq!(error("{a").0, "invalid character 'a' looking for beginning of object key string");
        assert_eq!(error("{\"a\":1,}").0, "invalid character '}' looking for beginning of object key string");
        assert_eq!(error("[1,]").0, "invalid character ']' looking for beginning of value");
        assert_eq!(error("[\"a\n\"]").0, "invalid character '\\n' in string literal");
        assert_eq!(scan("{\"a\": [1", 0), Err(Failure::UnexpectedEnd));
        assert_eq!(error(&"[".repeat(20_000)), ("exceeded max depth".to_owned(), 10_000));
    }

    #[test]
    fn a_number_ends_where_the_next_value_begins() {
        for text in ["0---", "01", "0-1"] {
            assert_eq!(scan(text, 0), Ok(1), "{text}");
            let read = read(text, 0..1).expect("not deep");
            assert_eq!(read.node, Node { span: Span::new(0..1), data: Data::Number(0.into()) }, "{text}");
        }
    }

    #[test]
    fn many_keys_are_compared_too() {
        let keys: Vec<String> = (0..2 * MAX_COMPARED).map(|key| format!("\"{key}\": 1")).collect();
        let text = format!("{{{}, \"1\": 2, \"{}\": 3}}", keys.join(", "), 2 * MAX_COMPARED - 1);
        let read = read(&text, 0..text.len()).expect("not deep");
        let found: Vec<&str> = read.duplicates.iter().map(|(message, _)| &**message).collect();
        assert_eq!(found, ["duplicate field \"1\"", "duplicate field \"63\""]);
    }

    #[test]
    fn keeps_order_and_duplicates_with_their_places() {
        let text = r#" {"b": [1.0, {"ü": 1, "ü": -2e3}], "a": "\ud83d\ude00\n\u00e9\ud800"} "#;
        assert_eq!(scan(text, 1), Ok(text.len() - 1));
        let read = read(text, 1..text.len() - 1).expect("not deep");
        let Data::Object(entries) = &read.node.data else { panic!("no object") };
        assert_eq!(entries.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(entries[1].value.as_str(), Some("😀\né\u{fffd}"));
        assert_eq!(
            &text[entries[1].key_span.start..entries[1].value.span.end],
            r#""a": "\ud83d\ude00\n\u00e9\ud800""#
        );
        let (message, span) = &read.duplicates[0];
        assert_eq!(message, "duplicate field \"b[1].ü\"");
        assert_eq!(&text[span.start..span.end], "\"ü\"");
        assert_eq!(
            read.node.into_value(),
            gotext::value::json!({"a": "😀\né\u{fffd}", "b": [1, {"ü": -2000}]})
        );
    }
}
