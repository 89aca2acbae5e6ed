//! The summary of a run, in numbers.

#[cfg(feature = "cli")]
mod counts;

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::Hook;
use crate::evaluation::{Acceptance, HookUse, Outcome, QuotaUse, is_said};
use crate::report::{Diagnostic, Severity};
use kube_api::resources::RESOURCE_QUOTAS;

#[cfg(feature = "cli")]
pub(crate) use counts::Counts;

/// Counts over all outcomes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Requests evaluated.
    pub requests: usize,
    /// Those of them from controllers.
    pub caused: usize,
    /// Requests that the server would admit.
    pub admitted: usize,
    /// Requests that it would refuse.
    pub denied: usize,
    /// Requests whose object a plugin changed.
    pub mutated: usize,
    /// Warnings of all answers; one about a workload counts once, although it is repeated for its pods.
    pub warnings: usize,
    /// Those of the refused requests whose refusal the user accepts.
    pub accepted_denials: usize,
    /// Those of them that the user skips; the others are in the baseline.
    pub skipped_denials: usize,
    /// Those of the warnings that the user accepts.
    pub accepted_warnings: usize,
    /// Refusals and warnings that the user skips.
    pub skipped: usize,
    /// Refusals and warnings that are in the baseline.
    pub known: usize,
    /// Errors in the input.
    pub errors: usize,
    /// Mutations, by plugin.
    pub mutations_by_plugin: BTreeMap<&'static str, usize>,
    /// Denials, by plugin; refusals by the server itself count for [`Summary::API_SERVER`].
    pub denials_by_plugin: BTreeMap<&'static str, usize>,
    /// Assumptions and unknowns of offline evaluation, each with the number of objects.
    pub notes: BTreeMap<String, usize>,
    /// Those of the requests that the report shows, where it does not show all.
    pub shown: Option<usize>,
    /// The exit status that the run ends with; known when the last outcome is counted.
    pub exit_status: u8,
    /// The usage of every quota; known after the last outcome.
    pub quotas: Vec<QuotaUse>,
    /// What each policy and webhook did; complete after the last outcome.
    pub hooks: BTreeMap<Hook, HookUse>,
    /// The quotas that refused something, by namespace and name.
    pub refusing_quotas: BTreeSet<(String, String)>,
}

impl Summary {
    /// The name for refusals that are not by a plugin: decoding and API validation.
    pub const API_SERVER: &'static str = "API server";

    /// Counts an outcome, and those of the requests that it caused.
    pub fn count(&mut self, outcome: &Outcome) {
        for (position, request) in outcome.with_caused().enumerate() {
            let said = if position > 0 { &outcome.trace.warnings[..] } else { &[] };
            self.count_one(request, said);
            self.count_accepted(request, said);
        }
    }

    /// Counts accepted findings; those in `said` were reported for another request already.
    fn count_accepted(&mut self, outcome: &Outcome, said: &[String]) {
        let accepted = &outcome.accepted;
        self.accepted_denials += usize::from(accepted.refusal.is_some());
        self.skipped_denials += usize::from(matches!(accepted.refusal, Some(Acceptance::Skipped(_))));
        let is_accepted =
            |warning: &&String| accepted.warnings.contains_key(*warning) && !is_said(warning, said);
        self.accepted_warnings += outcome.trace.warnings.iter().filter(is_accepted).count();
        let unsaid = accepted.warnings.iter().filter(|(warning, _)| !is_said(warning, said));
        for acceptance in accepted.refusal.iter().chain(unsaid.map(|(_, acceptance)| acceptance)) {
            match acceptance {
                Acceptance::Skipped(_) => self.skipped += 1,
                Acceptance::Known => self.known += 1,
            }
        }
    }

