//! Reads the YAML that nearly all manifests are written in, in one pass without tokens or a tree of nodes.
//!
//! That is block style with plain, quoted and literal scalars, comments, and flow collections on one line. The reader
//! gives up (`None`) at everything else: anchors, aliases, tags, directives, merge and repeated keys, keys that are not
//! text, folded scalars, characters with a meaning of their own, and everything that is wrong. [`tree`](super::tree) and [`compose`] then read the document from its start. So this reader reports no
//! error, and what it returns must be what they return, value by value and place by place; the tests here hold it to
//! that.
//!
//! Why it exists: of a run without workloads, finding tokens and composing them took half of all instructions; this takes
//! a fifth of that.

use crate::compose;
use gotext::source::{Data, Entry, Node, Span};
use gotext::value::Text;

mod flow;
mod scalar;

/// The depth at which the reader gives up. No manifest is nested that deep.
const MAX_DEPTH: usize = 100;

/// The length of a key, quotes included, up to which it is certainly one for libyaml.
const MAX_KEY: usize = 1000;

/// The number of keys of one mapping at which the reader gives up: it compares each with all others.
const MAX_KEYS: usize = 128;

/// Returns the value of the document in `text[span]`, with its places in `text`; none if the full reader must read it.
pub(super) fn read(text: &str, span: Span) -> Option<Node> {
    let document = &text[span.start..span.end];
    // Every line ends in a break, so that a look at the next byte is always possible.
    if !document.ends_with('\n') || !scalar::are_plain_characters(document.as_bytes()) {
        return None;
    }
    let mut reader = Reader {
        text: &text[..span.end],
        at: span.start,
        line_start: span.start,
        line: None,
        depth: 0,
        entries: Vec::with_capacity(32),
        items: Vec::with_capacity(16),
    };
    reader.skip_separator()?;
    let indent = reader.line?;
    let node = reader.collection(indent)?;
    reader.line.is_none().then_some(node)
}

/// A document while it is read. A method that reads a value begins at its first byte, and ends at the first byte of the
/// next line with content; those of [`flow`] and [`scalar`] end directly after what they read.
struct Reader<'a> {
    /// The file up to the end of the document.
    text: &'a str,
    /// The next byte.
    at: usize,
    /// The start of its line.
    line_start: usize,
    /// The indentation of the line with content at which the reader is, if it is at one: none after the last line.
    line: Option<usize>,
    depth: usize,
    /// The entries of all mappings that are open, outermost first: so that each is allocated once, in its size.
    entries: Vec<Entry>,
    /// The items of all sequences that are open, likewise.
    items: Vec<Node>,
}

