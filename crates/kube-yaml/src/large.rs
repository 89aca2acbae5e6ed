//! Large files, which are read piece by piece, so that their text is never in memory as a whole.
//!
//! A piece has whole documents, or whole items of a list. What cannot be cut like that is read whole.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::{Begin, Origin, Piece, SharedFile, SourceFile, Span};

use crate::json;
use crate::piece::{indentation, is_item, remove_dashes};
use crate::stream::{self, Pieces};
use crate::{Error, Format, Part, files};

/// The size from which on files are read in pieces. A report shows an item of theirs without its dash.
const LARGE: u64 = 1 << 20;

/// The size that pieces have at least, except the last one.
const PIECE: usize = 128 << 10;

/// The size of a document or an item from which on the file is read whole.
const MAX: usize = 64 << 20;

/// The lines before the items of a list.
const MAX_HEAD: usize = 100;

/// A file, or a part of one that has others as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeFile {
    name: PathBuf,
    file: SharedFile,
    offset: u64,
    length: u64,
}

/// The reason that a file is not read in pieces: it has another form, or something in it is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Uncut;

impl From<io::Error> for Uncut {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl LargeFile {
    /// Returns the file at `path`, if it is large.
    pub fn at(path: &Path) -> Option<Self> {
        let metadata =
            path.metadata().ok().filter(|metadata| metadata.is_file() && metadata.len() >= LARGE)?;
        Some(Self { name: path.to_owned(), file: SharedFile::at(path), offset: 0, length: metadata.len() })
    }

    /// Returns the `length` bytes from `offset` on as the file `name`.
    pub fn part_of(file: SharedFile, name: impl Into<PathBuf>, offset: u64, length: u64) -> Self {
        Self { name: name.into(), file, offset, length }
    }

    /// Whether it is so large that it should be read in pieces.
    pub fn is_large(&self) -> bool {
        self.length >= LARGE
    }

    /// Returns its name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Reads it whole.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, or is no text.
    pub fn read(&self) -> Result<Arc<SourceFile>, Error> {
        let name = || self.name.display().to_string();
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        let bytes = self.file.read(self.offset, length).map_err(|error| files::unreadable(name(), error))?;
        Ok(self.source(Begin::default(), length, None, files::text_of(name(), bytes)?))
    }

    /// Returns the documents in it, or the items of the list in it, some at a time.
    pub fn pieces(&self) -> impl Iterator<Item = Result<Vec<Part>, Uncut>> {
        let mut cutter = Cutter {
            reader: BufReader::with_capacity(PIECE, Section { of: self.clone(), position: 0 }),
            form: Form::Unknown,
            place: Begin::default(),
            next: (Begin::default(), Vec::new()),
            frame: Vec::new(),
        };
        let mut is_done = false;
        std::iter::from_fn(move || {
            let cut = if is_done { Ok(None) } else { cutter.cut() };
            is_done |= !matches!(cut, Ok(Some(_)));
            cut.transpose()
        })
    }

    fn source(&self, begin: Begin, length: usize, dashes: Option<usize>, text: String) -> Arc<SourceFile> {
        let offset = self.offset + begin.offset as u64;
        let piece = Piece { file: self.file.clone(), offset, length, begin, dashes };
        SourceFile::of(Arc::new(Origin::of_piece(&self.name, piece, &text)), text)
    }
}

/// Reads the bytes of a large file.
struct Section {
    of: LargeFile,
    position: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.of.length - self.position).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let bytes = self.of.file.read(self.of.offset + self.position, length)?;
        buffer[..length].copy_from_slice(&bytes);
        self.position += length as u64;
        Ok(length)
    }
}

#[derive(Clone, Copy)]
enum Form {
    Unknown,
    /// Documents of YAML; the number of separators so far.
    Documents(usize),
    /// The items of a list whose dashes are in this column.
    Items(usize),
    /// The items of a list that is JSON.
    Json(Json),
    /// The end.
    Nothing,
}

/// Where in the JSON the reader is.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of what was read before")]
struct Json {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether it is among the items.
    in_items: bool,
    is_behind_item: bool,
    is_behind_comma: bool,
}

struct Cutter {
    reader: BufReader<Section>,
    form: Form,
    /// Where the next byte is.
    place: Begin,
    /// The beginning of the next piece, which was read already.
    next: (Begin, Vec<u8>),
    /// What is around the items of a list.
    frame: Vec<u8>,
}

