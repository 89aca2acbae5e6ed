//! Values → YAML as `sigs.k8s.io/yaml` and so kubectl write it.
//!
//! Source: `JSONToYAML` of `sigs.k8s.io/yaml`; `encode.go`, `sorter.go` and `emitterc.go` of `go.yaml.in/yaml/v2`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write;

use crate::go_text::float_general;
use crate::resolve::{Scalar, resolve_plain};
use gotext::value::Text;
use gotext::value::{Map, Value};

mod scalar;

use scalar::{Analysis, Style};

const INDENT: usize = 2;
const BEST_WIDTH: usize = 80;
/// The length beyond which a key is written after a `?`.
const LONGEST_SIMPLE_KEY: usize = 128;

/// Text that Go's writer refuses, because it reads its own JSON as YAML in between.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unwritable(&'static str);

/// Appends `value` to `out` as block YAML that ends with a line break: keys in natural order (`a2` before `a10`),
/// items at the indent of their key, quotes only where they are needed.
///
/// # Errors
///
/// Returns Go's text if Go refuses to write a value. `out` has it nevertheless, as valid YAML.
pub fn write_yaml(value: &Value, out: &mut String) -> Result<(), Unwritable> {
    let mut emitter =
        Emitter { out, column: 0, indent: None, whitespace: true, indention: true, unwritable: None };
    emitter.node(value, Context::Root);
    emitter.indent = None;
    emitter.write_indent();
    emitter.unwritable.map_or(Ok(()), Err)
}

/// The context of a node.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Root,
    Item,
    /// The value of a key.
    Value,
    /// A key on the line of its value.
    SimpleKey,
    /// A key after a `?`.
    Key,
}

struct Emitter<'a> {
    out: &'a mut String,
    /// The number of characters in the current line.
    column: usize,
    /// None outside of all collections.
    indent: Option<usize>,
    /// Whether the last character is a blank, or an indicator that counts as one.
    whitespace: bool,
    /// Whether the line has only indentation and indicators so far.
    indention: bool,
    unwritable: Option<Unwritable>,
}

impl Emitter<'_> {
    fn node(&mut self, value: &Value, context: Context) {
        match value {
            Value::Null => self.plain("null"),
            Value::Bool(true) => self.plain("true"),
            Value::Bool(false) => self.plain("false"),
            Value::Number(number) => {
                if number.is_f64() {
                    self.float(number.as_f64().unwrap_or_default());
                } else {
                    self.plain(&number.to_string());
                }
            }
            Value::String(text) => self.text(text, context),
            Value::Array(items) if items.is_empty() => self.indicator("[]", true),
            Value::Array(items) => self.sequence(items, context),
            Value::Object(map) if map.is_empty() => self.indicator("{}", true),
            Value::Object(map) => self.mapping(map),
        }
    }

    fn sequence(&mut self, items: &[Value], context: Context) {
        let outer = self.indent;
        let indentless = matches!(context, Context::Value | Context::Key) && !self.indention;
        self.increase_indent(indentless);
        for item in items {
            self.write_indent();
            self.block_indicator("-");
            self.node(item, Context::Item);
        }
        self.indent = outer;
    }

    fn mapping(&mut self, map: &Map) {
        let outer = self.indent;
        self.increase_indent(false);
        for (key, value) in in_natural_order(map) {
            self.write_indent();
            let as_read = self.as_read(key);
            if as_read.len() <= LONGEST_SIMPLE_KEY && !as_read.contains(scalar::is_break) {
                self.text(key, Context::SimpleKey);
                self.indicator(":", false);
            } else {
                self.block_indicator("?");
                self.text(key, Context::Key);
                self.write_indent();
                self.block_indicator(":");
            }
            self.node(value, Context::Value);
        }
        self.indent = outer;
    }

    fn increase_indent(&mut self, indentless: bool) {
        self.indent = Some(match self.indent {
            None => 0,
            Some(indent) if indentless => indent,
            Some(indent) => indent + INDENT,
        });
    }

    /// Returns the text as go-yaml reads it back from Go's JSON, in which a next-line character is a line break that
    /// folds.
    fn as_read<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if text.is_ascii() && !text.contains('\u{7f}') {
            return text.into();
        }
        let refused = |character: char| matches!(character, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
        if text.contains(refused) {
            self.unwritable = Some(Unwritable("yaml: control characters are not allowed"));
        }
        if text.contains('\u{85}') { fold_next_lines(text).into() } else { text.into() }
    }

    fn float(&mut self, value: f64) {
        // In JSON a whole number of less than 22 digits has no fraction, and one of 64 bits is read as an integer.
        match crate::go_text::through_json(value) {
            Some(number) if !number.is_f64() => self.plain(&number.to_string()),
            _ => self.plain(&float_general(value)),
        }
    }

    fn text(&mut self, text: &str, context: Context) {
        if is_word(text) {
            return self.plain_text(text, false);
        }
        let as_read = self.as_read(text);
        let simple_key = context == Context::SimpleKey;
        if simple_key && text.contains('\u{85}') {
            self.unwritable = Some(Unwritable("yaml: line 1: did not find expected ',' or '}'"));
        }
        let analysis = Analysis::of(&as_read);
        let mut style = if as_read.contains('\n') {
            Style::Literal
        } else if is_text_when_plain(&as_read) {
            Style::Plain
        } else {
            Style::DoubleQuoted
        };
        if style == Style::Plain && (!analysis.plain_allowed || (as_read.is_empty() && simple_key)) {
            style = Style::SingleQuoted;
        }
        if style == Style::SingleQuoted && !analysis.single_quoted_allowed {
            style = Style::DoubleQuoted;
        }
        if style == Style::Literal && (!analysis.block_allowed || simple_key) {
            style = Style::DoubleQuoted;
        }
        let outer = self.indent;
        self.indent = Some(outer.map_or(INDENT, |indent| indent + INDENT));
        match style {
            Style::Plain => self.plain_text(&as_read, !simple_key),
            Style::SingleQuoted => self.single_quoted(&as_read, !simple_key),
            Style::DoubleQuoted => self.double_quoted(&as_read, !simple_key),
            Style::Literal => self.literal(&as_read),
        }
        self.indent = outer;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    /// Writes an indicator that begins a block, whose content may follow on the same line.
    fn block_indicator(&mut self, indicator: &str) {
        let indention = self.indention;
        self.indicator(indicator, true);
        self.indention = indention;
    }

    fn indicator(&mut self, indicator: &str, need_whitespace: bool) {
        if need_whitespace && !self.whitespace {
            self.put(' ');
        }
        self.put_str(indicator);
        self.whitespace = false;
        self.indention = false;
    }

    fn plain(&mut self, word: &str) {
        self.indicator(word, true);
    }

    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    /// Appends text without line breaks.
    fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn put_escape(&mut self, character: char) {
        let code = u32::from(character);
        let start = self.out.len();
        match character {
            '\0' => self.out.push_str("\\0"),
            '\u{7}' => self.out.push_str("\\a"),
            '\u{8}' => self.out.push_str("\\b"),
            '\t' => self.out.push_str("\\t"),
            '\n' => self.out.push_str("\\n"),
            '\u{b}' => self.out.push_str("\\v"),
            '\u{c}' => self.out.push_str("\\f"),
            '\r' => self.out.push_str("\\r"),
            '\u{1b}' => self.out.push_str("\\e"),
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\u{85}' => self.out.push_str("\\N"),
            '\u{a0}' => self.out.push_str("\\_"),
            '\u{2028}' => self.out.push_str("\\L"),
            '\u{2029}' => self.out.push_str("\\P"),
            _ => match code {
                ..=0xff => write!(self.out, "\\x{code:02X}"),
                0x100..=0xffff => write!(self.out, "\\u{code:04X}"),
                _ => write!(self.out, "\\U{code:08X}"),
            }
            .expect("writing to text never fails"),
        }
        self.column += self.out.len() - start;
    }
}

