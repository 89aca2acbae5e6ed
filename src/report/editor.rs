//! Results of a run for an editor: marks in the text, origins of lines, edits, and the objects that the server stores.
//!
//! All text is [`printable`], without the contents of Secrets.

mod explain;
mod skip;
mod stored;

use crate::admission::Cost;
use crate::evaluation::{Outcome, Place};
use crate::plugin::pod_security_levels::{Level, Standards};
use crate::report::edits::edits_of;
use crate::report::finding::{Finding, INPUT, Spot};
use crate::report::printable::printable;
use crate::report::sarif::fix as sarif_fix;
use crate::report::{Diagnostic, Fixtures, Severity, shown};
use gotext::source::Span;
use kube_api::version::Version;

/// The edits that `kadmit fix` tries first.
pub(crate) use crate::report::edits::edits as fix;
pub(crate) use explain::explain;
pub(crate) use skip::skip;
pub(crate) use stored::stored;

/// A part of one line of a file; lines and columns are counted from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLine {
    /// The file.
    pub(crate) file: String,
    /// The line, if it is known.
    pub(crate) line: Option<usize>,
    /// The first column and the one after the last; without them, the whole line.
    pub(crate) columns: Option<(usize, usize)>,
}

/// A refusal, a warning or an error in the input, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The severity.
    pub(crate) severity: Severity,
    /// Its rule: a plugin, the server or [`INPUT`].
    pub(crate) rule: &'static str,
    /// Its code: the reason of a refusal, or the code of a [`Diagnostic`].
    pub(crate) code: String,
    /// The whole message.
    pub(crate) message: String,
    /// Its place.
    pub(crate) line: FileLine,
    /// Related places, each with a message.
    pub(crate) related: Vec<(FileLine, String)>,
    /// Whether a skip with a reason can accept it.
    pub(crate) can_be_skipped: bool,
}

/// An edit that fixes something, with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The effect of the edit.
    pub(crate) title: String,
    /// The replaced spans and their replacements, in the order of the file.
    pub(crate) replacements: Vec<(Span, String)>,
}

/// Returns the marks of `outcome` and of the requests that it caused, except those that the user accepts.
pub(crate) fn marks(outcome: &Outcome, fixtures: &Fixtures) -> Vec<Mark> {
    let outcome = &*shown(outcome);
    Finding::unaccepted(outcome, fixtures).filter_map(|finding| mark(&finding)).collect()
}

/// Returns the mark of an error in the input, if it has a place.
pub(crate) fn mark_of(diagnostic: &Diagnostic) -> Option<Mark> {
    mark(&Finding::of_diagnostic(diagnostic))
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

/// Returns the edit after which the Pods of the object at `outcome` comply with the level restricted, wherever they
/// run; nothing if they do, or if no edit does that.
pub(crate) fn restrict(outcome: &Outcome, release: Version) -> Option<Edit> {
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
    Some(Edit { title, replacements: edits_of(place, &remedies)? })
}

/// Returns the edits that add values set by plugins to the manifest of `outcome`.
pub(crate) fn edits(outcome: &Outcome) -> Vec<Edit> {
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
    fn of(spot: &Spot<'_>) -> Self {
        Self { file: spot.file.to_owned(), line: spot.line, columns: spot.columns }
    }
}
