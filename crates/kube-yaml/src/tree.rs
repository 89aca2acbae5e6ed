//! Parses YAML text into a tree of nodes, before anything is resolved.
//!
//! Source: the parser half of `go.yaml.in/yaml/v2` `decode.go`. The events come from a port of libyaml, which
//! go-yaml is too; where the two differ, this module has go-yaml's rule. The tree is flat and built without
//! recursion: depth costs memory here, not stack.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use libyaml_safer::{ErrorKind, Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};

/// The depth to which go-yaml lets collections be nested.
const GO_MAX_DEPTH: usize = 10_000;
/// The number of bytes that go-yaml reads at once, which decides whether it sees a control character before another
/// error.
const CHUNK: usize = 512;
const TAG_END: &str = "did not find expected whitespace or line break";

/// The nodes of one document.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<RawNode>,
    /// Whether an alias occurs anywhere.
    pub(super) has_aliases: bool,
}

/// The root is always the first node.
pub(super) const ROOT: usize = 0;

#[derive(Debug)]
pub(super) struct RawNode {
    /// Bytes of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Counted from 0.
    pub(super) line: usize,
    pub(super) data: RawData,
}

#[derive(Debug)]
pub(super) enum RawData {
    Scalar {
        tag: Option<String>,
        value: String,
        implicit: bool,
    },
    Sequence(Vec<usize>),
    /// Keys and values in turn.
    Mapping(Vec<usize>),
    Alias {
        name: String,
        target: usize,
    },
}

/// The reason that a text is not YAML.
#[derive(Debug)]
pub(super) struct Failure {
    /// Go's text, without `yaml: `.
    pub(super) text: String,
    /// The byte of the text where it is noticed.
    pub(super) offset: usize,
}

/// Reads the first document of `text`; none if there is none. What follows the first document is ignored.
///
/// In go-yaml a tag may have `,`, `[` and `]` in it; in the Rust port they end it, and so are an error (the comma in a
/// flow collection even a panic). No tag with one of them has a meaning, so it may as well have another character: a
/// comma that may be in a tag is first read as a bracket, which is an error only if it is in one.
pub(super) fn parse(text: &str) -> Result<Option<Tree>, Failure> {
    let mut commas = tag_commas(text);
    let mut text = Cow::Borrowed(text);
    for comma in &commas {
        text.to_mut().replace_range(comma.at..=comma.at, "[");
    }
    let (mut passes, mut read_again) = (0, 0);
    while passes < MAX_PASSES || read_again < MAX_READ_AGAIN {
        let result = parse_once(&text);
        let read = result.as_ref().err().map_or(text.len(), |failure| failure.offset);
        (passes, read_again) = (passes + 1, read_again + read);
        match &result {
            Err(failure) if failure.ends_tag_early(&text) => {
                let is_outside = |character: char| !character.is_ascii_graphic();
                let end = text[read..].find(is_outside).map_or(text.len(), |length| read + length);
                let tag = text[read..end].replace([',', '[', ']'], ";");
                text.to_mut().replace_range(read..end, &tag);
                commas.retain(|comma| !(read..end).contains(&comma.at));
            }
            Err(_) if commas.first().is_none_or(|comma| comma.at > read) => return result,
            Ok(_) if commas.is_empty() => return result,
            _ => {
                // What may begin the tag begins none, and its other commas are in none either.
                let begin =
                    commas.iter().take_while(|comma| comma.at <= read).last().map(|comma| comma.begin);
                let (in_no_tag, rest): (Vec<_>, Vec<_>) =
                    commas.into_iter().partition(|comma| Some(comma.begin) <= begin);
                for comma in in_no_tag {
                    text.to_mut().replace_range(comma.at..=comma.at, ",");
                }
                commas = rest;
            }
        }
    }
    parse_once(&text)
}

/// The times that a document is read because of its tags. Beyond both limits they remain an error, so that time does
/// not grow with the square of the input.
const MAX_PASSES: usize = 100;

/// The bytes of a document that are read because of its tags.
const MAX_READ_AGAIN: usize = 1 << 22;

impl Failure {
    fn ends_tag_early(&self, text: &str) -> bool {
        self.text.ends_with(TAG_END) && matches!(text.as_bytes().get(self.offset), Some(b',' | b'[' | b']'))
    }
}

/// A comma that may be in a tag.
struct TagComma {
    at: usize,
    /// The place of the `!` before it.
    begin: usize,
}

