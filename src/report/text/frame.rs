//! Code frames: the lines of a manifest that a refusal is about.

use std::fmt;
use std::io::{self, Write};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use crate::admission::Refusal;
use crate::api::field::Path;
use crate::evaluation::{Outcome, Place, Written};
use crate::manifest::Location;
use crate::source::Span;

/// More labels than this hide more than they show.
const MOST_LABELS: usize = 6;

/// A message with labelled places, as miette draws it.
#[derive(Debug)]
struct Frame {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Frame {}

impl Diagnostic for Frame {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<_>)
    }
}

/// Draws why `outcome` was refused.
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
        written.as_ref().map(|written| labels(outcome, written, refusal, plugin)).unwrap_or_default();
    let source = written
        .filter(|_| !labels.is_empty())
        .and_then(|written| Some(NamedSource::new(place?.file(), written.shown_text())));
    draw(out, &Frame { message: refusal.status.message.clone(), help, source, labels }, width)
}

/// Draws what is wrong with the input.
pub fn write_diagnostic(
    out: &mut impl Write,
    diagnostic: &crate::report::Diagnostic,
    width: usize,
) -> io::Result<()> {
    let mut frame = Frame {
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        source: None,
        labels: Vec::new(),
    };
    match (&diagnostic.source, &diagnostic.file) {
        (Some((source, span)), _) => {
            frame.source = Some(NamedSource::new(source.name(), source.text().to_owned()));
            frame.labels.push(LabeledSpan::new_primary_with_span(None, span.start..span.end.max(span.start)));
        }
        (None, Some(file)) if !frame.message.contains(file.as_str()) => {
            frame.message = format!("{file}: {}", frame.message);
        }
        (None, _) => {}
    }
    draw(out, &frame, width)
}

fn draw(out: &mut impl Write, frame: &Frame, width: usize) -> io::Result<()> {
    let theme = if colored::control::SHOULD_COLORIZE.should_colorize() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(width).with_context_lines(1).with_links(false);
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
) -> Vec<LabeledSpan> {
    if let Some(span) = outcome.decode_span {
        return vec![label(written.first_line(span), None)];
    }
    let mut labels: Vec<LabeledSpan> = Vec::new();
    for path in &refusal.fields {
        let location = written.find(path);
        let text = match location {
            Location::Exact { .. } => cause(refusal, path).or_else(|| plugin.map(str::to_owned)),
            Location::Nearest { .. } => Some(absent(outcome, path)),
        };
        // A value of many lines is named by its key.
        let value = location.span();
        let span = match location.key() {
            Some(key) if written.first_line(value) != value => key,
            _ => written.first_line(value),
        };
        if labels.len() < MOST_LABELS && !labels.iter().any(|label| label.offset() == span.start) {
            labels.push(label(span, text));
        }
    }
    labels
}

/// What the server says of this field, if it says something of each.
fn cause(refusal: &Refusal, path: &Path) -> Option<String> {
    let causes = &refusal.status.details.as_ref()?.causes;
    let field = path.to_string();
    causes.iter().find(|cause| cause.field == field).map(|cause| cause.message.clone())
}

/// Why the field is not in the manifest.
fn absent(outcome: &Outcome, path: &Path) -> String {
    let setter = outcome.trace.steps.iter().find(|step| {
        let change = step.change.as_ref();
        change.is_some_and(|(before, after)| before.get(path).is_none() && after.get(path).is_some())
    });
    match setter {
        Some(step) => format!("{path} was set by {}", step.plugin),
        None if outcome.received.as_ref().is_some_and(|object| object.get(path).is_some()) => {
            format!("{path} is an API default")
        }
        None => format!("{path} is not set"),
    }
}

fn label(span: Span, text: Option<String>) -> LabeledSpan {
    LabeledSpan::new_with_span(text, span.start..span.end)
}
