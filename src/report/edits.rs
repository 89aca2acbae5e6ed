//! The edits of files after which something is not refused.

use similar::{DiffOp, TextDiff};

use crate::admission::{Cost, Remedy};
use crate::evaluation::{Outcome, Place};
use gotext::source::{Begin, SourceFile, Span};
use kube_api::field::Path;

/// Replaced parts of a file, in its order, each with the text that replaces it.
pub(crate) type Replacements = Vec<(Span, String)>;

/// Returns the replacements in the file of `outcome` after which it is not refused for this reason; nothing unless each
/// has one right value. They are those that [`fix`](crate::fix::find) tries first.
pub fn edits(outcome: &Outcome) -> Option<Replacements> {
    let remedies = outcome.remedies();
    if remedies.is_empty() || remedies.iter().any(|remedy| remedy.cost != Cost::Nothing) {
        return None;
    }
    edits_of(outcome.place.as_ref()?, &remedies)
}

/// Returns the replacements that change the object at `place` as `remedies` say; nothing if no edit of its text does.
pub(crate) fn edits_of(place: &Place, remedies: &[Remedy]) -> Option<Replacements> {
    if place.is_review() {
        return None;
    }
    let span = place.document_span();
    let (line, column) = place.source().line_column(span.start);
    let begin = Begin { line, column, offset: span.start };
    let changes: Vec<_> = remedies.iter().map(|remedy| remedy.change.clone()).collect();
    let mut text = place.text().to_owned();
    for change in gotext::change::in_order(&changes) {
        let change = match place.position() {
            Some(position) => change.within(&Path::new("items").index(position)),
            None => change.clone(),
        };
        let source = SourceFile::part(place.file(), text.as_str(), begin);
        let document = kube_yaml::read(&source).next()?.ok()?;
        text = kube_yaml::edit(&document, &change)?.apply(&text);
    }
    let moved =
        |(part, text): (Span, String)| (Span::new(span.start + part.start..span.start + part.end), text);
    Some(replacements(place.text(), &text).into_iter().map(moved).collect())
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