/// Returns the commas in what may be a tag, in ascending order: between a `!` that does not continue a word and the
/// next blank.
fn tag_commas(text: &str) -> Vec<TagComma> {
    let mut commas = Vec::new();
    if !text.contains('!') {
        return commas;
    }
    let (mut begin, mut before) = (None, b' ');
    for (at, byte) in text.bytes().enumerate() {
        match (byte, begin) {
            _ if !byte.is_ascii_graphic() => begin = None,
            (b',', Some(begin)) => commas.push(TagComma { at, begin }),
            (b'!', _) if !before.is_ascii_alphanumeric() => begin = Some(at),
            _ => {}
        }
        before = byte;
    }
    commas
}

fn parse_once(text: &str) -> Result<Option<Tree>, Failure> {
    let chunks = Chunks { text: text.as_bytes(), position: Cell::new(0) };
    Builder::new(text, &chunks.position).build(ChunkReader { chunks: &chunks })
}

fn with_line(line: usize, problem: &str) -> String {
    if line == 0 { problem.to_owned() } else { format!("line {line}: {problem}") }
}

/// The text in the chunks in which go-yaml reads it.
struct Chunks<'a> {
    text: &'a [u8],
    position: Cell<usize>,
}

struct ChunkReader<'c, 'a> {
    chunks: &'c Chunks<'a>,
}

impl BufRead for ChunkReader<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let chunks = self.chunks;
        let start = chunks.position.get();
        let end = (start + CHUNK).min(chunks.text.len());
        Ok(&chunks.text[start..end])
    }

    fn consume(&mut self, amount: usize) {
        self.chunks.position.set(self.chunks.position.get() + amount);
    }
}

