//! Elements in DER as Go's package `encoding/asn1` reads them, with its errors: signing requests and what is in them.
//!
//! Source: `encoding/asn1`

const BOOLEAN: u32 = 1;
pub(super) const INTEGER: u32 = 2;
pub(super) const BIT_STRING: u32 = 3;
const OCTET_STRING: u32 = 4;
pub(super) const IDENTIFIER: u32 = 6;
const SEQUENCE: u32 = 16;
const SET: u32 = 17;

/// The head of an element, and the offsets of its content in the text that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    class: u8,
    pub(crate) tag: u32,
    is_compound: bool,
    length: usize,
}

/// A type that Go reads an element into.
#[derive(Clone, Copy)]
struct Target {
    tag: u32,
    is_compound: bool,
    /// The name of the type, empty for a list.
    name: &'static str,
}

/// Elements that follow each other, read from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// An element that was read: its head, its content, and both together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    pub(crate) head: Head,
    pub(crate) content: &'a [u8],
    pub(crate) whole: &'a [u8],
}

fn syntax<T>(message: &str) -> Result<T, String> {
    Err(format!("asn1: syntax error: {message}"))
}

fn structure<T>(message: &str) -> Result<T, String> {
    Err(format!("asn1: structure error: {message}"))
}

impl<'a> Elements<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.offset == self.bytes.len()
    }

    /// Reads an element of any type.
    ///
    /// # Errors
    ///
    /// Returns Go's error, as do all that read.
    pub(crate) fn any(&mut self) -> Result<Element<'a>, String> {
        if self.is_empty() {
            return syntax("sequence truncated");
        }
        let (head, start) = read_head(self.bytes, self.offset)?;
        self.take(head, start)
    }

    /// Reads a struct of the type `name`: its fields.
    pub(crate) fn fields(&mut self, name: &'static str) -> Result<(Self, &'a [u8]), String> {
        let element = self.typed(Target { tag: SEQUENCE, is_compound: true, name })?;
        Ok((Self::new(element.content), element.whole))
    }

    /// Reads a list of the type `name`: its items.
    pub(crate) fn items(&mut self, name: &'static str) -> Result<Self, String> {
        self.fields(name).map(|(items, _)| items)
    }

    /// Reads a set: its items.
    pub(crate) fn set(&mut self, name: &'static str) -> Result<Self, String> {
        let element = self.typed(Target { tag: SET, is_compound: true, name })?;
        Ok(Self::new(element.content))
    }

    /// Reads a list with the tag 0 of its context: its items, of any type.
    pub(crate) fn attributes(&mut self) -> Result<Vec<Element<'a>>, String> {
        if self.is_empty() {
            return syntax("sequence truncated");
        }
        let (head, start) = read_head(self.bytes, self.offset)?;
        if (head.class, head.tag, head.is_compound) != (2, 0, true) {
            return structure(&mismatch(0, head, "0xc000000000", "", start));
        }
        let list = Self::new(self.take(head, start)?.content);
        list.each()
    }

    /// Returns the items of a list, of any type.
    pub(crate) fn each(mut self) -> Result<Vec<Element<'a>>, String> {
        let mut items = Vec::new();
        while !self.is_empty() {
            let (head, start) = read_head(self.bytes, self.offset)?;
            if start + head.length > self.bytes.len() {
                return syntax("truncated sequence");
            }
            items.push(self.take(head, start)?);
        }
        Ok(items)
    }

    /// Returns the items of a list, sets if `are_sets`, otherwise structs.
    pub(crate) fn each_compound(self, are_sets: bool) -> Result<Vec<Element<'a>>, String> {
        let mut rest = self;
        let wanted = if are_sets { SET } else { SEQUENCE };
        while !rest.is_empty() {
            let (head, start) = read_head(rest.bytes, rest.offset)?;
            if (head.class, head.tag, head.is_compound) != (0, wanted, true) {
                return structure("sequence tag mismatch");
            }
            if start + head.length > rest.bytes.len() {
                return syntax("truncated sequence");
            }
            rest.offset = start + head.length;
        }
        self.each()
    }

    /// Reads a whole number that fits 64 bits.
    pub(crate) fn integer(&mut self) -> Result<i64, String> {
        let bytes = self.number("int")?;
        if bytes.len() > size_of::<i64>() {
            return structure("integer too large");
        }
        let start = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
        Ok(bytes.iter().fold(start, |number, byte| number << 8 | i64::from(*byte)))
    }

    /// Reads a whole number of the type `name`: its bytes, of which there are some.
    pub(crate) fn number(&mut self, name: &'static str) -> Result<&'a [u8], String> {
        let bytes = self.typed(Target { tag: INTEGER, is_compound: false, name })?.content;
        match bytes {
            [] => structure("empty integer"),
            [0, second, ..] if second & 0x80 == 0 => structure("integer not minimally-encoded"),
            [0xff, second, ..] if second & 0x80 != 0 => structure("integer not minimally-encoded"),
            bytes => Ok(bytes),
        }
    }

    /// Whether a simple element of the type `tag` comes next.
    pub(crate) fn next_is(self, tag: u32) -> bool {
        let head = if self.is_empty() { None } else { read_head(self.bytes, self.offset).ok() };
        head.is_some_and(|(head, _)| (head.class, head.tag, head.is_compound) == (0, tag, false))
    }

    /// Passes the head of an element with the tag `tag` of its context, if it is there and has a simple element of the
    /// type `inner`. As in Go, its length does not count.
    pub(crate) fn explicit(&mut self, tag: u32, inner: u32) -> Result<bool, String> {
        if self.is_empty() {
            return Ok(false);
        }
        let (head, start) = read_head(self.bytes, self.offset)?;
        if (head.class, head.tag) != (2, tag) || head.length > 0 && !head.is_compound {
            return Ok(false);
        }
        if head.length == 0 {
            return structure("zero length explicit tag was not an asn1.Flag");
        }
        if start == self.bytes.len() {
            return structure("explicit tag has no child");
        }
        let (head, _) = read_head(self.bytes, start)?;
        let is_there = (head.class, head.tag, head.is_compound) == (0, inner, false);
        if is_there {
            self.offset = start;
        }
        Ok(is_there)
    }

    /// Reads an object identifier: its bytes.
    pub(crate) fn identifier(&mut self) -> Result<&'a [u8], String> {
        let bytes =
            self.typed(Target { tag: IDENTIFIER, is_compound: false, name: "ObjectIdentifier" })?.content;
        check_identifier(bytes)?;
        Ok(bytes)
    }

    /// Reads bits that fill bytes, or are shifted to the right until they do.
    pub(crate) fn bits(&mut self) -> Result<Vec<u8>, String> {
        let bytes = self.typed(Target { tag: BIT_STRING, is_compound: false, name: "BitString" })?.content;
        let (padding, bits) = split_bits(bytes)?;
        let before = std::iter::once(0).chain(bits.iter().copied());
        let pairs = before.zip(bits).map(|(before, byte)| u16::from_be_bytes([before, *byte]) >> padding);
        Ok(pairs.map(|pair| pair.to_be_bytes()[1]).collect())
    }

    /// Reads a flag that may be absent.
    pub(crate) fn optional_flag(&mut self) -> Result<(), String> {
        if self.is_empty() {
            return Ok(());
        }
        let (head, start) = read_head(self.bytes, self.offset)?;
        if (head.class, head.tag, head.is_compound) != (0, BOOLEAN, false) {
            return Ok(());
        }
        match self.take(head, start)?.content {
            [0 | 0xff] => Ok(()),
            _ => syntax("invalid boolean"),
        }
    }

    /// Reads bytes.
    pub(crate) fn octets(&mut self) -> Result<&'a [u8], String> {
        Ok(self.typed(Target { tag: OCTET_STRING, is_compound: false, name: "" })?.content)
    }

    fn typed(&mut self, target: Target) -> Result<Element<'a>, String> {
        if self.is_empty() {
            return syntax("sequence truncated");
        }
        let (head, start) = read_head(self.bytes, self.offset)?;
        if (head.class, head.tag, head.is_compound) != (0, target.tag, target.is_compound) {
            return structure(&mismatch(target.tag, head, "<nil>", target.name, start));
        }
        self.take(head, start)
    }

    fn take(&mut self, head: Head, start: usize) -> Result<Element<'a>, String> {
        let end = start + head.length;
        let Some(content) = self.bytes.get(start..end) else { return syntax("data truncated") };
        let whole = &self.bytes[self.offset..end];
        self.offset = end;
        Ok(Element { head, content, whole })
    }
}

