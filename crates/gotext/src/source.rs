//! Source files, places in them, and values as they were written.

use std::fmt;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHasher;

use crate::value::Text;

/// A place in a file: a half-open range of byte offsets into its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the span of `range`.
    pub fn new(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }

    /// Whether all of it is in `other`.
    pub fn is_within(self, other: Self) -> bool {
        other.start <= self.start && self.end <= other.end
    }
}

/// A [`Span`] of a text of less than 4 GiB, for what is remembered of every document.
#[derive(Clone, Copy, Debug)]
pub struct ShortSpan {
    start: u32,
    end: u32,
}

impl ShortSpan {
    /// Returns `span`, if it fits.
    pub fn of(span: Span) -> Option<Self> {
        Some(Self { start: span.start.try_into().ok()?, end: span.end.try_into().ok()? })
    }

    /// Returns the span.
    pub fn span(self) -> Span {
        Span::new(self.start as usize..self.end as usize)
    }
}

/// The text of one input file and the name under which it is reported.
#[derive(PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Where the text begins, if it is a part of the file.
    begin: Begin,
    /// Found when the first place is requested.
    lines: OnceLock<Lines>,
    origin: Option<Arc<Origin>>,
}

/// Formats the name and the length: the text may have what no log should have.
impl fmt::Debug for SourceFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, text, begin, .. } = self;
        let mut shown = formatter.debug_struct("SourceFile");
        shown.field("name", name).field("bytes", &text.len()).field("begin", begin).finish_non_exhaustive()
    }
}

/// A file that can be read again, so that its text need not be kept.
#[derive(Debug, PartialEq, Eq)]
pub struct Origin {
    path: Box<Path>,
    /// The piece of the file, if the text is not all of it. Few have one, and there may be one for every document.
    piece: Option<Box<Piece>>,
    /// The hash of the text.
    fingerprint: u64,
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The file, or another one with a copy.
    pub file: SharedFile,
    /// Where it begins there.
    pub offset: u64,
    /// The number of bytes.
    pub length: usize,
    /// Where it begins in the file that it is a piece of.
    pub begin: Begin,
    /// The column of the dashes before the items of a list, where the text has blanks.
    pub dashes: Option<usize>,
}

/// A file that several threads read.
#[derive(Clone, Debug)]
pub struct SharedFile(Arc<Shared>);

#[derive(Debug)]
enum Shared {
    /// A file that may have no name.
    Open(Mutex<File>),
    /// A file that is opened for each reading: there may be more than a process can have open.
    At(PathBuf),
}

impl SharedFile {
    /// Shares `file`.
    pub fn new(file: File) -> Self {
        Self(Arc::new(Shared::Open(Mutex::new(file))))
    }

    /// Shares the file at `path`, to be read.
    pub fn at(path: &Path) -> Self {
        Self(Arc::new(Shared::At(path.to_owned())))
    }

    /// Reads the `length` bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer, or they cannot be read.
    pub fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.with(|file| {
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)
        })?;
        Ok(bytes)
    }

    /// Writes `bytes` from `offset` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written; some of them may have been.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.with(|file| {
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(bytes)
        })
    }

    fn with<T>(&self, body: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        match &*self.0 {
            Shared::Open(file) => body(&mut file.lock().unwrap_or_else(PoisonError::into_inner)),
            Shared::At(path) => body(&mut File::open(path)?),
        }
    }
}

/// The same file is one that was shared once.
impl PartialEq for SharedFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedFile {}

impl Origin {
    /// Returns the origin of `text`, which is a piece of the file at `path`.
    pub fn of_piece(path: &Path, piece: Piece, text: &str) -> Self {
        Self { path: path.into(), piece: Some(Box::new(piece)), fingerprint: fingerprint(text) }
    }

