//! Parses text into documents with places, as kubectl and kube-apiserver read YAML and JSON files.
//!
//! A file is split into documents by lines first; each document is then YAML 1.1 as go-yaml v2 reads it (`0644` is
//! 420, `yes` is true), turned into the JSON data model. A file that begins with `{` is a sequence of JSON values.
//!
//! ```
//! use gotext::source::SourceFile;
//!
//! let source = SourceFile::new("web.yaml", "mode: 0644\non: yes\n");
//! let document = kube_yaml::read(&source).next().unwrap().unwrap();
//! assert_eq!(document.node.into_value(), gotext::json!({"mode": 420, "true": true}));
//! ```
//!
//! Source: `k8s.io/apimachinery/pkg/util/yaml`, `sigs.k8s.io/yaml`, `go.yaml.in/yaml/v2`.

use std::sync::Arc;

use gotext::path::Path;
use gotext::source::{Data, Entry, Node, SourceFile, Span};

mod block;
mod compose;
mod edit;
mod error;
pub mod files;
mod fractions;
mod go_text;
mod json;
mod large;
mod locate;
mod piece;
mod resolve;
mod stream;
mod tree;
mod unread;
mod write;

pub use edit::{Edit, RepeatedKey, edit, edit_all, without_repeated_keys};
pub use error::{Error, Place};
pub use fractions::restore_fractions;
pub use large::{LargeFile, Uncut};
pub use locate::{Location, ancestors_of, locate, node_at};
pub use write::is_word;
pub use write::{Unwritable, write_yaml};

pub use unread::{Origins, UnreadPart, UnreadParts};

use stream::{Lines, Pieces};

/// The language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML, which may look like JSON.
    Yaml,
    /// JSON, read as such.
    Json,
}

/// One document of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Its number in the file from 0, counting every piece between `---` lines, empty ones too. In a sequence of
    /// JSON values, its number among them.
    pub index: usize,
    /// The piece of the file, blank lines and comments included.
    pub span: Span,
    /// The format that it was read in.
    pub format: Format,
    /// The value as written: order and repeated keys kept, places in bytes of the file.
    pub node: Node,
    /// The faults that only strict decoding refuses.
    pub strict_errors: Vec<StrictError>,
}

/// A fault that only strict decoding refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError {
    /// Go's text: `line 8: key "a" already set in map` of YAML, where the line counts within the document;
    /// `duplicate field "spec.a"` of JSON.
    pub text: String,
    /// The repeated key.
    pub span: Span,
}

impl StrictError {
    /// Returns the text without the line, which counts from the start of the document.
    pub fn without_line(&self) -> &str {
        match self.text.split_once(": ") {
            Some((start, text)) if start.starts_with("line ") => text,
            _ => &self.text,
        }
    }
}

/// A document, or one of the objects of a document that is a list of them.
#[derive(Clone, Debug)]
pub struct Item {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The document's number in the file.
    pub document: usize,
    /// The part of the file with the document.
    pub piece: Span,
    /// The number of the object in its list, from 0; none if the document is not a list.
    pub position: Option<usize>,
    /// The place of the object.
    pub span: Span,
    /// The format that the document was read in.
    pub format: Format,
    /// The object.
    pub node: Node,
    /// The faults that strict decoding refuses in this object.
    pub strict_errors: Vec<StrictError>,
}

impl Document {
    /// Returns the place of the field `path` in the file.
    pub fn locate(&self, path: &Path) -> Location {
        locate::locate(&self.node, path)
    }

    /// Returns the message of strict decoding about the document, as Go phrases it.
    pub fn strict_message(&self) -> Option<String> {
        let lines: Vec<_> = self.strict_errors.iter().map(|error| error.text.as_str()).collect();
        match self.format {
            _ if lines.is_empty() => None,
            Format::Yaml => Some(format!("yaml: unmarshal errors:\n  {}", lines.join("\n  "))),
            Format::Json => Some(lines.join(", ")),
        }
    }

