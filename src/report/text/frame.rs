//! Code frames: the lines of a manifest that a refusal is about.

use std::fmt;
use std::io::{self, Write};

use colored::Colorize;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use textwrap::{WordSeparator, WordSplitter};

use crate::admission::Refusal;
use crate::api::field::{Path, Segment};
use crate::evaluation::{Outcome, Place, Written};
use crate::manifest::Location;
use crate::report::printable::printable;
use crate::report::text::write_labelled;
use crate::report::{self, Severity};
use crate::source::{SourceFile, Span};

use super::window::Window;

/// The limit on labels: more would obscure the code.
const MOST_LABELS: usize = 6;

/// A message with labelled places, as miette draws it.
#[derive(Debug)]
struct Frame {
    message: String,
    help: Option<String>,
    source: Option<Window>,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&printable(&self.message))
    }
}

impl std::error::Error for Frame {}

impl Diagnostic for Frame {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(printable(help)) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<_>)
    }
}

/// Draws the refusal of `outcome`.
pub(super) fn write_refusal(
    out: &mut impl Write,
    outcome: &Outcome,
    refusal: &Refusal,
    plugin: Option<&str>,
    help: Option<String>,
    width: usize,
) -> io::Result<()> {
    let place =
        outcome.place.as_ref().filter(|_| outcome.decode_span.is_some() || !refusal.fields.is_empty());
    let written = place.and_then(Place::written);
    let labels =
        written.as_ref().map(|written| labels(outcome, written, refusal, plugin, width)).unwrap_or_default();
    let ends = labels.iter().map(|label| label.offset()..label.offset() + label.len());
    let shown = ends.reduce(|all, one| all.start.min(one.start)..all.end.max(one.end));
    let source = written.zip(shown).map(|(written, shown)| Window::of(&written, Span::new(shown)));
    draw(out, &Frame { message: refusal.status.message.clone(), help, source, labels }, width)
}

/// Draws `message` with some lines of a file, if there are any.
pub(in crate::report) fn write_excerpt(
    out: &mut impl Write,
    message: &str,
    help: Option<String>,
    excerpt: Option<&Excerpt<'_>>,
    width: usize,
) -> io::Result<()> {
    let (source, labels) = excerpt.map(Excerpt::drawn).unzip();
    let labels = labels.into_iter().collect();
    draw(out, &Frame { message: message.to_owned(), help, source, labels }, width)
}

/// Some lines of a file.
pub(in crate::report) struct Excerpt<'a> {
    pub(in crate::report) file: &'a str,
    pub(in crate::report) first_line: usize,
    pub(in crate::report) text: &'a str,
    /// The line that is labelled.
    pub(in crate::report) line: usize,
    /// The first column and the one after the last, counted from 1 in characters.
    pub(in crate::report) columns: (usize, usize),
    pub(in crate::report) label: &'a str,
}

impl Excerpt<'_> {
    fn drawn(&self) -> (Window, LabeledSpan) {
        // The lines before are never shown; they only give the right line numbers.
        let text = format!("{}{}", "\n".repeat(self.first_line - 1), self.text);
        let start: usize = text.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let line = text[start..].lines().next().unwrap_or_default();
        let offset =
            |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(offset, _)| offset);
        let (first, behind) = self.columns;
        let span = Span::new(start + offset(first)..start + offset(behind));
        (Window::whole(self.file, text), label(span, Some(self.label.to_owned())))
    }
}

/// Draws a diagnostic about the input; a note is a plain paragraph.
pub fn write_diagnostic(
    out: &mut impl Write,
    diagnostic: &report::Diagnostic,
    width: usize,
) -> io::Result<()> {
    let help = diagnostic.help.clone();
    let message = diagnostic.message.clone();
    let frame = match &diagnostic.source {
        Some((source, span)) if diagnostic.severity == Severity::Error && may_be_shown(source, *span) => {
            let labels = vec![label(first_line(source.text(), *span), None)];
            let source = Window::whole(source.name(), source.text().to_owned());
            Frame { message, help, source: Some(source), labels }
        }
        _ => Frame { message: with_place(diagnostic), help, source: None, labels: Vec::new() },
    };
    if diagnostic.severity == Severity::Error {
        return draw(out, &frame, width);
    }
    if diagnostic.severity == Severity::Note {
        return write_labelled(out, "", &"note:".blue(), &frame.message, width);
    }
    let message = match &frame.help {
        Some(help) => format!("{}; {help}", frame.message),
        None => frame.message,
    };
    write_labelled(out, "", &"warning:".yellow(), &message, width)
}

/// Returns `file:line: message`, or only the message if it names the file itself.
fn with_place(diagnostic: &report::Diagnostic) -> String {
    let message = &diagnostic.message;
    match (&diagnostic.file, diagnostic.line()) {
        (Some(file), _) if message.contains(file.as_str()) => message.clone(),
        (Some(file), Some(line)) => format!("{file}:{line}: {message}"),
        (Some(file), None) => format!("{file}: {message}"),
        (None, _) => message.clone(),
    }
}