    /// Returns the piece of the file, if it is not the whole one.
    pub fn piece(&self) -> Option<&Piece> {
        self.piece.as_deref()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file still had this text when it was read again.
    pub fn has(&self, text: &str) -> bool {
        fingerprint(text) == self.fingerprint
    }
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The lines of a text.
#[derive(Debug, PartialEq, Eq)]
struct Lines {
    /// Offsets of the first byte of each.
    starts: Vec<usize>,
    /// Whether every character is one byte. In a file of one long line, counting characters for each place would take
    /// the square of its length.
    are_ascii: bool,
}

/// Where a part of a file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The byte.
    pub offset: usize,
}

impl Default for Begin {
    fn default() -> Self {
        Self { line: 1, column: 1, offset: 0 }
    }
}

/// Whether a character starts with `byte` in UTF-8.
fn is_start(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

impl SourceFile {
    /// Returns a file called `name` (a path as the user wrote it, or `-` for standard input).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::part(name, text, Begin::default())
    }

    /// Returns a part of the file called `name`; the rest is unknown. Offsets are those in `text`.
    pub fn part(name: impl Into<String>, text: impl Into<String>, begin: Begin) -> Arc<Self> {
        let (name, text) = (name.into(), text.into());
        Arc::new(Self { name, text, begin, lines: OnceLock::new(), origin: None })
    }

    /// Returns the file at `path`, which can be read again.
    pub fn at(path: &Path, text: String) -> Arc<Self> {
        let origin = Origin { path: path.into(), piece: None, fingerprint: fingerprint(&text) };
        let origin = Arc::new(origin);
        Self::of(origin, text)
    }

    /// Returns the file `origin` with its text.
    pub fn of(origin: Arc<Origin>, text: String) -> Arc<Self> {
        let name = origin.path.display().to_string();
        let begin = origin.piece().map(|piece| piece.begin).unwrap_or_default();
        Arc::new(Self { name, text, begin, lines: OnceLock::new(), origin: Some(origin) })
    }

    /// Returns the file from which the text can be read again, if there is one.
    pub fn origin(&self) -> Option<&Arc<Origin>> {
        self.origin.as_ref()
    }

    /// Returns the place of the text's start in the file.
    pub fn begin(&self) -> Begin {
        self.begin
    }

    /// Returns the name under which the file is reported.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the lines of `span`, with `more` before and after them; without the end of the last one.
    pub fn lines_around(&self, span: Span, more: usize) -> Span {
        let starts = &self.lines().starts;
        let first = self.line_index(span.start).saturating_sub(more);
        let after = self.line_index(span.end) + more + 1;
        Span::new(starts[first]..starts.get(after).map_or(self.text.len(), |start| start - 1))
    }

    /// Returns the line in which `span` begins, and in it the first column and the one after the last; all are counted
    /// from 1, columns in characters.
    pub fn columns(&self, span: Span) -> (usize, (usize, usize)) {
        let (line, column) = self.line_column(span.start);
        let text = self.text()[span.start..span.end.max(span.start)].lines().next().unwrap_or_default();
        (line, (column, column + text.trim_end().chars().count().max(1)))
    }

    /// Returns line and column of a byte offset, both counted from 1; the column counts characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let Lines { starts, are_ascii } = self.lines();
        let line = self.line_index(offset) + 1;
        let before = &self.text.as_bytes()[starts[line - 1]..offset];
        let characters =
            if *are_ascii { before.len() } else { before.iter().filter(|byte| is_start(**byte)).count() };
        let column = characters + 1;
        let shift = if line == 1 { self.begin.column - 1 } else { 0 };
        (line + self.begin.line - 1, column + shift)
    }

    /// Returns the index of the line that has the byte at `offset`.
    fn line_index(&self, offset: usize) -> usize {
        self.lines().starts.partition_point(|start| *start <= offset) - 1
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            let starts = std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect();
            Lines { starts, are_ascii: self.text.is_ascii() }
        })
    }
}

/// A value as it was written: order and repeated keys kept, every part with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The place of the value.
    pub span: Span,
    /// Its content.
    pub data: Data,
}

/// The JSON data model, before types are applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that fits a 64-bit integer, or a 64-bit float.
    Number(crate::value::Number),
    /// Text.
    String(Text),
    /// A list.
    Array(Vec<Node>),
    /// A map, in the order of writing; repeated keys are kept.
    Object(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Text,
    /// The place of the key.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// Returns the value of `key`, the last one if it was written several times.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Object(entries) => {
                entries.iter().rev().find(|entry| entry.key == key).map(|entry| &entry.value)
            }
            _ => None,
        }
    }

    /// Returns the item at `index`, if this is a list that has it.
    pub fn item(&self, index: usize) -> Option<&Node> {
        match &self.data {
            Data::Array(items) => items.get(index),
            _ => None,
        }
    }

    /// Returns the text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Orders all keys below this value as Go's `encoding/json` does when it writes a map. A YAML document is
    /// turned into JSON that way before the API machinery reads it.
    pub fn sort_keys(&mut self) {
        match &mut self.data {
            Data::Array(items) => {
                for item in items {
                    item.sort_keys();
                }
            }
            Data::Object(entries) => {
                entries.sort_by(|left, right| left.key.cmp(&right.key));
                for entry in entries {
                    entry.value.sort_keys();
                }
            }
            _ => {}
        }
    }

    /// Returns the value without places; of a repeated key the last one.
    pub fn into_value(self) -> crate::value::Value {
        use crate::value::Value;
        match self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(value),
            Data::Number(value) => Value::Number(value),
            Data::String(value) => value.into(),
            Data::Array(items) => Value::Array(items.into_iter().map(Node::into_value).collect()),
            Data::Object(entries) => Value::Object(
                entries.into_iter().map(|entry| (entry.key, entry.value.into_value())).collect(),
            ),
        }
    }
}

impl From<crate::value::Value> for Node {
    /// Converts a value without places: every span is empty.
    fn from(value: crate::value::Value) -> Self {
        use crate::value::Value;
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(value),
            Value::Number(value) => Data::Number(value),
            Value::String(value) => Data::String(value),
            Value::Array(items) => Data::Array(items.into_iter().map(Node::from).collect()),
            Value::Object(map) => Data::Object(
                map.into_iter()
                    .map(|(key, value)| Entry { key, key_span: Span::default(), value: Node::from(value) })
                    .collect(),
            ),
        };
        Node { span: Span::default(), data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_from_one_and_columns_in_characters() {
        let file = SourceFile::new("a.yaml", "a: 1\nä: 2\n");
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(5), (2, 1));
        assert_eq!(file.line_column(7), (2, 2));
        assert_eq!(file.line_column(999), (3, 1));
    }
}