impl<'a> Reader<'a> {
    /// Reads the key here and its colon; `plain` reads one that is not quoted.
    fn key(&mut self, plain: impl Fn(&mut Self) -> Option<&'a str>) -> Option<(Text, Span)> {
        let start = self.at;
        let key = match self.byte(start) {
            b'"' | b'\'' => self.quoted()?.into(),
            _ => {
                let key = plain(self)?;
                text_key(key).filter(|_| start + key.len() == self.at)?
            }
        };
        let span = Span::new(start..self.at);
        self.pass_colon(span)?;
        Some((key, span))
    }
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    /// Whether the token at `at` ends there.
    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\n')
    }

    fn skip_spaces(&mut self) {
        while self.byte(self.at) == b' ' {
            self.at += 1;
        }
    }

    /// Moves to the first line with content, after a line `---`.
    fn skip_separator(&mut self) -> Option<()> {
        self.skip_to_content(self.at);
        if self.line == Some(0) && self.text[self.at..].starts_with("---") {
            self.at += 3;
            self.end_line()?;
        }
        self.refuse_marker()
    }

    /// Moves from the end of a value to the next line with content.
    fn end_line(&mut self) -> Option<()> {
        self.skip_rest_of_line()?;
        self.skip_to_content(self.at);
        self.refuse_marker()
    }

    /// Moves to the next line, if at most a comment is left on this one.
    fn skip_rest_of_line(&mut self) -> Option<()> {
        let from = self.at;
        self.skip_spaces();
        match self.byte(self.at) {
            b'\n' => {}
            b'#' if self.at > from => self.skip_comment(),
            _ => return None,
        }
        self.at += 1;
        Some(())
    }

    fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    /// Moves from `start`, where a line begins, to the next content.
    fn skip_to_content(&mut self, start: usize) {
        (self.at, self.line_start) = (start, start);
        while self.at < self.text.len() {
            self.skip_spaces();
            match self.byte(self.at) {
                b'\n' => {}
                b'#' => self.skip_comment(),
                _ => {
                    self.line = Some(self.at - self.line_start);
                    return;
                }
            }
            self.at += 1;
            self.line_start = self.at;
        }
        self.line = None;
    }

    /// Gives up at the end of a document.
    fn refuse_marker(&self) -> Option<()> {
        let rest = &self.text[self.at.min(self.text.len())..];
        let is_marker = self.line == Some(0) && (rest.starts_with("---") || rest.starts_with("..."));
        (!is_marker).then_some(())
    }

    fn is_item(&self) -> bool {
        self.byte(self.at) == b'-' && self.is_blank(self.at + 1)
    }

    /// Reads the block collection that begins here, whose keys or items are in the column `indent`.
    fn collection(&mut self, indent: usize) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let node = if self.is_item() { self.sequence(indent) } else { self.mapping(indent) };
        self.depth -= 1;
        // What is indented further belongs to nothing.
        node.filter(|_| self.line.is_none_or(|line| line <= indent))
    }

    fn mapping(&mut self, indent: usize) -> Option<Node> {
        let (start, first) = (self.at, self.entries.len());
        loop {
            let (key, key_span) = self.key(Self::plain_on_line)?;
            self.check_new(first, &key)?;
            let value = self.value(indent)?;
            self.entries.push(Entry { key, key_span, value });
            if self.line != Some(indent) {
                break;
            }
        }
        let entries: Vec<_> = self.entries.drain(first..).collect();
        let end = entries.last()?.value.span.end;
        Some(Node { span: Span::new(start..end), data: Data::Object(entries) })
    }

    fn sequence(&mut self, indent: usize) -> Option<Node> {
        let (start, first) = (self.at, self.items.len());
        while self.items.len() == first || self.line == Some(indent) && self.is_item() {
            let item = self.item(indent)?;
            self.items.push(item);
        }
        let items: Vec<_> = self.items.drain(first..).collect();
        let end = items.last()?.span.end;
        Some(Node { span: Span::new(start..end), data: Data::Array(items) })
    }

    /// Gives up if the mapping whose entries begin at `first` has `key`, or too many others to compare them.
    fn check_new(&self, first: usize, key: &Text) -> Option<()> {
        let (entries, key) = (&self.entries[first..], key.as_bytes());
        let is_repeated = entries.iter().any(|entry| {
            // Most keys differ in length or in their last letter.
            let found = entry.key.as_bytes();
            found.len() == key.len() && found.last() == key.last() && found == key
        });
        (!is_repeated && entries.len() < MAX_KEYS).then_some(())
    }

    /// Moves after the colon of the key in `span`.
    fn pass_colon(&mut self, span: Span) -> Option<()> {
        let is_key = self.byte(span.end) == b':' && self.is_blank(span.end + 1);
        self.at = span.end + 1;
        (is_key && span.end - span.start <= MAX_KEY).then_some(())
    }

    /// Reads the value after the colon of a key in the column `indent`.
    fn value(&mut self, indent: usize) -> Option<Node> {
        let colon = self.at;
        self.skip_spaces();
        if !self.ends_here(colon) {
            return self.scalar_or_flow(indent);
        }
        self.at = colon;
        self.end_line()?;
        match self.line {
            Some(line) if line > indent => self.collection(line),
            // A sequence need not be indented further than its key.
            Some(line) if line == indent && self.is_item() => self.collection(line),
            _ => Some(null(colon)),
        }
    }

    /// Reads the item of a sequence in the column `indent`, from its dash on.
    fn item(&mut self, indent: usize) -> Option<Node> {
        self.at += 1;
        let dash = self.at;
        self.skip_spaces();
        if self.ends_here(dash) {
            self.at = dash;
            self.end_line()?;
            return match self.line {
                Some(line) if line > indent => self.collection(line),
                _ => Some(null(dash)),
            };
        }
        if self.is_item() || self.is_key() {
            return self.collection(self.at - self.line_start);
        }
        self.scalar_or_flow(indent)
    }

    /// Whether nothing is written on the line after `from`, up to a comment.
    fn ends_here(&self, from: usize) -> bool {
        match self.byte(self.at) {
            b'\n' => true,
            b'#' => self.at > from,
            _ => false,
        }
    }

    /// Whether a key begins here.
    fn is_key(&mut self) -> bool {
        let start = self.at;
        let is_scalar = match self.byte(start) {
            b'"' | b'\'' => self.quoted().is_some(),
            _ => self.plain_on_line().is_some(),
        };
        let is_key = is_scalar && self.byte(self.at) == b':' && self.is_blank(self.at + 1);
        self.at = start;
        is_key
    }

    /// Reads a value that begins on the line of its key or dash, in a collection whose column is `indent`.
    fn scalar_or_flow(&mut self, indent: usize) -> Option<Node> {
        let start = self.at;
        let node = match self.byte(start) {
            b'|' => {
                let text = self.literal(indent)?;
                let node = Node { span: Span::new(start..self.at), data: Data::String(text.into()) };
                self.skip_to_content(self.at);
                self.refuse_marker()?;
                node
            }
            b'"' | b'\'' => {
                let text = self.quoted_lines(indent)?;
                let node = Node { span: Span::new(start..self.at), data: Data::String(text.into()) };
                self.end_line()?;
                node
            }
            b'[' | b'{' => {
                let node = self.flow()?;
                self.end_line()?;
                node
            }
            _ => {
                let text = self.plain(indent)?;
                let node = Node { span: Span::new(start..self.at), data: compose::plain(&text)? };
                self.end_line()?;
                node
            }
        };
        Some(node).filter(|_| self.line.is_none_or(|line| line <= indent))
    }
}

/// Returns the value that is not written, at the place where it is missing.
fn null(at: usize) -> Node {
    Node { span: Span::new(at..at), data: Data::Null }
}

/// Returns a plain key, if it is text and does not merge another mapping.
fn text_key(key: &str) -> Option<Text> {
    match compose::plain(key)? {
        Data::String(text) if text != "<<" => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
