//! The edits of files after which something is not refused.

use similar::{DiffOp, TextDiff};

use crate::admission::{Change, Cost};
use crate::evaluation::{Outcome, Place, Successor, Written};
use gotext::source::Span;
use kube_api::field::Path;
use kube_yaml::Location;

/// Replaced parts of a file, in its order, each with the text that replaces it.
pub(crate) type Replacements = Vec<(Span, String)>;

/// Returns the replacements in the file of `outcome` after which it is not refused for this reason; nothing unless each
/// has one right value. They are those that [`fix`](crate::fix::find) tries first.
pub fn edits(outcome: &Outcome) -> Option<Replacements> {
    let remedies = outcome.remedies();
    if remedies.is_empty() || remedies.iter().any(|remedy| remedy.cost != Cost::Nothing) {
        return None;
    }
    let changes: Vec<Change> = remedies.into_iter().map(|remedy| remedy.change).collect();
    edits_of(outcome.place.as_ref()?, &changes)
}

/// Returns the replacements that change the object at `place` as `changes` say; nothing if no edit of its text does.
pub(crate) fn edits_of(place: &Place, changes: &[Change]) -> Option<Replacements> {
    if place.is_review() {
        return None;
    }
    let start = place.document_span().start;
    let (text, _) = kube_yaml::edit_all(place.text(), place.position(), changes)?;
    let moved = |(part, text): (Span, String)| (Span::new(start + part.start..start + part.end), text);
    Some(replacements(place.text(), &text).into_iter().map(moved).collect())
}

/// Returns the replacements after which the server has the kind of the object at `place`.
pub(super) fn to_successor(place: &Place, successor: &Successor) -> Option<Replacements> {
    if successor.moved.is_empty() {
        return version(place, &successor.api_version).map(|edit| vec![edit]);
    }
    let version = Change::set(Path::new("apiVersion"), successor.api_version.as_str());
    let changes: Vec<Change> = [version].into_iter().chain(successor.moved.iter().cloned()).collect();
    edits_of(place, &changes).filter(|edits| has_no_secret(place, edits))
}

/// Returns the edit that gives the object at `place` this `apiVersion`, in the quotes that it has.
pub(super) fn version(place: &Place, version: &str) -> Option<(Span, String)> {
    let Location::Exact { value, .. } = place.written()?.find(&Path::new("apiVersion")) else { return None };
    let written = &place.source().text()[value.start..value.end];
    let quote = written.chars().next().filter(|quote| ['"', '\''].contains(quote));
    let quote = quote.map(String::from).unwrap_or_default();
    Some((value, format!("{quote}{version}{quote}")))
}

/// Whether `edits` contain no value of a Secret: their lines may belong to the next object of a list.
pub(super) fn has_no_secret(place: &Place, edits: &Replacements) -> bool {
    let is_shown = |written: &Written<'_>, span: Span| {
        written.shown(span) == place.source().text()[span.start..span.end]
    };
    place.written().is_some_and(|written| edits.iter().all(|(span, _)| is_shown(&written, *span)))
}

/// Returns the lines of `before` that differ, each with those of `after`.
fn replacements(before: &str, after: &str) -> Replacements {
    let starts = |text: &str| -> Vec<usize> {
        let ends = text.split_inclusive('\n').scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old, new) = (starts(before), starts(after));
    let diff = TextDiff::from_lines(before, after);
    let changes = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changes
        .map(|op| {
            let (from, to) = (op.old_range(), op.new_range());
            (Span::new(old[from.start]..old[from.end]), after[new[to.start]..new[to.end]].to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_replaced() {
        let (before, after) = ("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 4\nc: 3\nd: 5\n");
        let mut text = before.to_owned();
        let replacements = replacements(before, after);
        assert_eq!(
            replacements,
            [(Span::new(5..10), "b: 4\n".to_owned()), (Span::new(15..15), "d: 5\n".to_owned())]
        );
        for (span, replacement) in replacements.iter().rev() {
            text.replace_range(span.start..span.end, replacement);
        }
        assert_eq!(text, after);
    }
}