/// Returns the first line of `span`.
fn first_line(text: &str, span: Span) -> Span {
    let line = text[span.start..span.end.max(span.start)].lines().next().unwrap_or_default();
    Span::new(span.start..span.start + line.trim_end().len())
}

/// The length beyond which a line is not shown.
const LONGEST_LINE: usize = 500;

/// Whether the lines around `span` may be printed: not those of a Secret, which cannot be masked in an invalid
/// document, nor those that would fill the screen.
fn may_be_shown(source: &SourceFile, span: Span) -> bool {
    let text = source.text();
    let start = text[..span.start].rfind("\n---").unwrap_or(0);
    let end = text[span.start..].find("\n---").map_or(text.len(), |end| span.start + end);
    let mut lines = text[start..end].lines();
    let is_secret = |line: &str| line.contains("kind") && line.contains("Secret");
    let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let around = text[line_start..].lines().take(2).chain(text[..line_start].lines().next_back());
    !lines.any(is_secret) && around.into_iter().all(|line| line.len() <= LONGEST_LINE)
}

fn draw(out: &mut impl Write, frame: &Frame, width: usize) -> io::Result<()> {
    let theme = if colored::control::SHOULD_COLORIZE.should_colorize() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_context_lines(1)
        .with_links(false)
        .with_word_separator(WordSeparator::AsciiSpace)
        .with_word_splitter(WordSplitter::NoHyphenation);
    let mut text = String::new();
    handler.render_report(&mut text, frame).map_err(io::Error::other)?;
    for line in text.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn labels(
    outcome: &Outcome,
    written: &Written<'_>,
    refusal: &Refusal,
    plugin: Option<&str>,
    width: usize,
) -> Vec<LabeledSpan> {
    if let Some(span) = outcome.decode_span {
        return vec![label(written.first_line(span), None)];
    }
    let mut labels: Vec<LabeledSpan> = Vec::new();
    for path in &refusal.fields {
        let location = written.find(path);
        let text = match location {
            Location::Exact { .. } => cause(refusal, path).or_else(|| plugin.map(str::to_owned)),
            Location::Nearest { depth, .. } => Some(absent(outcome, path, depth)),
        };
        let span = written.mark(&location);
        if labels.len() < MOST_LABELS && !labels.iter().any(|label| label.offset() == span.start) {
            let (_, column) = written.place().source().line_column(span.start);
            let room = width.saturating_sub(MARGIN + column + (span.end - span.start) / 2);
            labels.push(label(span, text.map(|text| fitting(text, room))));
        }
    }
    labels
}

/// The columns that a frame needs besides the text of a label.
const MARGIN: usize = 12;

/// The minimum length of a label that is cut.
const LEAST_ROOM: usize = 36;

/// Returns `text`, or its beginning if there is no room for it; the message has the whole text in any case.
fn fitting(text: String, room: usize) -> String {
    if text.chars().count() <= room.max(LEAST_ROOM) {
        return text;
    }
    match text.split_once(": ") {
        Some((beginning, _)) => beginning.to_owned(),
        None => text.chars().take(room.max(LEAST_ROOM) - 1).chain(['…']).collect(),
    }
}

/// Returns the server's message about this field, if there is one per field.
fn cause(refusal: &Refusal, path: &Path) -> Option<String> {
    let causes = &refusal.status.details.as_ref()?.causes;
    let field = path.to_string();
    causes.iter().find(|cause| cause.field == field).map(|cause| cause.message.clone())
}

/// Returns why the field is not in the manifest, which has its first `depth` steps.
fn absent(outcome: &Outcome, path: &Path, depth: usize) -> String {
    let setter = outcome.trace.steps.iter().find(|step| {
        let change = step.change.as_ref();
        change.is_some_and(|(before, after)| before.get(path).is_none() && after.get(path).is_some())
    });
    let missing = rest(path, depth);
    match setter {
        Some(step) => format!("{missing} was set by {}", step.plugin),
        None if missing == "namespace" => format!("{missing} is the one of the request"),
        None if outcome.received.as_ref().is_some_and(|object| object.get(path).is_some()) => {
            match &outcome.cause {
                Some(cause) => format!("{missing} is set by {}", cause.controller),
                None => format!("{missing} is an API default"),
            }
        }
        None => format!("{missing} is not set"),
    }
}

/// Returns `path` without its first `depth` steps.
fn rest(path: &Path, depth: usize) -> String {
    let segments = path.segments();
    let steps = segments.iter().skip(depth).map(|segment| match segment {
        Segment::Field(name) => format!(".{name}"),
        Segment::Index(index) => format!("[{index}]"),
        Segment::Key(key) => format!("[{key}]"),
    });
    steps.collect::<String>().trim_start_matches('.').to_owned()
}

fn label(span: Span, text: Option<String>) -> LabeledSpan {
    let text = text.map(|text| printable(&text).into_owned());
    LabeledSpan::new_with_span(text, span.start..span.end)
}
