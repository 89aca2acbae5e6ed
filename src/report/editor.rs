//! Results of a run for an editor: marks in the text, origins of lines, edits, and the objects that the server stores.
//!
//! All text is printable, without the contents of Secrets.

mod complete;
mod explain;
mod expression;
mod hints;
mod lens;
mod skip;
mod stored;

use crate::admission::{Change, Cost};
use crate::evaluation::{Outcome, Place};
use crate::plugin;
use crate::plugin::pod_security_levels::{Level, Standards};
use crate::report::edits::edits_of;
use crate::report::finding::{API_SERVER, Finding, INPUT, Spot};
use crate::report::printable::printable;
use crate::report::sarif::fix as sarif_fix;
use crate::report::{Diagnostic, Fixtures, Severity, shown};
use gotext::source::{SourceFile, Span};
use kube_api::version::Version;

/// The edits that `kadmit fix` tries first.
pub use crate::report::edits::edits as fix;
pub use complete::{Completion, Names, complete};
pub use explain::{Explanation, explain};
pub use hints::{Hint, hints};
pub use lens::{Lens, lenses};
pub use skip::skip;
pub use stored::stored;

/// The code of a note about a request, which is not an error of it.
pub const NOTE: &str = "Note";

/// Where the project is.
pub const PROJECT: &str = env!("CARGO_PKG_REPOSITORY");

/// Where Kubernetes documents its plugins, with an anchor for each.
const PLUGINS: &str = "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/";

/// A part of one line of a file; lines and columns are counted from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// The file.
    pub file: String,
    /// The line, if it is known.
    pub line: Option<usize>,
    /// The first column and the one after the last; without them, the whole line.
    pub columns: Option<(usize, usize)>,
}

/// A refusal, a warning or an error in the input, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The severity.
    pub severity: Severity,
    /// Its rule: a plugin, the server or that of the input.
    pub rule: &'static str,
    /// Its code: the reason of a refusal, or the code of a [`Diagnostic`].
    pub code: String,
    /// The whole message.
    pub message: String,
    /// Its place.
    pub line: FileLine,
    /// Related places, each with a message.
    pub related: Vec<(FileLine, String)>,
    /// Whether a skip with a reason can accept it.
    pub can_be_skipped: bool,
}

/// An edit that fixes something, with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The effect of the edit.
    pub title: String,
    /// The replaced spans and their replacements, in the order of the file.
    pub replacements: Vec<(Span, String)>,
}

/// Returns the edit that fixes an error in the input; nothing if none is known.
pub fn mend(diagnostic: &Diagnostic) -> Option<Edit> {
    let title = match &diagnostic.edits[..] {
        [] => return None,
        [(_, text)] => format!("Write {text}"),
        _ => "Write the version that is served, and move the fields".to_owned(),
    };
    Some(Edit { title, replacements: diagnostic.edits.clone() })
}

/// Returns the marks of `outcome` and of the requests that it caused, except those that the user accepts.
pub fn marks(outcome: &Outcome, fixtures: &Fixtures) -> Vec<Mark> {
    let outcome = &*shown(outcome);
    let requests = Finding::by_request(outcome, fixtures).flat_map(|(request, findings)| {
        let unaccepted = findings.into_iter().filter(|finding| finding.accepted.is_none());
        unaccepted.filter_map(|finding| {
            let mark = mark(&finding)?;
            Some(if finding.severity == Severity::Error { in_expression(mark, request) } else { mark })
        })
    });
    requests.chain(notes(outcome)).collect()
}

/// Returns `mark` at the parts of expressions that the compiler refuses, if that is why `request` is refused.
fn in_expression(mark: Mark, request: &Outcome) -> Mark {
    let place = request.place.as_ref();
    let (Some(place), Some(refusal)) = (place, &request.refusal) else { return mark };
    let errors = refusal.errors.iter().filter(|error| error.detail.contains("<input>:"));
    let Some(written) = place.written() else { return mark };
    let mut places = errors.filter_map(|error| {
        let span = written.find(error.path.as_ref()?).span();
        let span = expression::place_in(place.source(), span, &error.detail)?;
        Some((FileLine::at(place.source(), span), printable(&error.detail).into_owned()))
    });
    match places.next() {
        Some((line, _)) => Mark { line, related: places.chain(mark.related).collect(), ..mark },
        None => mark,
    }
}

