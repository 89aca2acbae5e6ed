//! Explanations of the line under the cursor: what sets it, and the plugins involved.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::evaluation::{Outcome, Place};
use crate::plugin;
use crate::report::blame::origin::{Blame, Children, Origin};
use crate::report::blame::{self, blame_of};
use crate::report::printable::printable;
use crate::report::subject::Subject;
use crate::report::{Summary, masked};
use gotext::source::{Data, Entry, Node, SourceFile, Span};
use kube_api::Value;
use kube_api::field::{Path, Segment};

/// The limit of fields that are listed for an object.
const MAX_FIELDS: usize = 12;

/// The limit of characters of a value that are shown.
const MAX_CHARACTERS: usize = 60;

/// The explanation of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Its field.
    pub span: Span,
    /// Markdown.
    pub text: String,
}

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    /// An item of a list, and the line on which it begins.
    Item(usize, usize),
}

/// The field at a place of a file.
struct Field {
    span: Span,
    steps: Vec<Step>,
}

/// Explains the field at `offset`, if `outcome` or a request that it caused is about it.
pub fn explain(outcome: &Outcome, offset: usize) -> Option<Explanation> {
    let place = outcome.place.as_ref().filter(|place| !place.is_review())?.whole();
    let written = place.written()?;
    let root = written.node()?;
    let text = place.source().text();
    if offset < line_start(text, root.span.start) || offset > root.span.end.max(root.span.start) {
        return None;
    }
    let field = field_at(root, place.source(), offset);
    let mut plugins = BTreeSet::new();
    let mut sections = Vec::new();
    for request in outcome.with_caused() {
        sections.extend(section(request, &field, &mut plugins));
    }
    if sections.is_empty() {
        return None;
    }
    let mut text = sections.join("\n\n");
    for name in plugins {
        if let Some(summary) = plugin_summary(name) {
            let _ = write!(text, "\n\n---\n\n**{name}**: {summary}");
        }
    }
    Some(Explanation { span: field.span, text })
}

/// Returns a description of a plugin, one paragraph of Markdown.
fn plugin_summary(name: &str) -> Option<String> {
    let documentation = plugin::find(name)?.documentation();
    let first = documentation.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    Some(first.trim().to_owned())
}

/// Returns the effects of `request` on `field`; nothing if it is about another part of the document.
fn section(request: &Outcome, field: &Field, plugins: &mut BTreeSet<&'static str>) -> Option<String> {
    let own = request.place.as_ref().and_then(Place::field).map(Path::segments).unwrap_or_default();
    let is_whole = field.steps.is_empty();
    let below = match strip(&field.steps, &own) {
        Some(below) => below,
        // Hovering over the object lists the objects that controllers create for it.
        None if is_whole => &[][..],
        None => return None,
    };
    let mark = if request.allowed() { "✓" } else { "✗" };
    let mut text = format!("{mark} **{}**", escaped(&Subject::of(request).to_string()));
    if let Some(status) = request.status().filter(|_| below.is_empty() || is_refused_at(request, field)) {
        let who = request.denied_by().unwrap_or(Summary::API_SERVER);
        plugins.extend(request.denied_by());
        let _ = write!(text, "\n\n{who} denied it: {}", escaped(&status.message));
    }
    if is_whole {
        for note in &request.trace.notes {
            let _ = write!(text, "\n\nnote: {}", escaped(note));
        }
    }
    let Some((object, blame)) = blame_of(request) else { return Some(text) };
    let (value, _) = masked(&object.kind, &object.value, &object.value);
    let Some((value, blame)) = descend(&value, &blame, below) else {
        let _ = write!(text, "\n\nnot in the stored object");
        return Some(text);
    };
    match blame.origin {
        Origin::Manifest(_) if is_whole => {}
        Origin::Manifest(_) if !is_map_or_list(value) => {
            let _ = write!(text, "\n\nset by the manifest, stored as {}", code(value));
        }
        Origin::Manifest(_) => text.push_str("\n\nset by the manifest"),
        origin => {
            let _ = write!(text, "\n\n{}: {}", who_sets(origin, plugins), code(value));
        }
    }
    let mut fields = Vec::new();
    collect(value, blame, "", &mut fields);
    if !matches!(blame.origin, Origin::Manifest(_)) {
        fields.clear();
    }
    for (path, value, origin) in fields.iter().take(MAX_FIELDS) {
        let who = who_sets(*origin, plugins);
        let _ = write!(text, "\n- `{}`: {} · {who}", printable(path).replace('`', "'"), code(value));
    }
    if fields.len() > MAX_FIELDS {
        let _ = write!(text, "\n- … and {} more", fields.len() - MAX_FIELDS);
    }
    Some(text)
}

