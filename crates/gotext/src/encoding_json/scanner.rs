//! The JSON syntax that Go accepts, and its messages about other text.
//!
//! Source: Go's `encoding/json`.

use std::ops::Range;

use thiserror::Error;

/// The depth to which `encoding/json` lets values be nested.
const GO_MAX_DEPTH: usize = 10_000;

/// Why a text is not JSON.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum Failure {
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

/// Skips JSON's blanks.
pub fn skip_blanks(text: &(impl AsRef<[u8]> + ?Sized), mut position: usize) -> usize {
    while matches!(text.as_ref().get(position), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        position += 1;
    }
    position
}

/// Returns where the value that starts at `start` ends, if it is one. Does not recurse, however deep the value.
///
/// # Errors
///
/// Reports where and why the text is not JSON.
pub fn scan(text: &(impl AsRef<[u8]> + ?Sized), start: usize) -> Result<usize, Failure> {
    Scanner { text: text.as_ref(), position: start, open: Vec::new() }.value()
}

/// Checks that `text` is one value with nothing after it, as `json.Unmarshal` requires; returns the place of the value.
///
/// # Errors
///
/// Reports where and why the text is not JSON.
pub fn scan_whole(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Range<usize>, Failure> {
    let text = text.as_ref();
    let end = scan(text, 0)?;
    let rest = Scanner { text, position: skip_blanks(text, end), open: Vec::new() };
    match rest.peek() {
        None => Ok(skip_blanks(text, 0)..end),
        Some(_) => Err(rest.wrong("after top-level value")),
    }
}

struct Scanner<'a> {
    text: &'a [u8],
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
            if self.after_value()? {
                return Ok(self.position);
            }
        }
    }

    /// Reads on after an opening bracket: true if it is closed at once, false if a value follows.
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

    /// Reads on after a value: true if it was the outermost one, false if another follows.
    fn after_value(&mut self) -> Result<bool, Failure> {
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
        self.text.get(self.position).copied()
    }

    fn byte(&self) -> Result<u8, Failure> {
        self.peek().ok_or(Failure::UnexpectedEnd)
    }

    /// Returns the next byte that is not a blank.
    fn next(&mut self) -> Result<u8, Failure> {
        self.position = skip_blanks(self.text, self.position);
        self.byte()
    }

    /// Returns a syntax error. Go looks at bytes and prints each as the character with that code.
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