    fn count_one(&mut self, outcome: &Outcome, said: &[String]) {
        self.requests += 1;
        self.caused += usize::from(outcome.cause.is_some());
        self.warnings += outcome.trace.warnings.iter().filter(|warning| !is_said(warning, said)).count();
        self.mutated += usize::from(outcome.mutated());
        for step in outcome.trace.steps.iter().filter(|step| step.change.is_some()) {
            *self.mutations_by_plugin.entry(step.plugin).or_default() += 1;
        }
        for applied in outcome.trace.effects() {
            match self.hooks.get_mut(&*applied.hook) {
                Some(own) => own.count(&applied.effect),
                None => self.hooks.entry(Hook::clone(&applied.hook)).or_default().count(&applied.effect),
            }
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
            let evidence = outcome.refusal.iter().flat_map(|refusal| &refusal.evidence);
            let quotas = evidence.filter(|evidence| evidence.resource == RESOURCE_QUOTAS);
            self.refusing_quotas
                .extend(quotas.map(|evidence| (evidence.namespace.clone(), evidence.name.clone())));
            *self.denials_by_plugin.entry(outcome.denied_by().unwrap_or(Self::API_SERVER)).or_default() += 1;
        }
    }

    /// Adds what is known about policies and webhooks without their requests, or from another run.
    pub fn add_hooks(&mut self, hooks: BTreeMap<Hook, HookUse>) {
        for (hook, other) in hooks {
            self.hooks.entry(hook).or_default().join(other);
        }
    }

    /// Whether there are refusals that are not accepted.
    pub fn fails(&self) -> bool {
        self.denied > self.accepted_denials
    }

    /// Whether there are warnings that are not accepted.
    pub fn warns(&self) -> bool {
        self.warnings > self.accepted_warnings
    }

    /// Returns `3 denied`, or `3 denied (1 skipped, 2 known)` if some of the refusals are accepted.
    pub fn denials(&self) -> String {
        let known = self.accepted_denials - self.skipped_denials;
        format!("{} denied{}", self.denied, accepted(self.skipped_denials, known))
    }

    /// Returns `3 warnings`, or `3 warnings (1 skipped, 2 known)` if some are accepted.
    pub fn counted_warnings(&self) -> String {
        let skipped = self.skipped.saturating_sub(self.skipped_denials);
        let warnings = if self.warnings == 1 { "warning" } else { "warnings" };
        format!(
            "{} {warnings}{}",
            self.warnings,
            accepted(skipped, self.accepted_warnings.saturating_sub(skipped))
        )
    }

    /// Returns `1 finding skipped; 2 known findings`, if any are accepted.
    pub fn accepted_findings(&self) -> Option<String> {
        let findings = |count: usize| if count == 1 { "finding" } else { "findings" };
        let skipped =
            (self.skipped > 0).then(|| format!("{} {} skipped", self.skipped, findings(self.skipped)));
        let known = (self.known > 0).then(|| format!("{} known {}", self.known, findings(self.known)));
        let parts: Vec<String> = skipped.into_iter().chain(known).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Returns the notes, each with the number of objects if there are several.
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

/// Returns ` (1 skipped, 2 known)`, or nothing if nothing is accepted.
fn accepted(skipped: usize, known: usize) -> String {
    let parts = [(skipped, "skipped"), (known, "known")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_is_no_failure() {
        let summary = Summary {
            denied: 2,
            accepted_denials: 1,
            warnings: 1,
            accepted_warnings: 1,
            ..Summary::default()
        };
        assert!(summary.fails() && !summary.warns());
        let summary = Summary { accepted_denials: 2, warnings: 2, ..summary };
        assert!(!summary.fails() && summary.warns());
    }

    #[test]
    fn accepted_refusals_are_named_with_the_others() {
        let denials = |accepted_denials, skipped_denials| {
            Summary { denied: 3, accepted_denials, skipped_denials, ..Summary::default() }.denials()
        };
        assert_eq!(denials(0, 0), "3 denied");
        assert_eq!(denials(1, 1), "3 denied (1 skipped)");
        assert_eq!(denials(3, 1), "3 denied (1 skipped, 2 known)");
        let summary = Summary { warnings: 4, accepted_warnings: 3, skipped: 1, ..Summary::default() };
        assert_eq!(summary.counted_warnings(), "4 warnings (1 skipped, 2 known)");
    }

    #[test]
    fn what_is_accepted_is_counted() {
        let accepted = |skipped, known| Summary { skipped, known, ..Summary::default() }.accepted_findings();
        assert_eq!(accepted(0, 0), None);
        assert_eq!(accepted(1, 0).unwrap(), "1 finding skipped");
        assert_eq!(accepted(2, 1).unwrap(), "2 findings skipped; 1 known finding");
    }
}
