//! The edits that an editor offers for a line of the manifests.

use kadmit::report::editor::{self, Edit, Mark};
use kadmit::{Diagnostic, Outcome, SourceFile, Span};
use serde_json::{Value, json};

use crate::positions::{span_of, units_of};
use crate::run::{MANIFESTS, Run};

impl Run {
    /// Returns the edits for the line around an offset, the most useful first.
    pub fn actions(&self, unit: usize) -> Value {
        let text = self.manifests.text();
        let offset = crate::positions::byte_of(text, unit);
        let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
        let end = text[offset..].find('\n').map_or(text.len(), |end| offset + end);
        let line = Span::new(start..end);
        let mut edits: Vec<Edit> = Vec::new();
        for diagnostic in &self.evaluation.diagnostics {
            edits.extend(edit_of(diagnostic, &self.manifests, line));
        }
        for (outcome, marks) in self.outcomes().zip(&self.marks) {
            edits.extend(self.edits(outcome, marks, line));
        }
        let edit = |edit: &Edit| {
            let changes = edit.replacements.iter().map(|(span, text)| {
                let (from, to) = units_of(self.manifests.text(), *span);
                json!({"from": from, "to": to, "insert": text})
            });
            json!({"title": edit.title, "changes": changes.collect::<Vec<_>>()})
        };
        let mut known: Vec<&Edit> = Vec::new();
        for edit in &edits {
            if !known.contains(&edit) {
                known.push(edit);
            }
        }
        known.into_iter().map(edit).collect()
    }

    fn edits(&self, outcome: &Outcome, marks: &[(Span, Mark)], line: Span) -> Vec<Edit> {
        let mut edits = Vec::new();
        let here = marks.iter().filter(|(span, _)| overlap(*span, line));
        let here: Vec<&Mark> = here.map(|(_, mark)| mark).collect();
        if !here.is_empty() {
            for request in outcome.with_caused().filter(|request| request.fails()) {
                let who = request.denied_by().unwrap_or("the API server");
                let replacements = editor::fix(request);
                let title = format!("Fix what {who} refuses");
                edits.extend(replacements.map(|replacements| Edit { title, replacements }));
            }
        }
        let place = outcome.place.as_ref().filter(|place| !place.is_review());
        let skips = here.iter().filter(|mark| mark.can_be_skipped);
        edits.extend(skips.filter_map(|mark| editor::skip(place?, mark.rule)));
        let is_own = place.is_some_and(|place| overlap(place.whole().span, line));
        if is_own && outcome.cause.is_none() {
            edits.extend(editor::edits(outcome));
            let release = self.cluster.evaluator().profile().release();
            edits.extend(editor::restrict(outcome, release));
        }
        edits
    }
}

fn edit_of(diagnostic: &Diagnostic, manifests: &SourceFile, line: Span) -> Option<Edit> {
    let edit = editor::mend(diagnostic)?;
    let mark = editor::mark_of(diagnostic)?;
    let is_here = mark.line.file == MANIFESTS && overlap(span_of(manifests.text(), &mark.line), line);
    is_here.then_some(edit)
}

fn overlap(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}
