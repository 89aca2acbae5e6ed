//! JSON text as Go's `encoding/json` writes it: compact, keys sorted, and safe to embed in HTML.

mod scanner;

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::value::Number;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::number;
use crate::value::Value;

pub use scanner::{Failure, scan, scan_whole, skip_blanks};

/// Returns the text of `value`.
pub fn to_string(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, GoFormatter);
    value.serialize(&mut serializer).expect("a JSON value can be written to memory");
    String::from_utf8(bytes).expect("JSON text is UTF-8")
}

/// Returns JSON text without blanks, and safe to embed in HTML.
///
/// Source: `json.compact`.
pub fn compact(text: &str) -> String {
    let (mut compact, mut in_text, mut is_escaped) = (String::with_capacity(text.len()), false, false);
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(compact, "\\u{:04x}", u32::from(character)).expect("a String takes everything");
            }
            ' ' | '\t' | '\n' | '\r' if !in_text => {}
            _ => compact.push(character),
        }
        in_text ^= character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
    }
    compact
}

/// Reads JSON text.
///
/// # Errors
///
/// Returns Go's message about text that is not JSON; text that is nested too deep for this program is an error, too.
///
/// Source: `json.Unmarshal` into an `any`.
pub fn from_slice(text: &[u8]) -> Result<Value, String> {
    let range = scan_whole(text).map_err(|failure| failure.to_string())?;
    serde_json::from_str(&String::from_utf8_lossy(&text[range])).map_err(|error| error.to_string())
}

/// Returns Go's name for a JSON value that does not fit the type it is read into.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

struct GoFormatter;

impl Formatter for GoFormatter {
    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let number = Number::from_f64(value).expect("a JSON number is finite");
        writer.write_all(number::text(&number).as_bytes())
    }

    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let is_special = |character| matches!(character, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        let mut rest = fragment;
        while let Some(at) = rest.find(is_special) {
            let (before, special) = rest.split_at(at);
            let character = special.chars().next().expect("a character was found");
            write!(writer, "{before}\\u{:04x}", u32::from(character))?;
            rest = &special[character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn compact_text_has_the_order_of_writing() {
        let text = r#"{"b" : "a \" b", "a": [1.0,
            "<"] }"#;
        assert_eq!(compact(text), r#"{"b":"a \" b","a":[1.0,"\u003c"]}"#);
    }

    #[test]
    fn writes_what_go_writes() {
        let value =
            json!({"b": [1, 0.00001, 1e21, 1.5e-7, null, true], "a": "<a href=\"ä&\u{2028}\">\n\t\u{1}"});
        assert_eq!(
            to_string(&value),
            r#"{"a":"\u003ca href=\"ä\u0026\u2028\"\u003e\n\t\u0001","b":[1,0.00001,1e+21,1.5e-7,null,true]}"#
        );
    }
}
