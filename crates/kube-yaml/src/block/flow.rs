//! Flow collections that begin and end on one line.

use super::{MAX_DEPTH, Reader};
use crate::compose;
use gotext::source::{Data, Entry, Node, Span};

impl Reader<'_> {
    /// Reads the `[...]` or `{...}` that begins here.
    pub(super) fn flow(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        self.at += 1;
        let data = if self.byte(start) == b'[' { self.flow_sequence() } else { self.flow_mapping() }?;
        self.depth -= 1;
        Some(Node { span: Span::new(start..self.at), data })
    }

    fn flow_sequence(&mut self) -> Option<Data> {
        let first = self.items.len();
        self.skip_spaces();
        while !(self.items.len() == first && self.flow_ends(b']')) {
            let item = self.flow_value()?;
            self.items.push(item);
            if self.is_last(b']')? {
                break;
            }
        }
        Some(Data::Array(self.items.drain(first..).collect()))
    }

    fn flow_mapping(&mut self) -> Option<Data> {
        let first = self.entries.len();
        self.skip_spaces();
        while !(self.entries.len() == first && self.flow_ends(b'}')) {
            let (key, key_span) = self.key(Self::flow_plain)?;
            self.check_new(first, &key)?;
            self.skip_spaces();
            let value = self.flow_value()?;
            self.entries.push(Entry { key, key_span, value });
            if self.is_last(b'}')? {
                break;
            }
        }
        Some(Data::Object(self.entries.drain(first..).collect()))
    }

    /// Whether an empty collection ends here; then moves after its end.
    fn flow_ends(&mut self, end: u8) -> bool {
        let ends = self.byte(self.at) == end;
        self.at += usize::from(ends);
        ends
    }

    /// Moves after the comma after a value, or after the end of the collection.
    fn is_last(&mut self, end: u8) -> Option<bool> {
        self.skip_spaces();
        let byte = self.byte(self.at);
        if byte != b',' && byte != end {
            return None;
        }
        self.at += 1;
        if byte == b',' {
            self.skip_spaces();
        }
        Some(byte == end)
    }

    fn flow_value(&mut self) -> Option<Node> {
        let start = self.at;
        match self.byte(start) {
            b'[' | b'{' => self.flow(),
            b'"' | b'\'' => {
                let text = self.quoted()?;
                Some(Node { span: Span::new(start..self.at), data: Data::String(text.into()) })
            }
            _ => {
                let text = self.flow_plain()?;
                Some(Node { span: Span::new(start..start + text.len()), data: compose::plain(text)? })
            }
        }
    }
}
