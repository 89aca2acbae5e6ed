//! `-o blame`: the admitted objects as the cluster would store them, every line with its origin.

mod line;
pub(super) mod origin;

use std::io::{self, Write};
use std::sync::Arc;

use colored::Colorize;

use crate::admission::{Evidence, Operation};
use crate::evaluation::{Outcome, Place};
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Object, Value, kinds};

use crate::report::printable::printable;
use crate::report::subject::Subject;
use crate::report::{Report, Summary};
use gotext::source::{Data, Node, SourceFile};

pub(crate) use line::write_lines;
pub use line::{BlamedLine, BlamedOn};
use origin::{Because, Blame, Children, Origin, Rest, below};

/// Writes one YAML document per admitted object, and one line per refused one.
pub struct BlameReport<W> {
    out: W,
    width: usize,
    is_empty: bool,
}

impl<W: Write> BlameReport<W> {
    /// Returns a report to `out`, in lines of `width` columns.
    pub fn new(out: W, width: usize) -> Self {
        Self { out, width, is_empty: true }
    }
}

impl<W: Write + Send + Sync> Report for BlameReport<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes.iter().flat_map(Outcome::with_caused) {
            if !text.is_empty() {
                writeln!(text)?;
            }
            write_outcome(&mut text, outcome, self.width)?;
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        if !rendered.is_empty() && !self.is_empty {
            writeln!(self.out)?;
        }
        self.is_empty &= rendered.is_empty();
        self.out.write_all(rendered)
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_outcome(out: &mut Vec<u8>, outcome: &Outcome, width: usize) -> io::Result<()> {
    let mark = if outcome.allowed() { "✓".green() } else { "✗".red() };
    let subject = Subject::of(outcome).to_string();
    writeln!(out, "{mark} {}", printable(&subject).bold())?;
    if let Some(status) = outcome.status() {
        let who = outcome.denied_by().unwrap_or(Summary::API_SERVER);
        return writeln!(out, "{} denied it: {}", who.red(), printable(&status.message));
    }
    let Some((object, blame)) = blame_of(outcome).filter(|_| outcome.object.is_some()) else { return Ok(()) };
    let mut text = String::new();
    // The text is complete, even where Go would refuse to write it.
    let _ = kube_yaml::write_yaml(&object.value, &mut text);
    let file = outcome.place.as_ref().map(Place::file).unwrap_or_default();
    let lines = lines(&text, &blame).into_iter().zip(text.lines());
    let lines = lines.map(|(origin, text)| BlamedLine {
        origin: label(&origin, file),
        on: origin.kind(),
        text: text.to_owned(),
    });
    write_lines(out, &lines.collect::<Vec<_>>(), width)
}

/// Returns the final object of `outcome`, or that before the refusal.
pub(crate) fn last_object(outcome: &Outcome) -> Option<&Arc<Object>> {
    let changed =
        || outcome.trace.steps.iter().rev().find_map(|step| step.change.as_ref()).map(|(_, after)| after);
    let received = outcome.received.as_ref()?;
    Some(outcome.object.as_ref().or_else(changed).unwrap_or(received))
}

/// Returns the [`last_object`] of `outcome`, and the origin of each of its values.
pub(crate) fn blame_of(outcome: &Outcome) -> Option<(Arc<Object>, Blame<'_>)> {
    let (received, object) = (outcome.received.as_ref()?, last_object(outcome)?);
    let otherwise = match (&outcome.cause, outcome.operation) {
        (Some(cause), _) => Origin::Controller(cause.controller),
        (None, Operation::Update) => Origin::Stored,
        (None, _) => Origin::Default,
    };
    let written = outcome.place.as_ref().and_then(Place::written);
    let mut blame =
        match written.as_ref().and_then(|written| Some((written.node()?, written.place().source()))) {
            Some((node, source)) => {
                let defaulted = outcome.cause.is_some().then(|| defaulted(&outcome.kind, node));
                let rest = Rest { defaulted: defaulted.as_ref(), otherwise };
                let mut blame =
                    Blame::of_manifest(&received.value, node, source, rest, outcome.cause.is_none());
                if received.kind.is(kinds::SECRET) {
                    blame.read_plain_text(node, source);
                }
                blame
            }
            None => Blame::of_one(&received.value, &otherwise),
        };
    let mut last = received;
    for step in &outcome.trace.steps {
        if let Some((before, after)) = &step.change {
            blame.change(&last.value, &before.value, &Origin::Server);
            let mut state = before;
            for edit in &step.edits {
                blame.change(&state.value, &edit.before.value, &Origin::of(step));
                let origin = Origin::Plugin(step.plugin, Because::Hook(&edit.hook));
                blame.change(&edit.before.value, &edit.after.value, &origin);
                state = &edit.after;
            }
            blame.change(&state.value, &after.value, &Origin::of(step));
            last = after;
        }
    }
    blame.change(&last.value, &object.value, &Origin::Server);
    Some((object.clone(), blame))
}

/// Returns the value of `node`, with the API defaults of an object of `kind`.
fn defaulted(kind: &GroupVersionKind, node: &Node) -> Value {
    let mut object = Object::new(kind.clone(), node.clone().into_value());
    kube_registry::set_defaults(&mut object, &ServerProfile::default());
    object.value
}

/// Returns the origin of each line of `text`, which is the object of `blame`.
pub(super) fn lines<'b>(text: &str, blame: &Blame<'b>) -> Vec<Origin<'b>> {
    blamed_lines(text, blame).into_iter().map(|(origin, _)| origin).collect()
}

