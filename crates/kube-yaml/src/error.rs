//! Errors in an input, and advice on fixing them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::{SourceFile, Span};

/// The reason that a document, or a whole input, cannot be read. The text is Go's if Go refuses it too; lines in that
/// text count from the start of the document, [`Error::span`] counts from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A document is not YAML, or YAML without a JSON equivalent.
    #[error("{text}")]
    Yaml {
        /// The place.
        place: Place,
        /// Go's text.
        text: String,
    },
    /// A document is not JSON.
    #[error("{text}")]
    Json {
        /// The place.
        place: Place,
        /// Go's text.
        text: String,
        /// The error of reading it as YAML, if that was tried too.
        as_yaml: Option<String>,
    },
    /// A line begins with `---` and continues with other text. Nothing after it is read.
    #[error("invalid Yaml document separator: {content}")]
    Separator {
        /// The place.
        place: Place,
        /// The text after `---`.
        content: String,
    },
    /// A value is nested deeper than kadmit reads; a server's limit is 10,000.
    #[error("{text}")]
    TooDeep {
        /// The place.
        place: Place,
        /// The limit.
        text: String,
    },
    /// A file or directory cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The path as the user wrote it, or one below it.
        path: String,
        /// The system's error.
        error: io::Error,
    },
    /// A file is not UTF-8 text.
    #[error("{path} is not UTF-8 text: line {line}, byte {offset} of the file")]
    NotUtf8 {
        /// The file.
        path: String,
        /// The first invalid byte, counted from 0.
        offset: usize,
        /// Its line, counted from 1.
        line: usize,
        /// Whether the file begins like UTF-16 text.
        utf16: bool,
    },
}

/// A place in a document of a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The document, counted as in [`crate::Document::index`].
    pub document: usize,
    /// The place in the file.
    pub span: Span,
}

impl Error {
    /// Returns the place, unless the error is about the whole file.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Yaml { place, .. }
            | Self::Json { place, .. }
            | Self::Separator { place, .. }
            | Self::TooDeep { place, .. } => Some(place),
            Self::Unreadable { .. } | Self::NotUtf8 { .. } => None,
        }
    }

    /// Returns the place in the file, unless the error is about the whole file.
    pub fn span(&self) -> Option<Span> {
        self.place().map(|place| place.span)
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        match self {
            Self::Unreadable { path, .. } | Self::NotUtf8 { path, .. } => path,
            _ => self.place().map_or("", |place| place.source.name()),
        }
    }

    /// Returns the line in the file, counted from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::NotUtf8 { line, .. } => Some(*line),
            _ => self.place().map(|place| place.source.line_column(place.span.start).0),
        }
    }

    /// Returns advice on fixing it, if there is any.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Yaml { place, text } => remedy(place, text).map(str::to_owned),
            Self::Json { place, as_yaml, .. } => match (remedy_of_text(place), as_yaml) {
                (Some(remedy), _) => Some(remedy.to_owned()),
                (None, Some(yaml)) => Some(format!("if it is meant to be YAML: {yaml}")),
                (None, None) => None,
            },
            Self::Separator { .. } => {
                Some("only a comment may follow `---`; put the content on the next line".to_owned())
            }
            Self::TooDeep { .. } => {
                Some("no Kubernetes object is nested like this; is the file one?".to_owned())
            }
            Self::Unreadable { path, error } if error.kind() == io::ErrorKind::NotFound => {
                near_file(Path::new(path)).map(|near| format!("did you mean {}?", near.display()))
            }
            Self::Unreadable { .. } => None,
            Self::NotUtf8 { utf16: true, .. } => {
                Some("this looks like UTF-16; save the file as UTF-8".to_owned())
            }
            Self::NotUtf8 { .. } => Some("save the file as UTF-8; is it text at all?".to_owned()),
        }
    }
}

/// Returns the file of the same name with the other ending of manifests.
fn near_file(missing: &Path) -> Option<PathBuf> {
    ["yaml", "yml", "json"].iter().map(|ending| missing.with_extension(ending)).find(|near| near.is_file())
}

const TEMPLATE: &str =
    "this looks like a template: render it first (as `helm template` does), or quote the value";

/// Returns advice from the text around the place, independent of the error.
fn remedy_of_text(place: &Place) -> Option<&'static str> {
    let text = place.source.text();
    let (line, before) = lines(text, place.span.start);
    let is_marker = |line: &str| {
        ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|marker| line.starts_with(marker))
    };
    if is_marker(line) || is_marker(before) {
        return Some("this is a merge conflict: resolve it and remove the marker lines");
    }
    [line, before].iter().any(|line| line.contains("{{") || line.contains("{%")).then_some(TEMPLATE)
}

fn remedy(place: &Place, message: &str) -> Option<&'static str> {
    let text = place.source.text();
    let (line, before) = lines(text, place.span.start);
    let has_tab = |line: &str| line.trim_start_matches([' ', '-']).starts_with('\t');
    if has_tab(line) || (has_tab(before) && !message.contains("unsupported")) {
        return Some("indent with blanks; YAML does not allow tabs there");
    }
    if let Some(remedy) = remedy_of_text(place) {
        return Some(remedy);
    }
    let says = |part: &str| message.contains(part);
    if says("found character that cannot start any token") {
        return match text[place.span.start..].chars().next() {
            Some('@' | '`' | '%') => {
                Some("put the value in quotes; it must not begin with this character otherwise")
            }
            _ => Some("put the value in quotes"),
        };
    }
    if says("did not find expected alphabetic or numeric character") || says("unknown anchor") {
        return Some(
            "`*` begins an alias and `&` an anchor; put the value in quotes if it is meant to be text",
        );
    }
    if says("mapping values are not allowed") {
        return Some("put a value that contains `: ` in quotes, or check the indentation of this line");
    }
    if says("did not find expected key") || says("did not find expected '-' indicator") {
        return Some(
            "this line does not belong to the block above it: check its indentation, and quotes before it",
        );
    }
    if says("could not find expected ':'") {
        return Some(
            "a key needs `: ` after it; is this line the rest of a text that should be indented or quoted?",
        );
    }
    if says("did not find expected node content") {
        return Some(
            "close the bracket or brace that is open, or put a value that begins with one, or with a comma, in quotes",
        );
    }
    if says("found unexpected end of stream") {
        return Some(
            "a quote is opened and never closed; a line that begins with `---` ends the document in any case",
        );
    }
    if says("found unknown escape character") {
        return Some("double a backslash in double quotes, or use single quotes");
    }
    if says("<document start>") || says("incompatible YAML") || says("unknown directive") {
        return Some("remove the line that begins with `%`; Kubernetes reads no directives");
    }
    if says("control characters") {
        return Some("remove the character, or write it as an escape in double quotes");
    }
    if says("unsupported map key") || says("invalid map key") {
        return Some("put the key in quotes");
    }
    if says("unsupported value") {
        return Some("JSON has no such number; put the value in quotes if it is meant to be text");
    }
    if says("excessive aliasing") {
        return Some("write out the values instead of repeating aliases of aliases");
    }
    says("cannot decode").then_some("remove the tag, or give a value that fits it")
}

/// Returns the line around `offset`, and the last one before it that is not empty.
fn lines(text: &str, offset: usize) -> (&str, &str) {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let before = text[..start].lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    (line, before)
}
