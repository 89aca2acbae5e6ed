//! JSON text → values with places, order and repeated keys kept.
//!
//! Source: Go's `encoding/json` (what is JSON, and the error texts) and `sigs.k8s.io/json` (numbers, the strict
//! reading's duplicate fields).

use std::fmt::Write;
use std::ops::Range;

use serde_json::Number;
use thiserror::Error;

use crate::manifest::compose::MAX_DEPTH;
use crate::manifest::go_text::through_json;
use crate::source::{Data, Entry, Node, Span};

/// How deep `encoding/json` lets values be nested.
const GO_MAX_DEPTH: usize = 10_000;

/// Why a text is not JSON.
#[derive(Debug, PartialEq, Error)]
pub(super) enum Failure {
    /// The text ends too early.
    #[error("unexpected end of JSON input")]
    UnexpectedEnd,
    /// A character is wrong.
    #[error("{text}")]
    Syntax {
        /// Go's text.
        text: String,
        /// The byte of the text.
        offset: usize,
    },
}

/// Skips what JSON takes for blanks.
pub(super) fn skip_blanks(text: &str, mut position: usize) -> usize {
    while matches!(text.as_bytes().get(position), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        position += 1;
    }
    position
}

/// Where the value that starts at `start` ends, if it is one. Takes no stack, however deep the value.
pub(super) fn scan(text: &str, start: usize) -> Result<usize, Failure> {
    Scanner { text, position: start, open: Vec::new() }.value()
}

/// Whether `text` is one value and nothing behind it, as `json.Unmarshal` wants it; the place of the value.
pub(super) fn scan_whole(text: &str) -> Result<Range<usize>, Failure> {
    let end = scan(text, 0)?;
    let rest = Scanner { text, position: skip_blanks(text, end), open: Vec::new() };
    match rest.peek() {
        None => Ok(skip_blanks(text, 0)..end),
        Some(_) => Err(rest.wrong("after top-level value")),
    }
}

struct Scanner<'a> {
    text: &'a str,
    position: usize,
    /// The opening brackets that are not closed yet.
    open: Vec<u8>,
}