/// Returns the origin of each line of `text`, which is the object of `blame`, and the field on it.
pub(crate) fn blamed_lines<'b>(text: &str, blame: &Blame<'b>) -> Vec<(Origin<'b>, Option<Path>)> {
    let source = SourceFile::new("", text);
    let mut lines = vec![(blame.origin, None); text.lines().count()];
    if let Some(Ok(document)) = kube_yaml::read(&source).next() {
        mark(&document.node, None, blame, &source, &mut lines);
    }
    lines
}

/// Marks the lines of `node` with its origin, and those of its parts with theirs.
fn mark<'b>(
    node: &Node,
    path: Option<&Path>,
    blame: &Blame<'b>,
    source: &SourceFile,
    lines: &mut [(Origin<'b>, Option<Path>)],
) {
    let parts: Vec<(usize, Path, &Node, &Blame<'b>)> = match (&node.data, &blame.children, path) {
        (Data::Object(entries), Children::Map(children), _) => entries
            .iter()
            .filter_map(|entry| {
                let child = children.get(entry.key.as_str())?;
                Some((entry.key_span.start, below(path, &entry.key), &entry.value, child))
            })
            .collect(),
        (Data::Array(items), Children::List(children), Some(path)) => items
            .iter()
            .zip(children)
            .enumerate()
            .map(|(index, (item, child))| (item.span.start, path.index(index), item, child))
            .collect(),
        _ => Vec::new(),
    };
    for (start, path, node, blame) in parts {
        let (first, _) = source.line_column(start);
        let (last, _) = source.line_column(node.span.end.saturating_sub(1).max(start));
        let last = last.min(lines.len());
        lines[first - 1..last].fill((blame.origin, Some(path.clone())));
        mark(node, Some(&path), blame, source, lines);
    }
}

/// Returns the words for `origin`; those of the manifest are in `file`.
pub(crate) fn label(origin: &Origin<'_>, file: &str) -> String {
    match origin {
        Origin::Manifest(line) => format!("{file}:{line}"),
        Origin::Stored => "stored object".to_owned(),
        Origin::Default => "API default".to_owned(),
        Origin::Server => Summary::API_SERVER.to_owned(),
        Origin::Others => "others".to_owned(),
        Origin::Controller(name) => (*name).to_owned(),
        Origin::Plugin(_, Because::Hook(hook)) => hook.with_kind(),
        Origin::Plugin(plugin, Because::Objects(sources)) => {
            let objects: Vec<String> = sources.iter().map(Evidence::object).collect();
            match objects.as_slice() {
                [] => (*plugin).to_owned(),
                [object] if object.starts_with(&format!("{plugin} ")) => object.clone(),
                objects => format!("{plugin} ({})", objects.join(", ")),
            }
        }
    }
}