impl Read for ChunkReader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(buffer.len());
        buffer[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

/// A collection that is still open.
struct Open {
    node: usize,
    flow: bool,
}

struct Builder<'a> {
    text: &'a str,
    /// The number of bytes that the parser has requested.
    read: &'a Cell<usize>,
    /// Bytes before the first one that marks count.
    base: usize,
    tree: Tree,
    anchors: HashMap<String, usize>,
    open: Vec<Open>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, read: &'a Cell<usize>) -> Self {
        let base = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let (tree, anchors, open) = (Tree::default(), HashMap::new(), Vec::new());
        Self { text, read, base, tree, anchors, open }
    }

    fn build(mut self, reader: ChunkReader<'_, '_>) -> Result<Option<Tree>, Failure> {
        let mut parser = Parser::new();
        parser.set_input(reader);
        loop {
            let event = parser.parse().map_err(|error| self.failure(&error))?;
            match event.data {
                EventData::StreamStart { .. } => {}
                EventData::StreamEnd => return Ok(None),
                EventData::DocumentStart { version_directive, .. } => {
                    if version_directive.is_some_and(|version| (version.major, version.minor) != (1, 1)) {
                        return Err(self.parser_failure("found incompatible YAML document", event.start_mark));
                    }
                }
                EventData::DocumentEnd { .. } => return Ok(Some(self.tree)),
                _ => self.add(event)?,
            }
        }
    }

    fn add(&mut self, event: Event) -> Result<(), Failure> {
        let (start, end) = (self.offset(event.start_mark), self.offset(event.end_mark));
        let line = to_usize(event.start_mark.line);
        let id = self.tree.nodes.len();
        let (data, anchor, opens) = match event.data {
            EventData::Scalar { anchor, tag, value, plain_implicit, style, .. } => {
                if style == ScalarStyle::DoubleQuoted {
                    self.refuse_escaped_slash(start, end, event.start_mark)?;
                }
                (RawData::Scalar { tag, value, implicit: plain_implicit }, anchor, None)
            }
            EventData::Alias { anchor: name } => {
                let Some(&target) = self.anchors.get(&name) else {
                    return Err(Failure {
                        text: format!("unknown anchor '{name}' referenced"),
                        offset: start,
                    });
                };
                self.tree.has_aliases = true;
                (RawData::Alias { name, target }, None, None)
            }
            EventData::SequenceStart { anchor, style, .. } => {
                (RawData::Sequence(Vec::new()), anchor, Some(style == SequenceStyle::Flow))
            }
            EventData::MappingStart { anchor, style, .. } => {
                (RawData::Mapping(Vec::new()), anchor, Some(style == MappingStyle::Flow))
            }
            EventData::SequenceEnd | EventData::MappingEnd => {
                self.close(end);
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, id);
        }
        if let Some(parent) = self.open.last() {
            match &mut self.tree.nodes[parent.node].data {
                RawData::Sequence(children) | RawData::Mapping(children) => children.push(id),
                RawData::Scalar { .. } | RawData::Alias { .. } => unreachable!("only collections are opened"),
            }
        }
        self.tree.nodes.push(RawNode { start, end, line, data });
        if let Some(flow) = opens {
            self.open.push(Open { node: id, flow });
            if self.open.len() > GO_MAX_DEPTH {
                let problem = format!("exceeded max depth of {GO_MAX_DEPTH}");
                return Err(Failure {
                    text: with_line(if line == 0 { 0 } else { line + 1 }, &problem),
                    offset: start,
                });
            }
        }
        Ok(())
    }

    /// Ends the innermost collection. libyaml lets a block collection reach to the next token, which may be far below;
    /// here it ends where its last item does.
    fn close(&mut self, end: usize) {
        let Some(Open { node, flow }) = self.open.pop() else { return };
        let last_child = match &self.tree.nodes[node].data {
            RawData::Sequence(children) | RawData::Mapping(children) => children.last().copied(),
            RawData::Scalar { .. } | RawData::Alias { .. } => None,
        };
        self.tree.nodes[node].end = match last_child {
            Some(child) if !flow => self.tree.nodes[child].end,
            _ => end,
        };
    }

    /// Refuses the escape `\/`, which go-yaml does not know and the port does.
    fn refuse_escaped_slash(&self, start: usize, end: usize, mark: Mark) -> Result<(), Failure> {
        let token = &self.text.as_bytes()[start..end];
        let mut position = token.iter().position(|byte| *byte == b'"').map_or(token.len(), |quote| quote + 1);
        while position + 1 < token.len() {
            if token[position] != b'\\' {
                position += 1;
                continue;
            }
            if token[position + 1] == b'/' {
                let breaks = self.text[start..start + position].matches('\n').count();
                let line = to_usize(mark.line) + breaks;
                let line = if line == 0 { 0 } else { line + 1 };
                let text = with_line(line, "found unknown escape character");
                return Err(Failure { text, offset: start + position });
            }
            position += 2;
        }
        Ok(())
    }

    fn offset(&self, mark: Mark) -> usize {
        (to_usize(mark.index) + self.base).min(self.text.len())
    }

    fn parser_failure(&self, problem: &str, mark: Mark) -> Failure {
        Failure { text: with_line(to_usize(mark.line), problem), offset: self.offset(mark) }
    }

    fn failure(&self, error: &libyaml_safer::Error) -> Failure {
        let problem = error.problem();
        let Some(mark) = error.problem_mark() else {
            return Failure { text: problem.to_owned(), offset: self.first_control_character() };
        };
        if problem == "did not find expected <document start>"
            && let Some(offset) = self.foreign_version()
        {
            let line = self.text[..offset].matches('\n').count();
            return Failure { text: with_line(line, "found incompatible YAML document"), offset };
        }
        let scanner = error.kind() == ErrorKind::Scanner;
        let line = match (to_usize(mark.line), error.context_mark()) {
            (0, context) => context.map_or(0, |context| to_usize(context.line)),
            (line, _) => line + usize::from(scanner),
        };
        Failure { text: with_line(line, problem), offset: self.offset(mark) }
    }

    /// Finds the first control character, as a reader error has no place.
    fn first_control_character(&self) -> usize {
        let allowed = |character: char| match character {
            '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' => true,
            _ => character >= '\u{a0}' && !matches!(character, '\u{fffe}' | '\u{ffff}'),
        };
        let from = (0..=self.read.get()).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let found = self.text[from..].char_indices().find(|(_, character)| !allowed(*character));
        found.map_or(from, |(at, _)| from + at)
    }

    /// Returns the place of a directive for another version than 1.1.
    fn foreign_version(&self) -> Option<usize> {
        let mut offset = 0;
        for line in self.text.split_inclusive('\n') {
            let version =
                line.strip_prefix("%YAML").map(|rest| rest.split_whitespace().next().unwrap_or_default());
            if version.is_some_and(|version| version != "1.1") {
                return Some(offset);
            }
            offset += line.len();
        }
        None
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).expect("the text is in memory, so its offsets fit")
}
