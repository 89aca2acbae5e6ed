//! Changes by a plugin, line by line.

use std::ops::Range;

use similar::{ChangeTag, TextDiff};

use crate::report::fold::fold;
use crate::report::printable::printable;
use kube_api::Object;

use yaml::{Line, Way};

mod yaml;

/// Rows of one value, at most.
const MAX_ROWS: usize = 6;

/// A line of either state, and whether the other has it too.
struct Changed<'a> {
    tag: ChangeTag,
    line: &'a Line,
}

/// Changes that are shown together, and the innermost field around them.
struct Hunk {
    way: Way,
    lines: Range<usize>,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The field that the rows after this one are inside of.
    Inside(String),
    /// In the state after.
    Added(String),
    /// In the state before.
    Removed(String),
}

/// Returns the difference of two states of an object in rows of at most `width` characters. Every hunk is headed by the
/// field that it is inside of; what did not change is not shown.
pub(super) fn rows(before: &Object, after: &Object, width: usize) -> Vec<Row> {
    rows_of(before, after, width, MAX_ROWS)
}

fn rows_of(before: &Object, after: &Object, width: usize, most: usize) -> Vec<Row> {
    let (old, new) = (yaml::lines(&before.value), yaml::lines(&after.value));
    let lines = compare(&old, &new);
    let mut rows = Vec::new();
    let mut last = None;
    for hunk in hunks(&lines) {
        if last.as_ref() != Some(&hunk.way) {
            rows.push(Row::Inside(yaml::display(&hunk.way)));
        }
        add_rows(&mut rows, &lines[hunk.lines], &hunk.way, (width, most));
        last = Some(hunk.way);
    }
    rows
}

/// Returns the difference of two states of an object in lines that begin with `-` and `+`, without the fields around them;
/// nothing is cut.
pub(crate) fn difference(before: &Object, after: &Object, width: usize) -> Vec<String> {
    let rows = rows_of(before, after, width.saturating_sub(2), usize::MAX);
    let lines = rows.into_iter().filter_map(|row| match row {
        Row::Inside(_) => None,
        Row::Removed(text) => Some(format!("- {text}")),
        Row::Added(text) => Some(format!("+ {text}")),
    });
    lines.collect()
}

fn compare<'a>(old: &'a [Line], new: &'a [Line]) -> Vec<Changed<'a>> {
    let old_texts: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
    let new_texts: Vec<&str> = new.iter().map(|line| line.text.as_str()).collect();
    let diff = TextDiff::from_slices(&old_texts, &new_texts);
    let changes = diff.iter_all_changes().filter_map(|change| {
        let line = match (change.new_index(), change.old_index()) {
            (Some(index), _) => &new[index],
            (None, index) => &old[index?],
        };
        Some(Changed { tag: change.tag(), line })
    });
    changes.collect()
}

/// Groups changes that are close to each other and inside of the same field.
fn hunks(lines: &[Changed<'_>]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut start = 0;
    for run in lines.chunk_by(|left, right| (left.tag == ChangeTag::Equal) == (right.tag == ChangeTag::Equal))
    {
        let range = start..start + run.len();
        start = range.end;
        if run[0].tag == ChangeTag::Equal {
            continue;
        }
        let ways = run.iter().map(|changed| changed.line.holder());
        let way = ways.reduce(yaml::shared).unwrap_or_default().to_vec();
        hunks.push(Hunk { way, lines: range });
    }
    hunks
}

fn add_rows(rows: &mut Vec<Row>, lines: &[Changed<'_>], way: &[yaml::Step], limits: (usize, usize)) {
    let texts: Vec<String> = lines.iter().map(|changed| changed.line.text_in(way)).collect();
    let indent = texts.iter().map(|text| indent_of(text)).min().unwrap_or(0);
    for (changed, text) in lines.iter().zip(&texts) {
        let row = if changed.tag == ChangeTag::Delete { Row::Removed } else { Row::Added };
        rows.extend(folded(&text[indent..], limits).into_iter().map(row));
    }
}

/// Returns `text` in rows of at most `width` characters; one of more than `most` rows is cut.
fn folded(text: &str, (width, most): (usize, usize)) -> Vec<String> {
    let text = &*printable(text);
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let indent = " ".repeat((indent_of(text) + 4).min(width / 2));
    let mut rows = fold(text, width.saturating_sub(indent.len()));
    for row in rows.iter_mut().skip(1) {
        row.insert_str(0, &indent);
    }
    if rows.len() > most {
        rows.truncate(most);
        rows.push(format!("{indent}… ({} characters)", text.trim_start().chars().count()));
    }
    rows
}

fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::{GroupVersionKind, Value};

    fn difference(kind: &'static str, before: Value, after: Value) -> String {
        let object = |value| Object::new(GroupVersionKind::new("", "v1", kind), value);
        let lines = rows(&object(before), &object(after), 54).into_iter().map(|row| match row {
            Row::Inside(field) => format!("@ {field}\n"),
            Row::Added(text) => format!("+ {text}\n"),
            Row::Removed(text) => format!("- {text}\n"),
        });
        lines.collect()
    }

    #[test]
    fn a_hunk_shows_the_field_that_it_is_inside_of_and_nothing_else() {
        let before =
            json!({"spec": {"containers": [{"image": "a", "resources": {}}], "dnsPolicy": "Default"}});
        let after = json!({"spec": {
            "containers": [{"image": "a", "resources": {"limits": {"cpu": 1}}}],
            "dnsPolicy": "Default",
            "priority": 0,
        }});
        assert_eq!(
            difference("Pod", before, after),
            concat!(
                "@ spec.containers[0]\n",
                "- resources: {}\n",
                "+ resources:\n",
                "+   limits:\n",
                "+     cpu: 1\n",
                "@ spec\n",
                "+ priority: 0\n",
            )
        );
    }

    #[test]
    fn a_new_item_belongs_to_its_list() {
        let before = json!({"metadata": {"finalizers": ["a"]}});
        let after = json!({"metadata": {"finalizers": ["a", "b"]}});
        assert_eq!(difference("Pod", before, after), "@ metadata.finalizers\n+ - b\n");
    }

    #[test]
    fn a_change_at_the_root_has_no_name() {
        assert_eq!(difference("Pod", json!({}), json!({"spec": 1})), "@ \n- {}\n+ spec: 1\n");
    }

    #[test]
    fn long_values_are_folded() {
        let after = json!({"metadata": {"name": "a", "note": "word ".repeat(30)}});
        let text = difference("Pod", json!({"metadata": {"name": "a"}}), after);
        assert!(text.lines().all(|line| line.chars().count() <= 56), "{text}");
        assert_eq!(text.matches("word").count(), 30, "{text}");
    }
}