/// Whether `text` is written as it is in every context, as most texts of manifests are.
pub fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && text.bytes().all(is_plain)
        && resolve_plain(text) == Scalar::Text
}

/// Whether unquoted text is read as text again, by other readers of YAML 1.1 too.
fn is_text_when_plain(text: &str) -> bool {
    resolve_plain(text) == Scalar::Text && !is_base_60(text)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let mut parts = unsigned.split(':');
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if !parts.next().is_some_and(is_digits) {
        return false;
    }
    let mut parts: Vec<_> = parts.collect();
    if let Some(last) = parts.last_mut()
        && let Some((whole, fraction)) = last.split_once('.')
    {
        if !is_digits(fraction) {
            return false;
        }
        *last = whole;
    }
    !parts.is_empty()
        && parts.iter().all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}

/// Returns the text of a double-quoted scalar with unescaped next-line characters: each run of them is folded, together
/// with the blanks around it.
fn fold_next_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find('\u{85}') {
        out.push_str(rest[..found].trim_end_matches(' '));
        let after = rest[found..].trim_start_matches([' ', '\u{85}']);
        let run = &rest[found..rest.len() - after.len()];
        match run.matches('\u{85}').count() {
            1 => out.push(' '),
            breaks => out.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The number of keys that Go sorts by insertion.
const FEW_KEYS: usize = 12;

/// Go's order of keys is not transitive (`10` < `1a` < `2` < `10`), so only an insertion sort is safe; Go's own
/// result then depends on chance. Few keys are taken from the last to the first, which leaves numbers in order; many
/// from the first to the last, as that is nearly their order already.
fn in_natural_order(map: &Map) -> Vec<(&Text, &Value)> {
    let mut pairs: Vec<(&Text, &Value)> = Vec::with_capacity(map.len());
    if map.len() <= FEW_KEYS {
        map.iter().rev().for_each(|pair| insert(&mut pairs, pair));
    } else {
        map.iter().for_each(|pair| insert(&mut pairs, pair));
    }
    pairs
}

fn insert<'a>(pairs: &mut Vec<(&'a Text, &'a Value)>, pair: (&'a Text, &'a Value)) {
    let before = pairs.iter().rposition(|(key, _)| natural_order(pair.0, key) != Ordering::Less);
    pairs.insert(before.map_or(0, |position| position + 1), pair);
}

fn natural_order(left: &str, right: &str) -> Ordering {
    let common = left.chars().zip(right.chars()).take_while(|(l, r)| l == r);
    let (mut bytes, mut nonzero_digits_before) = (0, false);
    for (character, _) in common {
        bytes += character.len_utf8();
        nonzero_digits_before = character.is_ascii_digit() && (nonzero_digits_before || character != '0');
    }
    let (left, right) = (&left[bytes..], &right[bytes..]);
    let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) else {
        return left.len().cmp(&right.len());
    };
    match (first.is_alphabetic(), second.is_alphabetic()) {
        (true, true) => return first.cmp(&second),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let start = i64::from((first == '0' || second == '0') && nonzero_digits_before);
    let (first_number, first_length) = leading_number(left, start);
    let (second_number, second_length) = leading_number(right, start);
    first_number.cmp(&second_number).then(first_length.cmp(&second_length)).then(first.cmp(&second))
}

fn leading_number(text: &str, start: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((start, 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), length + 1)
    })
}
