//! One request: a row, and its details below it.

use std::collections::BTreeMap;

use askama::Template;

use crate::admission::Step;
use crate::evaluation::{Outcome, Place};
use crate::report::change::{self, Row as ChangeRow};
use crate::report::finding::{Finding, Spot};
use crate::report::html::tone;
use crate::report::subject::Subject;
use crate::report::{Fixtures, Severity};
use kube_api::Object;

/// A row of the table.
#[derive(Template)]
#[template(path = "html/row.html")]
pub(in crate::report) struct Row {
    pub(in crate::report) verdict: String,
    pub(in crate::report) tone: &'static str,
    pub(in crate::report) subject: String,
    pub(in crate::report) kind: String,
    pub(in crate::report) namespace: String,
    pub(in crate::report) place: String,
    /// The plugins that did something.
    pub(in crate::report) plugins: Vec<&'static str>,
    pub(in crate::report) is_caused: bool,
    pub(in crate::report) blocks: Vec<Block>,
    /// The events and the plugins that caused them, for the totals.
    pub(in crate::report) doings: Vec<(Doing, &'static str)>,
}

/// A column of the totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Doing {
    Denied,
    Warned,
    Changed,
}

/// A detail of a request.
pub(in crate::report) struct Block {
    pub(in crate::report) tone: &'static str,
    pub(in crate::report) title: String,
    pub(in crate::report) is_open: bool,
    pub(in crate::report) message: String,
    pub(in crate::report) place: String,
    pub(in crate::report) frame: Vec<FrameLine>,
    pub(in crate::report) reasons: Vec<String>,
    pub(in crate::report) diff: Vec<DiffLine>,
}

/// A line of a file, or the gap between two lines.
pub(in crate::report) struct FrameLine {
    number: Option<usize>,
    parts: Vec<Part>,
}

/// A part of a line.
struct Part {
    text: String,
    is_marked: bool,
}

/// A line of a difference.
pub(in crate::report) struct DiffLine {
    class: &'static str,
    sign: &'static str,
    text: String,
}

/// The columns of a difference.
const WIDTH: usize = 110;

impl Block {
    pub(in crate::report) fn new(tone: &'static str, title: String) -> Self {
        Self {
            tone,
            title,
            is_open: false,
            message: String::new(),
            place: String::new(),
            frame: Vec::new(),
            reasons: Vec::new(),
            diff: Vec::new(),
        }
    }

    fn of(finding: &Finding<'_>) -> Self {
        let accepted = finding.accepted.map(|accepted| format!(", {accepted}")).unwrap_or_default();
        let (tone, title) = match finding.severity {
            Severity::Error => ("denied", format!("{} denied it ({}){accepted}", finding.rule, finding.code)),
            severity => (tone(severity), format!("{} warned{accepted}", finding.rule)),
        };
        let is_accepted = finding.accepted.is_some();
        Self {
            is_open: !is_accepted,
            message: finding.message.to_owned(),
            place: finding.place().unwrap_or_default(),
            frame: frame_of(&finding.spots, &finding.excerpts),
            reasons: finding.reasons.iter().map(ToString::to_string).collect(),
            ..Self::new(if is_accepted { "quiet" } else { tone }, title)
        }
    }

    fn of_change(step: &Step, before: &Object, after: &Object) -> Self {
        let again = if step.reinvocation { " once more" } else { "" };
        let title = format!("{} changed it{again}{}", step.plugin, step.authors());
        Self { diff: diff_lines(before, after), ..Self::new("changed", title) }
    }
}

impl Row {
    /// Returns the rows of `outcome` and of those that it caused.
    pub(super) fn of(outcome: &Outcome, fixtures: &Fixtures, diff: bool) -> Vec<Self> {
        let requests = Finding::by_request(outcome, fixtures).enumerate();
        requests
            .map(|(position, (request, findings))| Self::of_request(request, &findings, position > 0, diff))
            .collect()
    }