/// Returns the number of bits at the end that do not count, and the bytes.
fn split_bits(bytes: &[u8]) -> Result<(u8, &[u8]), String> {
    let Some((&padding, bits)) = bytes.split_first() else { return syntax("zero length BIT STRING") };
    let last = bits.last().copied();
    if padding > 7 || last.map_or(padding > 0, |last| last & ((1 << padding) - 1) != 0) {
        return syntax("invalid padding bits in BIT STRING");
    }
    Ok((padding, bits))
}

/// Returns the error that an element is of another type than the field that it is for.
fn mismatch(wanted: u32, head: Head, tag: &str, name: &str, offset: usize) -> String {
    let Head { class, tag: found, is_compound, length } = head;
    let set = wanted == SET;
    format!(
        "tags don't match ({wanted} vs {{class:{class} tag:{found} length:{length} isCompound:{is_compound}}}) \
         {{optional:false explicit:false application:false private:false defaultValue:<nil> tag:{tag} stringType:0 \
         timeType:0 set:{set} omitEmpty:false}} {name} @{offset}"
    )
}

/// Source: `parseTagAndLength`
fn read_head(bytes: &[u8], offset: usize) -> Result<(Head, usize), String> {
    const TRUNCATED: &str = "truncated tag or length";
    let first = bytes[offset];
    let mut offset = offset + 1;
    let mut tag = u32::from(first & 0x1f);
    if tag == 0x1f {
        (tag, offset) = base_128(bytes, offset)?;
        if tag < 0x1f {
            return syntax("non-minimal tag");
        }
    }
    let Some(&second) = bytes.get(offset) else { return syntax(TRUNCATED) };
    offset += 1;
    let mut length = usize::from(second & 0x7f);
    if second & 0x80 != 0 {
        let count = length;
        if count == 0 {
            return syntax("indefinite length found (not DER)");
        }
        length = 0;
        for _ in 0..count {
            let Some(&byte) = bytes.get(offset) else { return syntax(TRUNCATED) };
            offset += 1;
            if length >= 1 << 23 {
                return structure("length too large");
            }
            length = length << 8 | usize::from(byte);
            if length == 0 {
                return structure("superfluous leading zeros in length");
            }
        }
        if length < 0x80 {
            return structure("non-minimal length");
        }
    }
    let head = Head { class: first >> 6, tag, is_compound: first & 0x20 != 0, length };
    Ok((head, offset))
}

