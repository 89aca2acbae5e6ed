//! Updates expectations in the text of the suite: values that differ are replaced one by one, so that comments and
//! everything else are kept. The new text is read again and must be the same suite except for that; else nothing is
//! changed.

use crate::suite::compare::{self, Change};
use crate::suite::write::{expectations, scalar};
use crate::suite::{Answers, Case, Field, Suite};
use gotext::source::{Data, Entry, Node, SourceFile, Span};
use kube_api::Value;
use kube_yaml::write_yaml;

/// The reason that the text cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The place of the obstacle.
    pub span: Span,
    /// The message.
    pub message: String,
}

impl Refusal {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}

/// The reason that a field is not removed.
const LOST_WITH_FIELD: &str = "a comment would be lost with this field; remove it by hand";

/// A new text for a part of the file.
struct Edit {
    span: Span,
    text: String,
}

pub(super) fn update(suite: &Suite, cases: &[(&Case, &Answers)]) -> Result<String, Vec<Refusal>> {
    let mut editor =
        Editor { text: suite.source.text(), source: &suite.source, edits: Vec::new(), refusals: Vec::new() };
    for (case, answers) in cases {
        if case.expectations.is_empty() {
            editor.add_expectations(case, answers);
        } else {
            editor.change(case, answers);
        }
    }
    if !editor.refusals.is_empty() {
        return Err(editor.refusals);
    }
    let text = editor.apply().map_err(|refusal| vec![refusal])?;
    verify(suite, cases, &text).map_err(|refusal| vec![refusal])?;
    Ok(text)
}

/// Whether `text` is the suite with the expectations of `cases` set to their answers, and no other differences.
fn verify(suite: &Suite, cases: &[(&Case, &Answers)], text: &str) -> Result<(), Refusal> {
    let refused = |case: Option<&Case>| {
        let span = case.map_or(suite.node.span, |case| case.span);
        Refusal::new(
            span,
            "the text cannot be changed here without changing something else; write it by hand",
        )
    };
    let source = SourceFile::new(suite.source.name(), text);
    let updated = Suite::read(&source).map_err(|_| refused(None))?;
    let is_changed = |case: &Case| cases.iter().any(|(changed, _)| changed.name == case.name);
    let rest = |suite: &Suite| {
        let mut value = suite.node.clone().into_value();
        let listed = value["cases"].as_array_mut().into_iter().flatten();
        for (value, case) in listed.zip(&suite.cases) {
            if is_changed(case)
                && let Some(case) = value.as_object_mut()
            {
                case.remove("expect");
            }
        }
        value
    };
    if rest(suite) != rest(&updated) {
        return Err(refused(None));
    }
    for (case, answers) in cases {
        let found = updated.cases.iter().find(|updated| updated.name == case.name);
        let holds =
            |case: &Case| !case.expectations.is_empty() && compare::case(case, answers, true).is_empty();
        if !found.is_some_and(holds) {
            return Err(refused(Some(case)));
        }
    }
    Ok(())
}

struct Editor<'a> {
    text: &'a str,
    source: &'a SourceFile,
    edits: Vec<Edit>,
    refusals: Vec<Refusal>,
}