    /// Returns the objects of a `List` (or of any kind with that suffix and `items`) and of the lists in it, or else the
    /// document itself. As in kubectl, an item without kind and version has the kind implied by the list's. The first
    /// object has the faults around the objects; a list with faults and no objects counts as one.
    pub fn unwrap_list(self) -> Vec<Item> {
        let Self { source, index, span: piece, node, format, strict_errors } = self;
        let item = |node: Node, position, strict_errors| Item {
            source: Arc::clone(&source),
            document: index,
            piece,
            position,
            span: node.span,
            format,
            node,
            strict_errors,
        };
        let whole = (!strict_errors.is_empty()).then(|| node.clone());
        let nodes = match listed(node) {
            Ok(nodes) => nodes,
            Err(node) => return vec![item(node, None, strict_errors)],
        };
        let (mut outer, mut items) = (strict_errors, Vec::with_capacity(nodes.len()));
        for (position, node) in nodes.into_iter().enumerate() {
            let own = outer.extract_if(.., |error| error.span.is_within(node.span)).collect();
            items.push(item(node, Some(position), own));
        }
        match items.first_mut() {
            Some(first) => drop(first.strict_errors.splice(0..0, outer)),
            None if !outer.is_empty() => items.extend(whole.map(|node| item(node, None, outer))),
            None => {}
        }
        items
    }
}

/// Returns the objects of a list and of the lists in it; `node` if it is not a list.
fn listed(node: Node) -> Result<Vec<Node>, Node> {
    let item_kind = node.get("kind").and_then(Node::as_str).and_then(|kind| kind.strip_suffix("List"));
    let is_list = matches!(node.get("items").map(|items| &items.data), Some(Data::Array(_) | Data::Null));
    let Some(item_kind) = item_kind.filter(|_| is_list).map(str::to_owned) else { return Err(node) };
    let version = node.get("apiVersion").and_then(Node::as_str).map(str::to_owned);
    let list_span = node.span;
    let Some(Data::Array(nodes)) = take(node, "items") else { return Ok(Vec::new()) };
    let mut objects = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        if let Data::Object(entries) = &mut node.data
            && !entries.iter().any(|entry| entry.key == "kind" || entry.key == "apiVersion")
        {
            let inferred = [("kind", Some(item_kind.clone())), ("apiVersion", version.clone())];
            entries.extend(inferred.into_iter().filter_map(|(key, text)| {
                let data = Data::String(text.filter(|text| !text.is_empty())?.into());
                let span = Span::new(list_span.start..list_span.start);
                Some(Entry { key: key.into(), key_span: span, value: Node { span, data } })
            }));
        }
        match listed(node) {
            Ok(inner) => objects.extend(inner),
            Err(object) => objects.push(object),
        }
    }
    Ok(objects)
}

impl Item {
    /// Orders the keys of a YAML document as the API machinery does when it turns it into JSON; the order of JSON
    /// stays.
    pub fn sort_keys(&mut self) {
        if self.format == Format::Yaml {
            self.node.sort_keys();
        }
    }

    /// Returns the fault because of which another object is lost: `apiVersion` or `kind` is written twice, as if a line
    /// `---` were missing before the second one, or a key of the list around it is.
    pub fn lost_object(&self) -> Option<&StrictError> {
        let entries = match &self.node.data {
            Data::Object(entries) => &entries[..],
            _ => &[],
        };
        let is_identity = |entry: &&Entry| entry.key == "apiVersion" || entry.key == "kind";
        let is_own = |span| entries.iter().filter(is_identity).any(|entry| entry.key_span == span);
        self.strict_errors.iter().find(|error| is_own(error.span) || !error.span.is_within(self.span))
    }
}

fn take(node: Node, key: &str) -> Option<Data> {
    let Data::Object(entries) = node.data else { return None };
    entries.into_iter().rev().find(|entry| entry.key == key).map(|entry| entry.value.data)
}

/// Returns the documents of `source` in the order of the file, as `kubectl apply -f` reads them: JSON if the text
/// begins with `{` and is JSON, else YAML. Documents that are empty or `null` are left out. After a broken document
/// reading continues where Go's does.
pub fn read(source: &Arc<SourceFile>) -> impl Iterator<Item = Result<Document, Error>> + use<> {
    documents(split(source))
}

/// Returns the documents of `source`, all read as YAML even if they look like JSON, as kube-apiserver reads its own
/// configuration files.
pub fn read_yaml(source: &Arc<SourceFile>) -> impl Iterator<Item = Result<Document, Error>> + use<> {
    documents(split_yaml(source))
}

/// Returns the parts of `source` between the separators of YAML, whatever is in them.
pub fn split_yaml(source: &Arc<SourceFile>) -> Split {
    Split { source: Arc::clone(source), state: State::Yaml(Pieces::new(0, 0)) }
}

fn documents(split: Split) -> impl Iterator<Item = Result<Document, Error>> {
    split.filter_map(|part| part.and_then(|part| part.read()).transpose())
}