    fn of_request(request: &Outcome, findings: &[Finding<'_>], is_below: bool, diff: bool) -> Self {
        let subject = Subject::of(request);
        let mut blocks: Vec<Block> = findings.iter().map(Block::of).collect();
        let doing = |finding: &Finding<'_>| match finding.severity {
            Severity::Error => (Doing::Denied, finding.rule),
            _ => (Doing::Warned, finding.rule),
        };
        let mut doings: Vec<_> = findings.iter().map(doing).collect();
        for step in &request.trace.steps {
            let Some((before, after)) = &step.change else { continue };
            doings.push((Doing::Changed, step.plugin));
            let is_cause = || request.refusal.as_ref().is_some_and(|refusal| step.is_blamed(refusal));
            if diff && (request.allowed() || is_cause()) {
                blocks.push(Block::of_change(step, before, after));
            }
        }
        let mut plugins: Vec<&'static str> = doings.iter().map(|(_, plugin)| *plugin).collect();
        plugins.sort_unstable();
        plugins.dedup();
        let is_warned = findings.iter().any(|finding| finding.severity == Severity::Warning);
        let (verdict, tone) = match (request.allowed(), request.fails()) {
            (false, true) => ("denied", "denied"),
            (false, false) => ("denied, accepted", "quiet"),
            (true, _) if is_warned => ("warned", "warned"),
            (true, _) if request.mutated() => ("changed", "changed"),
            (true, _) => ("admitted", "good"),
        };
        Self {
            verdict: verdict.to_owned(),
            tone,
            kind: subject.kind.to_owned(),
            namespace: subject.namespace.to_owned(),
            place: request.place.as_ref().map(place).unwrap_or_default(),
            subject: if is_below { subject.below_owner() } else { subject.to_string() },
            plugins,
            is_caused: is_below,
            blocks,
            doings,
        }
    }
}

fn place(place: &Place) -> String {
    format!("{}:{}", place.file(), place.line_column().0)
}

/// Returns the difference between two states of an object.
pub(in crate::report) fn diff_lines(before: &Object, after: &Object) -> Vec<DiffLine> {
    let line = |row| {
        let (class, sign, text) = match row {
            ChangeRow::Inside(field) => ("inside", "@@ ", field),
            ChangeRow::Added(text) => ("added", "+ ", text),
            ChangeRow::Removed(text) => ("removed", "- ", text),
        };
        DiffLine { class, sign, text }
    };
    change::rows(before, after, WIDTH).into_iter().map(line).collect()
}

/// Returns the lines of `excerpts`, each with the number of its first line, with `spots` marked.
pub(in crate::report) fn frame_of(spots: &[Spot<'_>], excerpts: &[(usize, String)]) -> Vec<FrameLine> {
    let mut lines: BTreeMap<usize, &str> = BTreeMap::new();
    for (first, text) in excerpts {
        lines.extend((*first..).zip(text.lines()));
    }
    let mut frame = Vec::new();
    let mut next = None;
    for (number, text) in lines {
        if next.is_some_and(|next| next != number) {
            frame.push(FrameLine { number: None, parts: Vec::new() });
        }
        next = Some(number + 1);
        let marks = spots.iter().filter(|spot| spot.line == Some(number)).filter_map(|spot| spot.columns);
        frame.push(FrameLine { number: Some(number), parts: parts(text, marks.collect()) });
    }
    frame
}

/// Splits `text` into parts. Columns are counted from 1 in characters; the second is the one after the last.
fn parts(text: &str, mut marks: Vec<(usize, usize)>) -> Vec<Part> {
    marks.sort_unstable();
    let characters: Vec<char> = text.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    let mut push = |range: std::ops::Range<usize>, is_marked| {
        let text: String = characters[range].iter().collect();
        if !text.is_empty() {
            parts.push(Part { text, is_marked });
        }
    };
    for (first, after) in marks {
        let from = first.saturating_sub(1).clamp(at, characters.len());
        let to = after.saturating_sub(1).clamp(from, characters.len());
        push(at..from, false);
        push(from..to, true);
        at = to;
    }
    push(at..characters.len(), false);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, marks: &[(usize, usize)]) -> String {
        let mark = |part: Part| if part.is_marked { format!("[{}]", part.text) } else { part.text };
        parts(text, marks.to_vec()).into_iter().map(mark).collect()
    }

    #[test]
    fn columns_are_marked_in_characters() {
        assert_eq!(shown("ä: b", &[(4, 5)]), "ä: [b]");
        assert_eq!(shown("a: b", &[(4, 90), (1, 2)]), "[a]: [b]");
        assert_eq!(shown("a: b", &[(1, 5), (2, 3)]), "[a: b]");
        assert_eq!(shown("a", &[(7, 9)]), "a");
    }

    #[test]
    fn what_is_left_out_between_lines_is_a_gap() {
        let excerpts = [(4, "d\ne".to_owned()), (1, "a".to_owned()), (5, "e\nf".to_owned())];
        let numbers: Vec<_> = frame_of(&[], &excerpts).iter().map(|line| line.number).collect();
        assert_eq!(numbers, [Some(1), None, Some(4), Some(5), Some(6)]);
    }
}
