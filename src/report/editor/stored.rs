//! The objects that the server stores, as YAML with comments on the origin of values that are not in the manifest.

use crate::evaluation::Outcome;

use crate::report::blame::{self, origin::Origin};
use crate::report::printable::printable;
use crate::report::subject::Subject;
use crate::report::{Summary, masked};
use gotext::source::{Data, Node, SourceFile};

/// Returns one document for each object that the requests of `outcomes` store, including those of controllers. Refused
/// ones are comments.
pub fn stored<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let mut text = String::new();
    for outcome in outcomes.flat_map(Outcome::with_caused) {
        if !text.is_empty() {
            text.push_str("---\n");
        }
        push(&mut text, outcome);
    }
    text
}

fn push(out: &mut String, outcome: &Outcome) {
    let mark = if outcome.allowed() { "✓" } else { "✗" };
    push_comment(out, &format!("{mark} {}", Subject::of(outcome)));
    if let Some(status) = outcome.status() {
        let who = outcome.denied_by().unwrap_or(Summary::API_SERVER);
        push_comment(out, &format!("{who} denied it: {}", status.message));
        return;
    }
    let Some((object, blame)) = blame::blame_of(outcome) else { return };
    let (value, _) = masked(&object.kind, &object.value, &object.value);
    let mut text = String::new();
    if let Err(error) = kube_yaml::write_yaml(&value, &mut text) {
        push_comment(out, &error.to_string());
    }
    let origins = blame::lines(&text, &blame);
    let has_comments = may_have_comment(&text);
    let width = text.lines().map(|line| line.chars().count()).max().unwrap_or_default().min(WIDEST);
    for ((line, origin), may_have) in text.lines().zip(&origins).zip(has_comments) {
        out.push_str(&printable(line));
        if may_have && !matches!(origin, Origin::Manifest(_)) {
            let padding = width.saturating_sub(line.chars().count());
            out.push_str(&" ".repeat(padding));
            out.push_str("  # ");
            out.push_str(&printable(&blame::label(origin, "")));
        }
        out.push('\n');
    }
}

/// Comments are aligned in one column up to this width.
const WIDEST: usize = 60;

fn push_comment(out: &mut String, text: &str) {
    for line in printable(text).lines() {
        out.push_str("# ");
        out.push_str(line);
        out.push('\n');
    }
}

/// Returns whether each line may end with a comment, which is not possible within multi-line text.
fn may_have_comment(text: &str) -> Vec<bool> {
    let source = SourceFile::new("", text);
    let mut lines = vec![true; text.lines().count()];
    if let Some(Ok(document)) = kube_yaml::read(&source).next() {
        forbid(&document.node, &source, &mut lines);
    }
    lines
}

fn forbid(node: &Node, source: &SourceFile, lines: &mut [bool]) {
    match &node.data {
        Data::Object(entries) => entries.iter().for_each(|entry| forbid(&entry.value, source, lines)),
        Data::Array(items) => items.iter().for_each(|item| forbid(item, source, lines)),
        Data::String(_) => {
            let (first, _) = source.line_column(node.span.start);
            let (last, _) = source.line_column(node.span.end.saturating_sub(1).max(node.span.start));
            if first < last {
                let last = last.min(lines.len());
                lines[first - 1..last].fill(false);
            }
        }
        _ => {}
    }
}