/// Returns the parts of `source` that are documents. Finding them takes little time compared to reading them, which can
/// be done in any order: [`read`] does both.
pub fn split(source: &Arc<SourceFile>) -> Split {
    let state = if stream::may_be_json(source.text()) {
        State::Json { position: 0, count: 0 }
    } else {
        State::Yaml(Pieces::new(0, 0))
    };
    Split { source: Arc::clone(source), state }
}

/// Reads `text` as one value with nothing after it, as `json.Unmarshal` does; the errors are Go's.
pub fn read_json(text: &str) -> Result<Document, String> {
    let range = json::scan_whole(text).map_err(|failure| failure.to_string())?;
    let source = SourceFile::new("", text);
    let part = Part { source, index: 0, span: Span::new(range), format: Format::Json };
    part.json().map_err(|error| error.to_string())
}

/// Returns the only document of `source`, or the first one of YAML; a file without any contains `null`. So the codecs of
/// a server's own configuration read their files.
pub fn read_first(source: &Arc<SourceFile>) -> Result<Document, Error> {
    let text = source.text();
    let part = |range, format| Part { source: Arc::clone(source), index: 0, span: Span::new(range), format };
    if !text.trim_start().starts_with('{') {
        return part(0..text.len(), Format::Yaml).yaml();
    }
    match json::scan_whole(text) {
        Ok(range) => part(range, Format::Json).json(),
        Err(failure) => {
            let (error, offset) = match failure {
                json::Failure::UnexpectedEnd => ("unexpected end of JSON input".to_owned(), text.len()),
                json::Failure::Syntax { text, offset } => (text, offset),
            };
            let place = part(0..text.len(), Format::Json).place(Span::new(offset..offset));
            let text = format!("couldn't get version/kind; json parse error: {error}");
            Err(Error::Json { place, text, as_yaml: None })
        }
    }
}

/// Returns the first document of `source`, which is YAML even if it looks like JSON: `{kind: Pod}`.
pub fn read_first_yaml(source: &Arc<SourceFile>) -> Result<Document, Error> {
    let text = source.text();
    // Clients send JSON as YAML, which is read faster as what it is; but repeated keys are reported as of YAML.
    if json::scan_whole(text).is_ok() {
        let document = read_first(source)?;
        if document.strict_errors.is_empty() {
            return Ok(document);
        }
    }
    let span = Span::new(0..text.len());
    Part { source: Arc::clone(source), index: 0, span, format: Format::Yaml }.yaml()
}

/// A document that was found and not yet read.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The document's number in the file.
    pub index: usize,
    /// The piece of the file.
    pub span: Span,
    /// The format to read it in.
    pub format: Format,
}

/// The parts of one file, created by [`split`].
#[derive(Clone, Debug)]
pub struct Split {
    source: Arc<SourceFile>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Json { position: usize, count: usize },
    Yaml(Pieces),
    Done,
}

impl Iterator for Split {
    type Item = Result<Part, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.state {
            State::Json { .. } => self.next_json(),
            State::Yaml(pieces) => match pieces.next(self.source.text())? {
                Ok(piece) => Some(Ok(self.part(piece.index, Span::new(piece.range), Format::Yaml))),
                Err(bad) => {
                    // Text after a bad separator is not read.
                    self.state = State::Done;
                    let content = self.source.text()[bad.content.clone()].to_owned();
                    let place = self.place(bad.index, Span::new(bad.content));
                    Some(Err(Error::Separator { place, content }))
                }
            },
            State::Done => None,
        }
    }
}

