//! Code frames: the lines of a manifest that a refusal is about.

use std::io::{self, Write};

use colored::Colorize;

use crate::admission::{Operation, PolicyViolation, Refusal};
use crate::evaluation::{MAX_EXCERPT_BYTES, Outcome, Place, Written};
use crate::report::fold::folding;
use crate::report::printable::{printable, printable_in_place, printable_line};
use crate::report::text::write_labelled;
use crate::report::{self, Severity};
use gotext::source::{SourceFile, Span};
use kube_api::field::{Path, Segment};
use kube_api::secret;
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Status, Value};
use kube_yaml::Location;

use super::snippet::{Mark, Snippet};

/// The largest number of marks: more would hide the text.
const MAX_MARKS: usize = 6;

/// Writes why `outcome` was refused.
pub(super) fn write_refusal(
    out: &mut impl Write,
    outcome: &Outcome,
    refusal: &Refusal,
    plugin: Option<&str>,
    help: Option<&str>,
    width: usize,
) -> io::Result<()> {
    let snippet = of_refusal(outcome, refusal, plugin, width);
    draw(out, &refusal.status.message, help, snippet.as_ref(), width)
}

/// Returns the lines of the manifest that `refusal` is about, if it is about some.
pub(super) fn of_refusal(
    outcome: &Outcome,
    refusal: &Refusal,
    plugin: Option<&str>,
    width: usize,
) -> Option<Snippet> {
    let place =
        outcome.place.as_ref().filter(|_| outcome.decode_span.is_some() || !refusal.fields.is_empty());
    snippet(outcome, &place?.written()?, refusal, plugin, width)
}

/// Writes the lines of the manifest that `violation` of `outcome` is about, if it is about some.
pub(super) fn write_violation(
    out: &mut impl Write,
    outcome: &Outcome,
    violation: &PolicyViolation,
    help: &str,
    width: usize,
) -> io::Result<()> {
    let about = Refusal::from(Status::default()).at_all(violation.fields.iter().cloned());
    let place = outcome.place.as_ref().filter(|_| !about.fields.is_empty());
    let written = place.and_then(Place::written);
    let snippet =
        written.and_then(|written| snippet(outcome, &written, &about, Some(violation.plugin), width));
    if let Some(snippet) = snippet {
        snippet.write(out, width)?;
    }
    write_help(out, help, width)
}

/// Writes `message` with some lines of a file, if there are any.
pub(in crate::report) fn write_excerpt(
    out: &mut impl Write,
    message: &str,
    help: Option<&str>,
    excerpt: Option<&Excerpt<'_>>,
    width: usize,
) -> io::Result<()> {
    draw(out, message, help, excerpt.map(Excerpt::drawn).as_ref(), width)
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
    fn drawn(&self) -> Snippet {
        let lines = self.text.split_inclusive('\n');
        let start: usize = lines.take(self.line.saturating_sub(self.first_line)).map(str::len).sum();
        let line = self.text[start..].lines().next().unwrap_or_default();
        let offset =
            |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(offset, _)| offset);
        let (first, after) = self.columns;
        let labels = vec![printable(self.label).into_owned()];
        let mark = Mark { start: start + offset(first), end: start + offset(after), labels };
        Snippet {
            file: printable(self.file).into_owned(),
            text: printable_in_place(self.text.to_owned()),
            first_line: self.first_line,
            marks: vec![mark],
        }
    }
}

/// Writes what is wrong with the input; a note is one quiet paragraph.
pub fn write_diagnostic(
    out: &mut impl Write,
    diagnostic: &report::Diagnostic,
    width: usize,
) -> io::Result<()> {
    let (message, help) = (&diagnostic.message, diagnostic.help.as_deref());
    if diagnostic.severity == Severity::Error {
        return match of_diagnostic(diagnostic) {
            Some(snippet) => draw(out, message, help, Some(&snippet), width),
            None => draw(out, &with_place(diagnostic), help, None, width),
        };
    }
    let message = with_place(diagnostic);
    if diagnostic.severity == Severity::Note {
        return write_labelled(out, "", &"note:".cyan(), &message, width);
    }
    let message = match help {
        Some(help) => format!("{message}; {help}"),
        None => message,
    };
    write_labelled(out, "", &"warning:".yellow(), &message, width)
}

/// Returns the lines that `diagnostic` is about, if they are known and may be shown.
pub(super) fn of_diagnostic(diagnostic: &report::Diagnostic) -> Option<Snippet> {
    let (source, span) = diagnostic.source.as_ref().filter(|(source, span)| may_be_shown(source, *span))?;
    let line = first_line(source.text(), *span);
    let shown = source.lines_around(line, AROUND);
    let mark = Mark { start: line.start - shown.start, end: line.end - shown.start, labels: Vec::new() };
    Some(Snippet {
        file: printable_line(source.name()).into_owned(),
        text: printable_in_place(source.text()[shown.start..shown.end].to_owned()),
        first_line: source.line_column(shown.start).0,
        marks: vec![mark],
    })
}