impl Cutter {
    fn cut(&mut self) -> Result<Option<Vec<Part>>, Uncut> {
        if matches!(self.form, Form::Unknown) {
            self.find_form()?;
        }
        match self.form {
            Form::Documents(index) => self.cut_documents(index),
            Form::Items(column) => self.cut_items(column),
            Form::Json(json) => self.cut_json(json),
            Form::Unknown | Form::Nothing => Ok(None),
        }
    }

    fn find_form(&mut self) -> Result<(), Uncut> {
        if stream::may_be_json(&String::from_utf8_lossy(self.reader.fill_buf()?)) {
            self.form = Form::Json(Json::default());
            return Ok(());
        }
        self.form = Form::Documents(0);
        let mut head = Vec::new();
        for _ in 0..MAX_HEAD {
            let line = self.line()?;
            if line.is_empty() || line.starts_with(b"---") {
                head.extend(line);
                break;
            }
            let is_items = line.trim_ascii_end() == b"items:";
            head.extend(line);
            if is_items {
                let begin = self.place;
                let first = self.line()?;
                let column = indentation(&first);
                if is_item(&first, column) {
                    self.form = Form::Items(column);
                    (self.frame, self.next) = (head, (begin, first));
                    return Ok(());
                }
                head.extend(first);
                break;
            }
        }
        self.next = (Begin::default(), head);
        Ok(())
    }

    /// Reads a line with its end; nothing at the end of the file.
    fn line(&mut self) -> Result<Vec<u8>, Uncut> {
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line)?;
        self.place.offset += line.len();
        self.place.line += usize::from(line.ends_with(b"\n"));
        Ok(line)
    }

    fn cut_documents(&mut self, index: usize) -> Result<Option<Vec<Part>>, Uncut> {
        let (begin, mut bytes) = std::mem::take(&mut self.next);
        loop {
            let place = self.place;
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            if bytes.len() >= PIECE && line.starts_with(b"---") {
                self.next = (place, line);
                break;
            }
            bytes.extend(line);
            refuse_long(&bytes)?;
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let source = self.source(begin, None, bytes)?;
        let (mut pieces, mut parts) = (Pieces::new(0, index), Vec::new());
        while let Some(piece) = pieces.next(source.text()) {
            let piece = piece.map_err(|_| Uncut)?;
            let (source, span) = (source.clone(), Span::new(piece.range));
            parts.push(Part { source, index: piece.index, span, format: Format::Yaml });
        }
        self.form = Form::Documents(pieces.passed());
        Ok(Some(parts))
    }

    fn cut_items(&mut self, column: usize) -> Result<Option<Vec<Part>>, Uncut> {
        let (begin, mut bytes) = std::mem::take(&mut self.next);
        let mut starts = vec![0];
        loop {
            let place = self.place;
            let line = self.line()?;
            let content = line.trim_ascii_start().first().filter(|byte| **byte != b'#');
            let is_own = is_item(&line, column);
            if line.is_empty() || content.is_some() && indentation(&line) <= column && !is_own {
                self.frame.extend(line);
                (&mut self.reader).take(PIECE as u64).read_to_end(&mut self.frame)?;
                self.form = Form::Nothing;
                self.check_frame(Format::Yaml)?;
                break;
            }
            if is_own && bytes.len() >= PIECE {
                self.next = (place, line);
                break;
            }
            starts.extend(is_own.then_some(bytes.len()));
            bytes.extend(line);
            refuse_long(&bytes)?;
        }
        remove_dashes(&mut bytes, column);
        let source = self.source(begin, Some(column), bytes)?;
        let ends = starts.iter().skip(1).copied().chain([source.text().len()]);
        let part = |(start, end): (&usize, usize)| Part {
            source: source.clone(),
            index: 0,
            span: Span::new(*start..end),
            format: Format::Yaml,
        };
        Ok(Some(starts.iter().zip(ends).map(part).collect()))
    }

    fn cut_json(&mut self, mut json: Json) -> Result<Option<Vec<Part>>, Uncut> {
        let (mut begin, mut bytes, mut spans) = (self.place, Vec::new(), Vec::new());
        let mut start = 0;
        'piece: loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                self.form = Form::Nothing;
                self.check_frame(Format::Json)?;
                break;
            }
            let mut passed = 0;
            for byte in buffer {
                passed += 1;
                let was_inside = json.in_items && json.depth > 2;
                json.pass(*byte, &self.frame)?;
                let is_inside = json.in_items && json.depth > 2;
                if is_inside && !was_inside {
                    if bytes.is_empty() {
                        begin = self.place;
                    }
                    start = bytes.len();
                }
                if was_inside || is_inside || !bytes.is_empty() && json.in_items {
                    bytes.push(*byte);
                } else if !json.in_items || json.depth == 2 && *byte == b'[' {
                    self.frame.push(*byte);
                }
                advance(&mut self.place, *byte);
                if was_inside && !is_inside {
                    spans.push(start..bytes.len());
                    if bytes.len() >= PIECE {
                        self.reader.consume(passed);
                        self.form = Form::Json(json);
                        break 'piece;
                    }
                }
            }
            self.reader.consume(passed);
            refuse_long(&bytes)?;
            refuse_long(&self.frame)?;
        }
        if spans.is_empty() {
            return Ok(None);
        }
        let source = self.source(begin, None, bytes)?;
        let part = |range: std::ops::Range<usize>| match json::scan(source.text(), range.start) {
            Ok(end) if end == range.end => {
                Ok(Part { source: source.clone(), index: 0, span: Span::new(range), format: Format::Json })
            }
            _ => Err(Uncut),
        };
        spans.into_iter().map(part).collect::<Result<_, _>>().map(Some)
    }

    fn source(&self, begin: Begin, dashes: Option<usize>, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Uncut> {
        let length = bytes.len();
        let text = String::from_utf8(bytes).map_err(|_| Uncut)?;
        Ok(self.reader.get_ref().of.source(begin, length, dashes, text))
    }

    /// Checks that what is around the items is one list.
    fn check_frame(&mut self, format: Format) -> Result<(), Uncut> {
        let frame = String::from_utf8(std::mem::take(&mut self.frame)).map_err(|_| Uncut)?;
        let source = SourceFile::new("", frame);
        let mut documents = crate::read(&source);
        let (Some(Ok(list)), None) = (documents.next(), documents.next()) else { return Err(Uncut) };
        let kind = list.node.get("kind").and_then(gotext::source::Node::as_str);
        let is_list = kind.is_some_and(|kind| kind.ends_with("List")) && list.node.get("items").is_some();
        (is_list && list.format == format && list.strict_errors.is_empty()).then_some(()).ok_or(Uncut)
    }
}

