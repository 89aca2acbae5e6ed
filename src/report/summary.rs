//! What a run came to, in numbers.

use std::collections::BTreeMap;

use crate::evaluation::Outcome;
use crate::report::{Diagnostic, Severity};

/// Counts over all outcomes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Requests evaluated.
    pub requests: usize,
    /// Those of them that controllers made.
    pub caused: usize,
    /// Requests that the server would do.
    pub admitted: usize,
    /// Requests that it would refuse.
    pub denied: usize,
    /// Requests whose object a plugin changed.
    pub mutated: usize,
    /// Warnings of all answers.
    pub warnings: usize,
    /// Errors in the input.
    pub errors: usize,
    /// Mutations, by plugin.
    pub mutations_by_plugin: BTreeMap<&'static str, usize>,
    /// Denials, by plugin; what the server itself refuses counts for [`Summary::API_SERVER`].
    pub denials_by_plugin: BTreeMap<&'static str, usize>,
    /// What offline evaluation assumed or could not know, and of how many objects.
    pub notes: BTreeMap<String, usize>,
    /// The exit status that the run ends with; known when the last outcome is counted.
    pub exit_status: u8,
}

impl Summary {
    /// Who refuses what no plugin refuses: decoding and API validation.
    pub const API_SERVER: &'static str = "API server";

    /// Counts an outcome, and those of the requests that it caused.
    pub fn count(&mut self, outcome: &Outcome) {
        for outcome in outcome.with_caused() {
            self.count_one(outcome);
        }
    }

    fn count_one(&mut self, outcome: &Outcome) {
        self.requests += 1;
        self.caused += usize::from(outcome.cause.is_some());
        self.warnings += outcome.trace.warnings.len();
        self.mutated += usize::from(outcome.mutated());
        for step in outcome.trace.steps.iter().filter(|step| step.change.is_some()) {
            *self.mutations_by_plugin.entry(step.plugin).or_default() += 1;
        }
        for note in &outcome.trace.notes {
            match self.notes.get_mut(note) {
                Some(count) => *count += 1,
                None => drop(self.notes.insert(note.clone(), 1)),
            }
        }
        if outcome.allowed() {
            self.admitted += 1;
        } else {
            self.denied += 1;
            *self.denials_by_plugin.entry(outcome.denied_by().unwrap_or(Self::API_SERVER)).or_default() += 1;
        }
    }

    /// The notes, each with the number of objects if there are several.
    pub fn counted_notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().map(|(note, count)| match count {
            1 => note.clone(),
            count => format!("{note} ({count} objects)"),
        })
    }

    /// Counts a diagnostic.
    pub fn count_diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
    }
}