/// Returns `file:line: message`, or only the message if it names the file itself.
pub(super) fn with_place(diagnostic: &report::Diagnostic) -> String {
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

/// The number of lines that are shown before and after those of a mark.
pub(super) const AROUND: usize = 2;

/// The length beyond which a line is not shown.
const LONGEST_LINE: usize = 500;

/// Whether the lines around `span` may be printed: not those of a Secret, which cannot be masked in a document that is
/// wrong, nor those that would fill the screen.
fn may_be_shown(source: &SourceFile, span: Span) -> bool {
    let text = source.text();
    let start = text[..span.start].rfind("\n---").unwrap_or(0);
    let end = text[span.start..].find("\n---").map_or(text.len(), |end| span.start + end);
    let is_secret = secret::may_be_in_unread(&text[start..end]);
    let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let around = text[line_start..].lines().take(2).chain(text[..line_start].lines().next_back());
    !is_secret && around.into_iter().all(|line| line.len() <= LONGEST_LINE)
}

pub(super) fn draw(
    out: &mut impl Write,
    message: &str,
    help: Option<&str>,
    snippet: Option<&Snippet>,
    width: usize,
) -> io::Result<()> {
    write_folded(out, message, ["  × ", "  │ "], width, |lead| lead.red().to_string())?;
    if let Some(snippet) = snippet {
        snippet.write(out, width)?;
    }
    match help {
        Some(help) => write_help(out, help, width),
        None => Ok(()),
    }
}

fn write_help(out: &mut impl Write, help: &str, width: usize) -> io::Result<()> {
    write_folded(out, help, ["  help: ", "        "], width, |lead| lead.cyan().to_string())
}

/// Writes `text` in lines, the first and the others each after a lead.
fn write_folded(
    out: &mut impl Write,
    text: &str,
    [first, rest]: [&str; 2],
    width: usize,
    shown: impl Fn(&str) -> String,
) -> io::Result<()> {
    let text = printable(text);
    let room = width.saturating_sub(first.chars().count());
    for (position, line) in textwrap::wrap(&text, folding(room)).iter().enumerate() {
        let lead = if position == 0 { first } else { rest };
        writeln!(out, "{}", format!("{}{line}", shown(lead)).trim_end())?;
    }
    Ok(())
}

/// The lines of the manifest that the refusal is about; nothing if it is about no field.
fn snippet(
    outcome: &Outcome,
    written: &Written<'_>,
    refusal: &Refusal,
    plugin: Option<&str>,
    width: usize,
) -> Option<Snippet> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut left_out = 0;
    if let Some(span) = outcome.decode_span {
        let span = written.first_line(span);
        marks.push(Mark { start: span.start, end: span.end, labels: Vec::new() });
    } else {
        for (position, path) in refusal.fields.iter().enumerate() {
            let location = written.find(path);
            let label = match location {
                Location::Exact { .. } => {
                    exact(refusal, position, path).or_else(|| plugin.map(str::to_owned))
                }
                Location::Nearest { depth, .. } => Some(absent(outcome, refusal, path, depth)),
            };
            let span = written.mark(&location);
            let (_, column) = written.place().source().line_column(span.start);
            let room = width.saturating_sub(MARGIN + column + (span.end - span.start) / 2);
            let label = label.map(|label| fitting(&printable(&label), room));
            if let Some(mark) = marks.iter_mut().find(|mark| mark.start == span.start) {
                let label = label.filter(|label| !mark.labels.contains(label));
                mark.labels.extend(label);
            } else if marks.len() < MAX_MARKS {
                let labels = label.into_iter().collect();
                marks.push(Mark { start: span.start, end: span.end, labels });
            } else {
                left_out += 1;
            }
        }
    }
    let start = marks.iter().map(|mark| mark.start).min()?;
    let end = marks.iter().map(|mark| mark.end).max()?;
    if let Some(last) = marks.iter_mut().max_by_key(|mark| mark.start).filter(|_| left_out > 0) {
        let fields = if left_out == 1 { "field" } else { "fields" };
        last.labels.push(format!("… and {left_out} more {fields}"));
    }
    let source = written.place().source();
    let shown = source.lines_around(Span::new(start..end), AROUND);
    if shown.end - shown.start > MAX_EXCERPT_BYTES {
        return None;
    }
    for mark in &mut marks {
        (mark.start, mark.end) = (mark.start - shown.start, mark.end - shown.start);
    }
    Some(Snippet {
        file: printable_line(source.name()).into_owned(),
        text: printable_in_place(written.shown(shown)),
        first_line: source.line_column(shown.start).0,
        marks,
    })
}