fn advance(place: &mut Begin, byte: u8) {
    place.offset += 1;
    if byte == b'\n' {
        (place.line, place.column) = (place.line + 1, 1);
    } else {
        // Columns count characters.
        place.column += usize::from(byte & 0xc0 != 0x80);
    }
}

fn refuse_long(bytes: &[u8]) -> Result<(), Uncut> {
    if bytes.len() > MAX { Err(Uncut) } else { Ok(()) }
}

impl Json {
    /// Passes a byte; `frame` is what is before it around the items.
    fn pass(&mut self, byte: u8, frame: &[u8]) -> Result<(), Uncut> {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return Ok(());
        }
        let is_between = self.in_items && self.depth == 2;
        match byte {
            b'{' if is_between && self.is_behind_item => return Err(Uncut),
            b'{' if is_between => self.depth += 1,
            b',' if is_between && self.is_behind_item => {
                (self.is_behind_item, self.is_behind_comma) = (false, true);
            }
            b']' if is_between && !self.is_behind_comma => {
                self.in_items = false;
                self.depth -= 1;
            }
            byte if is_between && !byte.is_ascii_whitespace() => return Err(Uncut),
            b'"' => self.in_string = true,
            b'[' if self.depth == 1 && is_key(frame, b"\"items\"") => {
                *self = Self { depth: 2, in_items: true, ..Self::default() };
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.checked_sub(1).ok_or(Uncut)?;
                if self.in_items && self.depth == 2 {
                    (self.is_behind_item, self.is_behind_comma) = (true, false);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether `text` ends with the key `name` and a colon.
fn is_key(text: &[u8], name: &[u8]) -> bool {
    text.trim_ascii_end().strip_suffix(b":").is_some_and(|text| text.trim_ascii_end().ends_with(name))
}

#[cfg(test)]
mod tests;