impl Scanner<'_> {
    fn value(mut self) -> Result<usize, Failure> {
        loop {
            // At the beginning of a value.
            let opened = match self.next()? {
                open @ (b'{' | b'[') => {
                    self.open.push(open);
                    self.position += 1;
                    if self.open.len() > GO_MAX_DEPTH {
                        let offset = self.position - 1;
                        return Err(Failure::Syntax { text: "exceeded max depth".to_owned(), offset });
                    }
                    true
                }
                b'"' => self.string().map(|()| false)?,
                b'-' | b'0'..=b'9' => self.number().map(|()| false)?,
                b't' => self.literal("true").map(|()| false)?,
                b'f' => self.literal("false").map(|()| false)?,
                b'n' => self.literal("null").map(|()| false)?,
                _ => return Err(self.wrong("looking for beginning of value")),
            };
            if opened && !self.first_in_collection()? {
                continue;
            }
            if self.behind_value()? {
                return Ok(self.position);
            }
        }
    }

    /// Behind an opening bracket: true if it is closed at once, false if a value follows.
    fn first_in_collection(&mut self) -> Result<bool, Failure> {
        if self.open.last() == Some(&b'{') {
            match self.next()? {
                b'}' => {}
                b'"' => return self.key().map(|()| false),
                _ => return Err(self.wrong("looking for beginning of object key string")),
            }
        } else if self.next()? != b']' {
            return Ok(false);
        }
        self.open.pop();
        self.position += 1;
        Ok(true)
    }

    /// Behind a value: true if it was the outermost one, false if another follows.
    fn behind_value(&mut self) -> Result<bool, Failure> {
        while let Some(&open) = self.open.last() {
            let (closing, context) = if open == b'{' {
                (b'}', "after object key:value pair")
            } else {
                (b']', "after array element")
            };
            match self.next()? {
                b',' => {
                    self.position += 1;
                    if open == b'{' {
                        if self.next()? != b'"' {
                            return Err(self.wrong("looking for beginning of object key string"));
                        }
                        self.key()?;
                    }
                    return Ok(false);
                }
                byte if byte == closing => {
                    self.open.pop();
                    self.position += 1;
                }
                _ => return Err(self.wrong(context)),
            }
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<(), Failure> {
        self.string()?;
        if self.next()? != b':' {
            return Err(self.wrong("after object key"));
        }
        self.position += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Failure> {
        self.position += 1;
        loop {
            match self.byte()? {
                b'"' => break,
                b'\\' => {
                    self.position += 1;
                    match self.byte()? {
                        b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => {}
                        b'u' => {
                            for _ in 0..4 {
                                self.position += 1;
                                if !self.byte()?.is_ascii_hexdigit() {
                                    return Err(self.wrong("in \\u hexadecimal character escape"));
                                }
                            }
                        }
                        _ => return Err(self.wrong("in string escape code")),
                    }
                }
                ..0x20 => return Err(self.wrong("in string literal")),
                _ => {}
            }
            self.position += 1;
        }
        self.position += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Failure> {
        if self.byte()? == b'-' {
            self.position += 1;
        }
        match self.byte()? {
            b'0' => self.position += 1,
            b'1'..=b'9' => self.digits(),
            _ => return Err(self.wrong("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.position += 1;
            if !self.byte()?.is_ascii_digit() {
                return Err(self.wrong("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.position += 1;
            if matches!(self.byte()?, b'+' | b'-') {
                self.position += 1;
            }
            if !self.byte()?.is_ascii_digit() {
                return Err(self.wrong("in exponent of numeric literal"));
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Failure> {
        for (index, expected) in word.bytes().enumerate() {
            if self.byte()? != expected {
                let expected = char::from(word.as_bytes()[index]);
                return Err(self.wrong(&format!("in literal {word} (expecting '{expected}')")));
            }
            self.position += 1;
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn byte(&self) -> Result<u8, Failure> {
        self.peek().ok_or(Failure::UnexpectedEnd)
    }

    /// The next byte that is no blank.
    fn next(&mut self) -> Result<u8, Failure> {
        self.position = skip_blanks(self.text, self.position);
        self.byte()
    }

    /// Go looks at bytes and prints each as the character with its number.
    fn wrong(&self, context: &str) -> Failure {
        let byte = self.peek().unwrap_or_default();
        let quoted = match byte {
            b'\'' => r"'\''".to_owned(),
            b'"' => "'\"'".to_owned(),
            b'\\' => r"'\\'".to_owned(),
            b'\n' => r"'\n'".to_owned(),
            b'\r' => r"'\r'".to_owned(),
            b'\t' => r"'\t'".to_owned(),
            0x07 => r"'\a'".to_owned(),
            0x08 => r"'\b'".to_owned(),
            0x0b => r"'\v'".to_owned(),
            0x0c => r"'\f'".to_owned(),
            0x20..=0x7e | 0xa1..=0xac | 0xae.. => format!("'{}'", char::from(byte)),
            0x80..=0xa0 | 0xad => format!(r"'\u{byte:04x}'"),
            _ => format!(r"'\x{byte:02x}'"),
        };
        Failure::Syntax { text: format!("invalid character {quoted} {context}"), offset: self.position }
    }
}

/// A JSON value with places in the text.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) node: Node,
    /// What only the strict reading refuses, and the key's place.
    pub(super) duplicates: Vec<(String, Span)>,
}

/// The value in `range` of `text`, which [`scan`] found to be one; none if it is nested too deep.
pub(super) fn read(text: &str, range: Range<usize>) -> Option<Read> {
    let mut reader =
        Reader { text, position: range.start, depth: 0, path: Vec::new(), duplicates: Vec::new() };
    let node = reader.value()?;
    Some(Read { node, duplicates: reader.duplicates })
}

enum Step {
    Key(String),
    Index(usize),
}

/// Reads what is known to be JSON.
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
        let mut known = std::collections::HashSet::new();
        while self.has_more(b'}') {
            let start = self.position;
            let key = self.string();
            let key_span = Span::new(start..self.position);
            if !known.insert(key.clone()) {
                let path = self.path_to(&key);
                self.duplicates
                    .push((format!("duplicate field {}", crate::api::field::go_quote(&path)), key_span));
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

    /// Steps to the next item, or behind the closing bracket.
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
        // Go keeps what no float can hold as text until somebody asks for the number.
        Data::Number(through_json(value.clamp(f64::MIN, f64::MAX)).expect("a clamped number is finite"))
    }

    fn string(&mut self) -> String {
        let bytes = self.text.as_bytes();
        let start = self.position + 1;
        let mut end = start;
        while !matches!(bytes[end], b'"' | b'\\') {
            end += 1;
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
        out
    }

    /// The character of an escape whose digits are at `position`; half of a surrogate pair is replaced.
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
        assert_eq!(read.node.into_value(), serde_json::json!({"a": "😀\né\u{fffd}", "b": [1, {"ü": -2000}]}));
    }
}