/// Returns what is assumed about the request for `outcome`, and what else it has a note about.
fn notes(outcome: &Outcome) -> impl Iterator<Item = Mark> {
    let place = outcome.place.as_ref();
    let written = place.and_then(|place| Some((place, place.written()?.mark_whole())));
    let notes = written.into_iter().flat_map(|at| outcome.trace.notes.iter().map(move |note| (at, note)));
    notes.map(|((place, span), note)| Mark {
        severity: Severity::Note,
        rule: API_SERVER,
        code: NOTE.to_owned(),
        message: printable(note).into_owned(),
        line: FileLine::at(place.source(), span),
        related: Vec::new(),
        can_be_skipped: false,
    })
}

/// Returns the mark of an error in the input, if it has a place.
pub fn mark_of(diagnostic: &Diagnostic) -> Option<Mark> {
    let mark = mark(&Finding::of_diagnostic(diagnostic))?;
    let of_expression = diagnostic.source.as_ref().and_then(|(source, span)| {
        Some(FileLine::at(source, expression::place_in(source, *span, &diagnostic.message)?))
    });
    Some(Mark { line: of_expression.unwrap_or(mark.line), ..mark })
}

fn mark(finding: &Finding<'_>) -> Option<Mark> {
    let mut spots = finding.spots.iter();
    let line = FileLine::of(spots.next()?);
    let caused = finding.subject.as_ref().filter(|subject| subject.is_caused()).map(ToString::to_string);
    let lines = [Some(finding.message), caused.as_deref()].into_iter().flatten();
    let lines = lines.chain(finding.reasons.iter().map(|reason| reason.text.as_str())).chain(finding.help);
    let message = lines.collect::<Vec<_>>().join("\n");
    let also = spots.map(|spot| {
        let field = spot.field.map(ToString::to_string).unwrap_or_default();
        (FileLine::of(spot), printable(&field).into_owned())
    });
    let reasons = finding.reasons.iter().filter_map(|reason| {
        let (file, line) = reason.place.clone()?;
        Some((FileLine { file, line: Some(line), columns: None }, printable(&reason.text).into_owned()))
    });
    Some(Mark {
        severity: finding.severity,
        rule: finding.rule,
        code: printable(&finding.code).into_owned(),
        message: printable(&message).into_owned(),
        line,
        related: also.chain(reasons).collect(),
        can_be_skipped: finding.rule != INPUT,
    })
}

/// Returns the address of the page about the rule of `mark`, if it is a plugin of the current Kubernetes.
pub fn page_about(mark: &Mark) -> Option<String> {
    let plugin = plugin::of_release(Version::BINARY).into_iter().find(|plugin| plugin.name == mark.rule)?;
    Some(format!("{PLUGINS}#{}", plugin.name.to_lowercase()))
}

/// Returns the edit after which the Pods of the object at `outcome` comply with the level restricted, wherever they
/// run; nothing if they do, or if no edit does that.
pub fn restrict(outcome: &Outcome, release: Version) -> Option<Edit> {
    let (object, place) = (outcome.received.as_ref()?, outcome.place.as_ref()?);
    let remedies = Standards::new(release).remedies(Level::Restricted, object)?;
    let removed: Vec<String> = remedies
        .iter()
        .filter(|remedy| remedy.cost != Cost::Nothing)
        .map(|remedy| remedy.change.path.to_string())
        .collect();
    let removes =
        if removed.is_empty() { String::new() } else { format!(", without {}", removed.join(", ")) };
    let title = printable(&format!("Make it pass restricted{removes}")).into_owned();
    let changes: Vec<Change> = remedies.into_iter().map(|remedy| remedy.change).collect();
    Some(Edit { title, replacements: edits_of(place, &changes)? })
}

/// Returns the edits that add values set by plugins to the manifest of `outcome`.
pub fn edits(outcome: &Outcome) -> Vec<Edit> {
    let is_manifest = outcome.place.as_ref().is_some_and(|place| !place.is_review());
    if !(is_manifest && outcome.allowed() && outcome.cause.is_none()) {
        return Vec::new();
    }
    let Some(written) = outcome.place.as_ref().and_then(Place::written) else { return Vec::new() };
    let changes = outcome.trace.steps.iter().filter_map(|step| {
        let (before, after) = step.change.as_ref()?;
        let edits = sarif_fix::edits(&written, before, after)?.into_iter();
        let replacements = edits.map(|edit| (Span::new(edit.offset..edit.offset + edit.length), edit.text));
        let title = format!("Write what {} sets", step.plugin);
        Some(Edit { title, replacements: replacements.collect() })
    });
    changes.collect()
}

impl FileLine {
    fn at(source: &SourceFile, span: Span) -> Self {
        let (line, columns) = source.columns(span);
        Self { file: source.name().to_owned(), line: Some(line), columns: Some(columns) }
    }

    fn of(spot: &Spot<'_>) -> Self {
        Self { file: spot.file.to_owned(), line: spot.line, columns: spot.columns }
    }
}