/// Columns that a frame takes besides the text of a label.
const MARGIN: usize = 12;

/// The minimum length of a label that is cut.
const LEAST_ROOM: usize = 36;

/// The maximum length of a label.
const LONGEST_LABEL: usize = 160;

/// Returns `text`, or its beginning if there is no room for it; the message has the whole.
fn fitting(text: &str, room: usize) -> String {
    let text = text.replace('\n', " ");
    let room = room.clamp(LEAST_ROOM, LONGEST_LABEL);
    let fits = |text: &str| text.chars().count() <= room;
    if fits(&text) {
        return text;
    }
    // The line of the mark has the value.
    let around_value = text.split_once(" value: ").and_then(|(beginning, rest)| {
        let (_, end) = rest.rsplit_once(": ")?;
        Some(format!("{beginning} value: {end}"))
    });
    if let Some(label) = around_value.filter(|label| fits(label)) {
        return label;
    }
    match text.split_once(": ") {
        Some((beginning, _)) => beginning.to_owned(),
        None => text.chars().take(room - 1).chain(['…']).collect(),
    }
}

/// Returns the reason at this field, if the reasons differ between fields.
fn exact(refusal: &Refusal, position: usize, path: &Path) -> Option<String> {
    let is_its = |found: &&(Path, String)| found.0 == *path;
    let own = refusal.reasons.get(position).filter(is_its);
    let reason = own.or_else(|| refusal.reasons.iter().find(is_its)).map(|(_, reason)| reason.clone());
    reason.or_else(|| cause(refusal, path))
}

/// Returns the server's cause at this field, if there is one.
fn cause(refusal: &Refusal, path: &Path) -> Option<String> {
    let causes = &refusal.status.details.as_ref()?.causes;
    let field = path.to_string();
    causes.iter().find(|cause| cause.field == field).map(|cause| cause.message.clone())
}

/// Returns the label of a field of which the manifest has only the first `depth` steps.
fn absent(outcome: &Outcome, refusal: &Refusal, path: &Path, depth: usize) -> String {
    let missing = rest(path, depth);
    if let Some(cause) = cause(refusal, path) {
        return format!("{missing}: {cause}");
    }
    let why = origin(outcome, path);
    let reason = refusal.reasons.iter().find(|(field, _)| field == path).map(|(_, reason)| reason);
    match reason {
        Some(reason) => format!("{reason}: {missing} {why}"),
        None => format!("{missing} {why}"),
    }
}

/// Returns the origin of a value that is not in the manifest: `was set by LimitRanger`.
fn origin(outcome: &Outcome, path: &Path) -> String {
    let has = |object: &Object| object.get(path).is_some_and(|value| !value.is_null());
    let setter = outcome.trace.steps.iter().find(|step| {
        let change = step.change.as_ref();
        change.is_some_and(|(before, after)| !has(before) && has(after))
    });
    if let Some(step) = setter {
        return format!("was set by {}", step.plugin);
    }
    if !outcome.received.as_deref().is_some_and(has) {
        return "is not set".to_owned();
    }
    match (&outcome.cause, outcome.operation) {
        (Some(cause), _) if !outcome.received.as_deref().is_some_and(|object| is_default(object, path)) => {
            format!("is set by {}", cause.controller)
        }
        (None, Operation::Update) => "is as stored".to_owned(),
        (None, _) if *path == Path::new("metadata").child("namespace") => {
            "is the one of the request".to_owned()
        }
        _ => "is an API default".to_owned(),
    }
}

/// Whether the server fills in the value at `path` if `object` does not have it.
fn is_default(object: &Object, path: &Path) -> bool {
    let mut without = object.clone();
    if remove(&mut without.value, &path.segments()).is_none() {
        return false;
    }
    kube_registry::set_defaults(&mut without, &ServerProfile::default());
    without.get(path) == object.get(path)
}

fn remove(value: &mut Value, segments: &[&Segment]) -> Option<Value> {
    let (last, parents) = segments.split_last()?;
    let parent = parents.iter().try_fold(value, |value, segment| match segment {
        Segment::Field(name) => value.get_mut(name.as_ref()),
        Segment::Key(name) => value.get_mut(name.as_str()),
        Segment::Index(index) => value.as_array_mut()?.get_mut(*index),
    })?;
    match last {
        Segment::Field(name) => parent.as_object_mut()?.remove(name.as_ref()),
        Segment::Key(name) => parent.as_object_mut()?.remove(name.as_str()),
        Segment::Index(_) => None,
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