impl Editor<'_> {
    fn refuse(&mut self, span: Span, message: &str) {
        self.refusals.push(Refusal::new(span, message));
    }

    /// Adds the answers as expectations after the other fields of a case.
    fn add_expectations(&mut self, case: &Case, answers: &Answers) {
        if self.text[case.span.start..].starts_with('{') {
            return self.refuse(case.span, "`expect` cannot be added to a case in braces; write it by hand");
        }
        let end = self.content_end(case.span);
        let end = end + self.text[end..].find(['\r', '\n']).unwrap_or(self.text.len() - end);
        let indent = " ".repeat(self.column(case.span.start));
        let mut text = format!("\n{indent}expect:");
        for line in expectations(answers) {
            text.extend(["\n", &indent, &line]);
        }
        self.edits.push(Edit { span: Span::new(end..end), text });
    }

    fn change(&mut self, case: &Case, answers: &Answers) {
        let mut changes: Vec<Change> = Vec::new();
        for failure in compare::case(case, answers, true) {
            let Some(change) = failure.change else {
                let message =
                    format!("there is no longer an answer about {}; change it by hand", failure.subject);
                self.refuse(failure.span, &message);
                continue;
            };
            let same = |known: &&Change| known.check.entry.value.span == change.check.entry.value.span;
            match changes.iter().find(same) {
                Some(known) if known.actual != change.actual => {
                    let message = "several requests differ here; select one with `of`";
                    self.refuse(failure.span, message);
                }
                Some(_) => {}
                None => changes.push(change),
            }
        }
        // A field that is removed for one request must be removed for all that it covers.
        let removed = |change: &Change| change.actual.is_null();
        let mut written: Vec<Span> = Vec::new();
        for change in &changes {
            let check = &change.check;
            if !removed(change) {
                self.exchange(&check.entry, &change.actual, self.is_flow(check.map));
                continue;
            }
            let gone = changes.iter().filter(|other| removed(other) && other.check.map == check.map).count();
            let replaces = gone == check.siblings && !written.contains(&check.map);
            if replaces {
                written.push(check.map);
                let span = Span::new(check.entry.key_span.start..self.content_end(check.entry.value.span));
                let text = format!("{}: {}", Field::Allowed.name(), change.allowed);
                self.edits.push(Edit { span, text });
            } else {
                self.remove(&check.entry, check.map);
            }
        }
    }

    /// Removes a field from its map, together with its lines.
    fn remove(&mut self, entry: &Entry, map: Span) {
        let (start, end) = (entry.key_span.start, self.content_end(entry.value.span));
        if self.is_flow(map) {
            let behind = &self.text[end..map.end];
            let blanks = behind.len() - behind.trim_start().len();
            let span = if behind[blanks..].starts_with(',') {
                let next = &behind[blanks + 1..];
                Span::new(start..end + blanks + 1 + (next.len() - next.trim_start().len()))
            } else {
                let before = self.text[map.start..start].trim_end();
                let kept = before.strip_suffix(',').or(before.ends_with('{').then_some(before));
                let Some(kept) = kept else {
                    return self.refuse(entry.key_span, LOST_WITH_FIELD);
                };
                Span::new(map.start + kept.trim_end().len()..end)
            };
            if self.text[span.start..start].contains('#') || self.text[end..span.end].contains('#') {
                return self.refuse(entry.key_span, LOST_WITH_FIELD);
            }
            return self.edits.push(Edit { span, text: String::new() });
        }
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[end..].find('\n').map_or(self.text.len(), |newline| end + newline + 1);
        if self.text[line_start..start].trim().is_empty() {
            return self.edits.push(Edit { span: Span::new(line_start..line_end), text: String::new() });
        }
        // The first field of an item shares its line with the dash: the next field takes its place.
        let behind = &self.text[end..map.end.max(end)];
        let next = end + behind.len() - behind.trim_start().len();
        if next >= self.content_end(map) || self.text[end..].trim_start().starts_with('#') {
            return self.refuse(entry.key_span, "nothing can replace this field; remove it by hand");
        }
        self.edits.push(Edit { span: Span::new(start..next), text: String::new() });
    }

    /// Sets the value of `entry` to `actual`.
    fn exchange(&mut self, entry: &Entry, actual: &Value, is_flow: bool) {
        if self.exchange_parts(&entry.value, actual, is_flow) {
            return;
        }
        let value = entry.value.span;
        let end = self.content_end(value);
        self.keep_comments(value);
        let gap = &self.text[entry.key_span.end..value.start];
        let is_below = gap.contains('\n');
        let is_block = is_container(actual) && !is_flow;
        let span = if gap.trim() == ":" && is_below != is_block {
            Span::new(entry.key_span.end + gap.find(':').unwrap_or_default() + 1..end)
        } else {
            Span::new(value.start..end)
        };
        let text = match (is_block, is_below) {
            (false, _) if span.start < value.start => format!(" {}", inline(actual)),
            (false, _) => inline(actual),
            (true, true) => block(actual, self.column(value.start)),
            (true, false) => {
                let column = self.column(entry.key_span.start) + 2;
                format!("\n{}{}", " ".repeat(column), block(actual, column))
            }
        };
        self.edits.push(Edit { span, text });
    }

    /// Replaces the differing values inside a map or list whose fields or items stay; returns false if it is not one.
    fn exchange_parts(&mut self, node: &Node, actual: &Value, is_flow: bool) -> bool {
        let is_flow = is_flow || self.is_flow(node.span);
        match (&node.data, actual) {
            _ if node.clone().into_value() == *actual => true,
            (Data::Object(entries), Value::Object(actual))
                if entries.len() == actual.len()
                    && entries.iter().all(|entry| actual.contains_key(&entry.key)) =>
            {
                for entry in entries {
                    self.exchange(entry, &actual[&entry.key], is_flow);
                }
                true
            }
            (Data::Array(items), Value::Array(actual)) if items.len() == actual.len() => {
                for (item, actual) in items.iter().zip(actual) {
                    if !self.exchange_parts(item, actual, is_flow) {
                        self.keep_comments(item.span);
                        let span = Span::new(item.span.start..self.content_end(item.span));
                        let is_block = is_container(actual) && !is_flow;
                        let text =
                            if is_block { block(actual, self.column(span.start)) } else { inline(actual) };
                        self.edits.push(Edit { span, text });
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// Refuses to lose comments. A `#` may also be part of a text, which is left to the user to decide.
    fn keep_comments(&mut self, span: Span) {
        let lines = self.text[span.start..self.content_end(span)].lines();
        if lines.skip(1).any(|line| line.trim_start().starts_with('#') || line.contains(" #")) {
            self.refuse(span, "a comment may be lost with this value; change it by hand");
        }
    }

    fn is_flow(&self, span: Span) -> bool {
        self.text[span.start..].starts_with(['{', '['])
    }

    /// Returns the end of `span` without trailing line breaks.
    fn content_end(&self, span: Span) -> usize {
        span.start + self.text[span.start..span.end].trim_end().len()
    }

    fn column(&self, offset: usize) -> usize {
        self.source.line_column(offset).1 - 1
    }

    fn apply(mut self) -> Result<String, Refusal> {
        self.edits.sort_by_key(|edit| edit.span);
        let mut text = String::with_capacity(self.text.len());
        let mut position = 0;
        let line_break = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        for Edit { span, text: new } in &self.edits {
            let Some(kept) = self.text.get(position..span.start) else {
                return Err(Refusal::new(*span, "this is written in two places; change it by hand"));
            };
            text.extend([kept, &new.replace('\n', line_break)]);
            position = span.end;
        }
        text.push_str(&self.text[position..]);
        Ok(text)
    }
}

fn is_container(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

/// Returns `value` on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        value => value.to_string(),
    }
}

/// Returns `value` as lines, the first of which starts at `column`.
fn block(value: &Value, column: usize) -> String {
    let mut text = String::new();
    // The text is complete even if Go would refuse to write it, and is read again before it is used.
    let _ = write_yaml(value, &mut text);
    let separator = format!("\n{}", " ".repeat(column));
    text.trim_end().lines().collect::<Vec<_>>().join(&separator)
}
