//! The edits for one refusal, for an editor.

use similar::{DiffOp, TextDiff};

use crate::admission::Cost;
use crate::evaluation::{Evaluator, Outcome};
use crate::fix::propose::remedies_of;
use gotext::source::{SourceFile, Span};
use kube_api::field::Path;

/// Returns the replacements in the file of `outcome` after which it is not refused for this reason; nothing unless each
/// has one right value. They are those that [`find`](crate::fix::find) tries first.
pub fn edits(outcome: &Outcome, evaluator: &Evaluator) -> Option<Vec<(Span, String)>> {
    let place = outcome.place.as_ref().filter(|place| !place.is_review())?;
    let remedies = remedies_of(outcome, evaluator);
    if remedies.is_empty() || remedies.iter().any(|remedy| remedy.cost != Cost::Nothing) {
        return None;
    }
    let before = place.source().text();
    let mut text = before.to_owned();
    for remedy in remedies {
        let change = match place.position() {
            Some(position) => remedy.change.within(&Path::new("items").index(position)),
            None => remedy.change,
        };
        let source = SourceFile::new(place.file(), text.as_str());
        let document =
            kube_yaml::read(&source).flatten().find(|document| document.index == place.document)?;
        text = kube_yaml::edit(&document, &change)?.apply(&text);
    }
    Some(replacements(before, &text))
}

/// Returns the lines of `before` that differ, each with those of `after`.
fn replacements(before: &str, after: &str) -> Vec<(Span, String)> {
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
