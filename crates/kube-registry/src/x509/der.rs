//! Elements in DER as Go's package for certificates reads them: what is wrong is known to the caller alone.
//!
//! Source: `golang.org/x/crypto/cryptobyte`

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Elements in DER, read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Der<'a>(pub(super) &'a [u8]);

impl<'a> Der<'a> {
    /// Returns the digits of the whole numbers in a sequence that has nothing else.
    pub(super) fn integers(der: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let mut input = Self(der);
        let mut list = input.read(SEQUENCE).filter(|_| input.0.is_empty())?;
        let mut integers = Vec::new();
        while !list.0.is_empty() {
            integers.push(list.read_integer()?);
        }
        Some(integers)
    }

    pub(super) fn next_is(self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    /// Reads an element of any type: its tag and its content. Lengths must be as short as they can be.
    pub(super) fn read_any(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        // Tags of several bytes are not supported.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = if first & 0x80 == 0 {
            (usize::from(first), rest)
        } else {
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) {
                return None;
            }
            let (bytes, rest) = rest.split_at_checked(count)?;
            let length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            if length < 128 || length >> ((count - 1) * 8) == 0 {
                return None;
            }
            (length, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    pub(super) fn read(&mut self, wanted: u8) -> Option<Self> {
        if !self.next_is(wanted) {
            return None;
        }
        self.read_any().map(|(_, content)| Self(content))
    }

    /// Reads an element that may be absent.
    #[expect(clippy::option_option, reason = "malformed, absent and present are three answers")]
    pub(super) fn read_optional(&mut self, tag: u8) -> Option<Option<Self>> {
        if self.next_is(tag) { self.read(tag).map(Some) } else { Some(None) }
    }

    /// Reads the bytes of a whole number, as few as there can be.
    pub(super) fn read_integer(&mut self) -> Option<&'a [u8]> {
        Some(self.read(INTEGER)?.0).filter(|bytes| Self::is_minimal(bytes))
    }

    /// Whether the bytes of a whole number are as few as there can be.
    pub(super) fn is_minimal(bytes: &[u8]) -> bool {
        match bytes {
            [] => false,
            [0, second, ..] => second & 0x80 != 0,
            [0xff, second, ..] => second & 0x80 == 0,
            [..] => true,
        }
    }

    pub(super) fn read_flag(&mut self) -> Option<bool> {
        match self.read(BOOLEAN)?.0 {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    pub(super) fn read_identifier(&mut self) -> Option<&'a [u8]> {
        let bytes = self.read(OBJECT_IDENTIFIER)?.0;
        let ends = bytes.last().is_some_and(|last| last & 0x80 == 0);
        // A number within it does not start with a zero.
        let starts = std::iter::once(0).chain(bytes.iter().copied());
        let has_zero = starts.zip(bytes).any(|(before, byte)| before & 0x80 == 0 && *byte == 0x80);
        (ends && !has_zero).then_some(bytes)
    }

    pub(super) fn read_bits(&mut self) -> Option<&'a [u8]> {
        let (&unused, bytes) = self.read(BIT_STRING)?.0.split_first()?;
        let are_zero = |last: &u8| last & ((1 << unused) - 1) == 0;
        let is_valid = unused < 8 && if unused == 0 { true } else { bytes.last().is_some_and(are_zero) };
        is_valid.then_some(bytes)
    }
}