impl Split {
    fn next_json(&mut self) -> Option<Result<Part, Error>> {
        let State::Json { position, count } = &mut self.state else { return None };
        let text = self.source.text();
        let start = json::skip_blanks(text, *position);
        if start == text.len() {
            self.state = State::Done;
            return None;
        }
        let failure = match json::scan(text, start) {
            Ok(end) => {
                let index = *count;
                (*position, *count) = (end, index + 1);
                return Some(Ok(self.part(index, Span::new(start..end), Format::Json)));
            }
            Err(failure) => failure,
        };
        let (position, count) = (*position, *count);
        let (text, offset) = match failure {
            json::Failure::UnexpectedEnd => ("unexpected EOF".to_owned(), text.len()),
            json::Failure::Syntax { text, offset } if count > 1 => (text, offset),
            json::Failure::Syntax { text, offset } => {
                (format!("json: offset {}: {text}", offset + 1), offset)
            }
        };
        let place = self.place(count, Span::new(offset..offset));
        // After one value the rest may still be YAML; after two it is JSON for certain.
        let yaml_start = if count > 1 { None } else { stream::after_blanks(self.source.text(), position) };
        let Some(yaml_start) = yaml_start else {
            self.state = State::Done;
            return Some(Err(Error::Json { place, text, as_yaml: None }));
        };
        let separated = self.source.text()[yaml_start..].starts_with("---");
        let mut pieces = Pieces::new(yaml_start, if separated { count.saturating_sub(1) } else { count });
        let piece = pieces.next(self.source.text());
        self.state = State::Yaml(pieces);
        let as_yaml = if let Ok(piece) = piece? {
            let part = self.part(piece.index, Span::new(piece.range), Format::Yaml);
            match part.read() {
                Ok(_) => return Some(Ok(part)),
                Err(error) => Some(error.to_string()),
            }
        } else {
            self.state = State::Done;
            None
        };
        Some(Err(Error::Json { place, text, as_yaml }))
    }

    fn part(&self, index: usize, span: Span, format: Format) -> Part {
        Part { source: Arc::clone(&self.source), index, span, format }
    }

    fn place(&self, document: usize, span: Span) -> Place {
        Place { source: Arc::clone(&self.source), document, span }
    }
}

impl Part {
    /// Reads the document; nothing if it is empty or `null`.
    pub fn read(&self) -> Result<Option<Document>, Error> {
        match self.format {
            Format::Yaml => match block::read(self.source.text(), self.span) {
                Some(node) => Ok(Some(self.document(node, Vec::new()))),
                None => self.read_in_full(),
            },
            Format::Json => self.read_in_full(),
        }
    }

    /// Reads the document as [`read`](Self::read) does, without its shortcut for what most documents are written in.
    pub fn read_in_full(&self) -> Result<Option<Document>, Error> {
        let document = match self.format {
            Format::Json => self.json()?,
            Format::Yaml => self.yaml()?,
        };
        Ok(Some(document).filter(|document| document.node.data != Data::Null))
    }

    fn json(&self) -> Result<Document, Error> {
        let Some(json::Read { node, duplicates }) =
            json::read(self.source.text(), self.span.start..self.span.end)
        else {
            let text = format!("exceeded max depth of {}", compose::MAX_DEPTH);
            return Err(Error::TooDeep { place: self.place(self.span), text });
        };
        let strict_errors = duplicates.into_iter().map(|(text, span)| StrictError { text, span }).collect();
        Ok(self.document(node, strict_errors))
    }

    fn yaml(&self) -> Result<Document, Error> {
        let Span { start, end } = self.span;
        let lines = Lines::new(self.source.text(), start..end);
        let in_file = |span: Span| Span::new(lines.in_file(span.start)..lines.in_file(span.end));
        let tree = tree::parse(&lines.text).map_err(|failure| {
            let place = self.place(in_file(Span::new(failure.offset..failure.offset)));
            Error::Yaml { place, text: format!("yaml: {}", failure.text) }
        })?;
        let composed = compose::compose(tree).map_err(|refusal| {
            let place = self.place(in_file(refusal.span));
            let text = refusal.text;
            if refusal.too_deep { Error::TooDeep { place, text } } else { Error::Yaml { place, text } }
        })?;
        let mut node = composed.node;
        if lines.is_verbatim() {
            move_spans(&mut node, &|span| *span = Span::new(span.start + start..(span.end + start).min(end)));
        } else {
            move_spans(&mut node, &|span| *span = in_file(*span));
        }
        let strict_errors = composed
            .duplicates
            .into_iter()
            .map(|duplicate| StrictError { text: duplicate.text, span: in_file(duplicate.key_span) })
            .collect();
        Ok(self.document(node, strict_errors))
    }

    fn document(&self, node: Node, strict_errors: Vec<StrictError>) -> Document {
        let Self { source, index, span, format } = self.clone();
        Document { source, index, span, format, node, strict_errors }
    }

    fn place(&self, span: Span) -> Place {
        Place { source: Arc::clone(&self.source), document: self.index, span }
    }
}

fn move_spans(node: &mut Node, change: &impl Fn(&mut Span)) {
    change(&mut node.span);
    match &mut node.data {
        Data::Array(items) => items.iter_mut().for_each(|item| move_spans(item, change)),
        Data::Object(entries) => {
            for entry in entries {
                change(&mut entry.key_span);
                move_spans(&mut entry.value, change);
            }
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
