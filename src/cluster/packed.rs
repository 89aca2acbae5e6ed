//! An object that uses little memory.

mod block;
mod names;

use std::iter;

use gotext::value::{List, Number, Text};
use gotext::varint;
use kube_api::{GroupVersionKind, Map, Object, Value, secret};

pub(super) use block::{Block, InBlock};
use names::{Known, Named};

/// Bytes that hold most objects, so that the buffer need not grow.
const TYPICAL_SIZE: usize = 2048;

/// An object as bytes, which use a thirtieth of the tree's memory: numbers and lengths as short as they are, and the
/// names of fields by their numbers. It is written and read faster than JSON, as nothing is escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedObject(Box<[u8]>);

/// The first byte of a value.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const UNSIGNED: u8 = 3;
    pub(super) const NEGATIVE: u8 = 4;
    pub(super) const FLOAT: u8 = 5;
    pub(super) const LIST: u8 = 6;
    pub(super) const MAP: u8 = 7;
    /// The length of a text is added to this one.
    pub(super) const TEXT: u8 = 8;
}

/// The lengths that fit the first byte of a text; for others this is there, and the length follows.
const LONG: u8 = u8::MAX - tag::TEXT;

impl PackedObject {
    /// Packs `object`.
    pub fn new(object: &Object) -> Self {
        let mut writer = Writer { bytes: Vec::with_capacity(TYPICAL_SIZE), names: Named::default() };
        writer.object(object);
        Self(writer.bytes.into_boxed_slice())
    }

    /// Returns whether something in it may be secret.
    pub fn may_keep_secret(&self) -> bool {
        secret::may_be_kept_in(&Reader::new(&self.0).kind().expect("bytes as they were written"))
    }

    /// Returns the object, unpacked.
    pub fn object(&self) -> Object {
        Reader::new(&self.0).object().expect("bytes as they were written")
    }
}

struct Writer {
    bytes: Vec<u8>,
    names: Named,
}

impl Writer {
    fn object(&mut self, object: &Object) {
        let GroupVersionKind { group, version, kind } = &object.kind;
        for name in [group, version, kind] {
            self.length(name.len());
            self.bytes.extend_from_slice(name.as_bytes());
        }
        self.value(&object.value);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(tag::NULL),
            Value::Bool(false) => self.bytes.push(tag::FALSE),
            Value::Bool(true) => self.bytes.push(tag::TRUE),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                let length = u8::try_from(text.len()).unwrap_or(LONG).min(LONG);
                self.bytes.push(tag::TEXT + length);
                if length == LONG {
                    self.length(text.len());
                }
                self.bytes.extend_from_slice(text.as_bytes());
            }
            Value::Array(items) => {
                self.bytes.push(tag::LIST);
                self.length(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(map) => {
                self.bytes.push(tag::MAP);
                self.length(map.len());
                for (name, value) in map {
                    self.name(name);
                    self.value(value);
                }
            }
        }
    }

    fn number(&mut self, number: &Number) {
        if let Some(number) = number.as_u64() {
            self.bytes.push(tag::UNSIGNED);
            self.varint(number);
        } else if let Some(number) = number.as_i64() {
            self.bytes.push(tag::NEGATIVE);
            self.varint((!number).cast_unsigned());
        } else {
            self.bytes.push(tag::FLOAT);
            self.bytes.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
        }
    }

    /// Writes the number of a name, or 0 and the name if it has none.
    fn name(&mut self, name: &Text) {
        let number = self.names.number_of(name);
        self.varint(number.into());
        if number == 0 {
            self.length(name.len());
            self.bytes.extend_from_slice(name.as_bytes());
        }
    }

    fn length(&mut self, length: usize) {
        self.varint(length as u64);
    }

    fn varint(&mut self, number: u64) {
        varint::push(&mut self.bytes, number);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    names: Known,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, names: Known::default() }
    }

    fn object(&mut self) -> Option<Object> {
        Some(Object::new(self.kind()?, self.value()?))
    }

    /// Reads the name before an object of a block.
    fn own_name(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        let (name, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        str::from_utf8(name).ok()
    }

    fn kind(&mut self) -> Option<GroupVersionKind> {
        let mut name = || {
            let length = self.length()?;
            Some(self.text(length)?.to_string())
        };
        Some(GroupVersionKind::new(name()?, name()?, name()?))
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            tag::NULL => Value::Null,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::UNSIGNED => Value::Number(self.varint()?.into()),
            tag::NEGATIVE => Value::Number((!self.varint()?.cast_signed()).into()),
            tag::FLOAT => {
                let (number, rest) = self.bytes.split_first_chunk()?;
                self.bytes = rest;
                Value::Number(Number::from_f64(f64::from_le_bytes(*number))?)
            }
            tag::LIST => {
                let length = self.length()?;
                let items: Option<Vec<_>> = iter::repeat_with(|| self.value()).take(length).collect();
                Value::Array(List::from(items?))
            }
            tag::MAP => {
                let length = self.length()?;
                let mut entries = Vec::with_capacity(length);
                for _ in 0..length {
                    entries.push((self.name()?, self.value()?));
                }
                Value::Object(entries.into_iter().collect::<Map>())
            }
            text => {
                let length = match text - tag::TEXT {
                    LONG => self.length()?,
                    length => length.into(),
                };
                Value::String(self.text(length)?)
            }
        })
    }

    fn name(&mut self) -> Option<Text> {
        match self.varint()? {
            0 => {
                let length = self.length()?;
                self.text(length)
            }
            number => self.names.name_of(usize::try_from(number).ok()?),
        }
    }

    fn text(&mut self, length: usize) -> Option<Text> {
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        str::from_utf8(text).ok().map(Text::from)
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*byte)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    fn varint(&mut self) -> Option<u64> {
        varint::take(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn what_was_packed_is_unpacked_unchanged() {
        let long = "x".repeat(300);
        let names: Map = (0..5000).map(|number| (format!("name-{number}"), Value::from(number))).collect();
        for value in [
            json!(null),
            json!({"a": {}, "b": [], "c": "", "\u{e4}": [null, true, false, "\u{1f600}\n\"\u{0}"]}),
            json!([0, 127, 128, u64::MAX, -1, i64::MIN, 1.0, -0.0, 0.1, 5e-324, 1.797_693_134_862_315_7e308]),
            json!({"short": "x".repeat(246), "longer": "x".repeat(247), "longest": "x".repeat(248)}),
            json!({long.as_str(): long.as_str()}),
            Value::Object(names),
        ] {
            let object = Object::new(GroupVersionKind::new("example.com", "v1", "Shop"), value);
            let packed = PackedObject::new(&object);
            assert_eq!(packed.object(), object);
            assert_eq!(PackedObject::new(&packed.object()), packed);
        }
    }

    #[test]
    fn names_of_fields_take_a_byte_or_two() {
        let value = json!({"terminationMessagePolicy": "File", "imagePullPolicy": "Always", "ports": [{"containerPort": 8080}]});
        let object = Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        let size = PackedObject::new(&object).0.len();
        assert!(size <= 1 + (1 + 2) + (1 + 3) + 2 + (2 + 5) + (2 + 7) + 2 + 2 + 2 + (2 + 3), "{size}");
    }
}