fn is_map_or_list(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// Whether the refusal of `request` names the field or a part of it.
fn is_refused_at(request: &Outcome, field: &Field) -> bool {
    let Some(written) = request.place.as_ref().and_then(Place::written) else { return false };
    let refused = request.refusal.iter().flat_map(|refusal| &refusal.fields);
    let mut spans = refused.map(|path| written.find(path).span());
    spans.any(|span| span.start >= field.span.start && span.start <= field.span.end)
}

/// Returns the steps of `steps` after `own`.
fn strip<'a>(steps: &'a [Step], own: &[&Segment]) -> Option<&'a [Step]> {
    let is_same = |(step, own): (&Step, &&Segment)| match (step, own) {
        (Step::Key(key), Segment::Field(own)) => key == own,
        (Step::Key(key), Segment::Key(own)) => key == own,
        (Step::Item(index, _), Segment::Index(own)) => index == own,
        _ => false,
    };
    (steps.len() >= own.len() && steps.iter().zip(own).all(is_same)).then(|| &steps[own.len()..])
}

fn who_sets(origin: Origin<'_>, plugins: &mut BTreeSet<&'static str>) -> String {
    match origin {
        Origin::Plugin(name, _) => {
            plugins.insert(name);
            format!("set by {name}")
        }
        other => format!("set by {}", blame::label(&other, "")),
    }
}

/// Returns the part of `value` at `steps`, with its origin. An item is found by its line in the manifest, since plugins
/// add items.
fn descend<'v, 'b>(
    value: &'v Value,
    blame: &'v Blame<'b>,
    steps: &[Step],
) -> Option<(&'v Value, &'v Blame<'b>)> {
    steps.iter().try_fold((value, blame), |(value, blame), step| match (step, &blame.children) {
        (Step::Key(key), Children::Map(children)) => Some((value.get(key.as_str())?, children.get(key)?)),
        (Step::Item(index, line), Children::List(children)) => {
            let position = children.iter().position(|child| child.origin == Origin::Manifest(*line));
            let position = position.unwrap_or(*index);
            Some((value.get(position)?, children.get(position)?))
        }
        _ => None,
    })
}

/// Collects the largest parts of `value` that the manifest does not set.
fn collect<'v, 'b>(
    value: &'v Value,
    blame: &Blame<'b>,
    path: &str,
    fields: &mut Vec<(String, &'v Value, Origin<'b>)>,
) {
    if !matches!(blame.origin, Origin::Manifest(_))
        && let Some(origin) = origin_of_all(blame)
    {
        fields.push((path.to_owned(), value, origin));
        return;
    }
    match (value, &blame.children) {
        (Value::Object(map), Children::Map(children)) => {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                if let Some(child) = children.get(key.as_str()) {
                    collect(value, child, &format!("{path}{dot}{key}"), fields);
                }
            }
        }
        (Value::Array(items), Children::List(children)) => {
            for (index, (item, child)) in items.iter().zip(children).enumerate() {
                collect(item, child, &format!("{path}[{index}]"), fields);
            }
        }
        _ => {}
    }
}

/// Returns the origin of everything in a value, if it is one: a plugin may fill in a map that a default made.
pub(super) fn origin_of_all<'b>(blame: &Blame<'b>) -> Option<Origin<'b>> {
    let children: Vec<&Blame> = match &blame.children {
        Children::None => Vec::new(),
        Children::Map(children) => children.values().collect(),
        Children::List(children) => children.iter().collect(),
    };
    let Some((first, rest)) = children.split_first() else { return Some(blame.origin) };
    let origin = origin_of_all(first)?;
    rest.iter().all(|child| origin_of_all(child) == Some(origin)).then_some(origin)
}

/// Returns the innermost field that `offset` or the line around it begins in.
fn field_at(root: &Node, source: &SourceFile, offset: usize) -> Field {
    let text = source.text();
    let start = line_start(text, offset);
    let line = text[start..].lines().next().unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '-', '\t']).len();
    let offset = offset.max(start + blanks).min(text.len());
    let mut field = Field { span: first_line(text, root.span), steps: Vec::new() };
    let mut node = root;
    loop {
        let next = match &node.data {
            Data::Object(entries) => entries.iter().find(|entry| holds(entry, offset)).map(|entry| {
                field.steps.push(Step::Key(entry.key.to_string()));
                field.span = Span::new(entry.key_span.start..entry.value.span.end.max(entry.key_span.end));
                &entry.value
            }),
            Data::Array(items) => {
                let found = items.iter().position(|item| item.span.start <= offset && offset < item.span.end);
                found.map(|index| {
                    let (line, _) = source.line_column(items[index].span.start);
                    field.steps.push(Step::Item(index, line));
                    field.span = items[index].span;
                    &items[index]
                })
            }
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    let is_at_top =
        matches!(field.steps.as_slice(), [Step::Key(key)] if key == "kind" || key == "apiVersion");
    if is_at_top {
        field.steps.clear();
    }
    field.span = first_line(text, field.span);
    field
}

fn holds(entry: &Entry, offset: usize) -> bool {
    let end = entry.value.span.end.max(entry.key_span.end);
    entry.key_span.start <= offset && offset <= end
}

fn first_line(text: &str, span: Span) -> Span {
    let line = text[span.start..span.end].lines().next().unwrap_or_default().trim_end();
    Span::new(span.start..span.start + line.len())
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].rfind('\n').map_or(0, |end| end + 1)
}

/// Returns `value` as code on one line.
fn code(value: &Value) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    let text = printable(&text).replace('`', "'");
    let mut shown: String = text.chars().take(MAX_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Returns `text` escaped for Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '!') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