/// Source: `parseBase128Int`
fn base_128(bytes: &[u8], mut offset: usize) -> Result<(u32, usize), String> {
    let mut number: u64 = 0;
    for count in 0.. {
        let Some(&byte) = bytes.get(offset) else { break };
        if count == 5 {
            return structure("base 128 integer too large");
        }
        if count == 0 && byte == 0x80 {
            return syntax("integer is not minimally encoded");
        }
        number = number << 7 | u64::from(byte & 0x7f);
        offset += 1;
        if byte & 0x80 == 0 {
            return match u32::try_from(number) {
                Ok(number) if i32::try_from(number).is_ok() => Ok((number, offset)),
                _ => structure("base 128 integer too large"),
            };
        }
    }
    syntax("truncated base 128 integer")
}

/// Source: `parseObjectIdentifier`
fn check_identifier(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() {
        return syntax("zero length OBJECT IDENTIFIER");
    }
    let mut offset = 0;
    while offset < bytes.len() {
        (_, offset) = base_128(bytes, offset)?;
    }
    Ok(())
}

/// Returns the text of an element that Go reads as a value of any type, if it is one.
pub(crate) fn text(element: &Element<'_>) -> Result<Option<String>, String> {
    const UTF8: u32 = 12;
    const NUMERIC: u32 = 18;
    const PRINTABLE: u32 = 19;
    const T61: u32 = 20;
    const IA5: u32 = 22;
    const BMP: u32 = 30;
    let bytes = element.content;
    if element.head.class != 0 || element.head.is_compound {
        return Ok(None);
    }
    let lossy = || Ok(Some(String::from_utf8_lossy(bytes).into_owned()));
    let is_printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(byte);
    match element.head.tag {
        PRINTABLE if !bytes.iter().all(is_printable) => syntax("PrintableString contains invalid character"),
        NUMERIC if !bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ') => {
            syntax("NumericString contains invalid character")
        }
        IA5 if !bytes.is_ascii() => syntax("IA5String contains invalid character"),
        UTF8 if std::str::from_utf8(bytes).is_err() => Err("asn1: invalid UTF-8 string".to_owned()),
        BMP if !bytes.len().is_multiple_of(2) => Err("invalid BMPString".to_owned()),
        BMP => {
            let bytes = bytes.strip_suffix(&[0, 0]).unwrap_or(bytes);
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            Ok(Some(String::from_utf16_lossy(&units)))
        }
        PRINTABLE | NUMERIC | IA5 | UTF8 | T61 => lossy(),
        IDENTIFIER => check_identifier(bytes).map(|()| None),
        BIT_STRING => split_bits(bytes).map(|_| None),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_type_that_an_element_should_have() {
        let error = Elements::new(&[2, 1, 5]).fields("certificateRequest").expect_err("a number");
        assert_eq!(
            error,
            "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) \
             {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 \
             timeType:0 set:false omitEmpty:false} certificateRequest @2"
        );
    }

    #[test]
    fn says_where_an_element_ends_too_early() {
        let any = |bytes: &[u8]| Elements::new(bytes).any().map(|element| element.content.len());
        assert_eq!(any(&[]), Err("asn1: syntax error: sequence truncated".to_owned()));
        assert_eq!(any(&[0x30]), Err("asn1: syntax error: truncated tag or length".to_owned()));
        assert_eq!(any(&[0x30, 5, 0]), Err("asn1: syntax error: data truncated".to_owned()));
        assert_eq!(
            any(&[0x30, 0x80]),
            Err("asn1: syntax error: indefinite length found (not DER)".to_owned())
        );
        assert_eq!(any(&[0x30, 0x81, 1, 0]), Err("asn1: structure error: non-minimal length".to_owned()));
    }

    #[test]
    fn shifts_bits_to_the_right() {
        assert_eq!(Elements::new(&[3, 3, 4, 0xab, 0xc0]).bits(), Ok(vec![0x0a, 0xbc]));
        assert!(Elements::new(&[3, 2, 4, 0xab]).bits().is_err());
    }
}
