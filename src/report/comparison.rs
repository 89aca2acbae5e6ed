//! Differences between the outcomes of two runs: of different manifests on the same server, or of the same manifests on
//! different servers.
//!
//! Only the compared parts of the first run are kept. The second is compared as it comes.

mod audit;
mod difference;
mod findings;
mod grouped;
mod html;
mod json;
mod kept;
mod logged;
mod markdown;
mod tally;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use rayon::prelude::*;

use crate::admission::Operation;
use crate::evaluation::Outcome;
use crate::report::{Diagnostic, Fixtures, Only, Summary, shown};

pub(crate) use audit::colored;
pub use audit::write_audit;
pub use difference::{Difference, Event, OutcomeEvent, events_between};
pub use findings::{write_github, write_junit, write_sarif};
pub use html::write_html;
pub use json::write_json;
pub use logged::{Lead, LoggedChange};
pub use markdown::{write_audit as write_audit_markdown, write_diff as write_diff_markdown};
pub use text::write_diff;

use kept::{ComparedOutcome, ComparisonKey, Denial, KeptWarning, Owner};

/// The difference between the two runs, which decides what to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedBy {
    /// The manifests: added and removed objects, and the outcome for each object.
    Manifests,
    /// The server: the effects of each plugin.
    Server,
    /// The server and its release: also the defaults.
    Release,
}

/// Compares two runs while they proceed.
#[derive(Debug)]
pub struct Comparison {
    compared_by: ComparedBy,
    shows_secrets: bool,
    before: Vec<Option<ComparedOutcome>>,
    /// The positions in `before` of the requests with this key, in the order of evaluation.
    positions: HashMap<ComparisonKey, VecDeque<usize>>,
    differences: Vec<Difference>,
    said_before: Warned,
    said_after: Warned,
    incomparable: Vec<Incomparable>,
    denied_by_both: Vec<String>,
}

/// A request that the server refuses on both sides before the chain sees it: the effect of the change on it is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    /// `Pod shop/web`
    pub subject: String,
    /// The server's message.
    pub message: String,
    /// Whether that is because the object exists.
    pub exists: bool,
}

/// The warnings about objects that controllers may work on.
#[derive(Debug, Default)]
struct Warned(HashMap<Owner, Vec<KeptWarning>>);

/// One of the two runs.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The enabled chain, in order.
    pub plugins: Vec<&'static str>,
    /// Its summary.
    pub summary: Summary,
}

/// Two runs, compared.
#[derive(Debug)]
pub struct Compared {
    /// The first run.
    pub before: Side,
    /// The second run.
    pub after: Side,
    /// The differences, in the order of the second run; those that it does not have come last.
    pub differences: Vec<Difference>,
    /// The diagnostics about the input of either run.
    pub diagnostics: Vec<Diagnostic>,
    /// The requests of documents that both sides deny, `Pod shop/web` by `PodSecurity`, except those whose denial
    /// differs.
    pub denied_by_both: Vec<String>,
    /// The number of differences that the user's choice hides.
    pub hidden: usize,
    /// What reports say first, unless it is the sizes of both runs.
    pub lead: Option<Lead>,
}

impl Comparison {
    /// A comparison of runs that differ in what `compared_by` says. Their outcomes are not masked: what Secrets keep is
    /// compared, and in the differences only if it `shows_secrets`.
    pub fn new(compared_by: ComparedBy, shows_secrets: bool) -> Self {
        Self {
            compared_by,
            shows_secrets,
            before: Vec::new(),
            positions: HashMap::new(),
            differences: Vec::new(),
            said_before: Warned::default(),
            said_after: Warned::default(),
            incomparable: Vec::new(),
            denied_by_both: Vec::new(),
        }
    }

    /// Records outcomes of the first run.
    pub fn take_before(&mut self, outcomes: &[Outcome]) {
        for (_, mut kept) in self.keep(outcomes) {
            self.said_before.leave_out(&mut kept);
            self.positions.entry(kept.key.clone()).or_default().push_back(self.before.len());
            self.before.push(Some(kept));
        }
    }

    /// Compares outcomes of the second run; `fixtures` has the places of the objects of its cluster.
    pub fn take_after(&mut self, outcomes: &[Outcome], fixtures: &Fixtures) {
        for (outcome, mut after) in self.keep(outcomes) {
            self.said_after.leave_out(&mut after);
            let position = self.positions.get_mut(&after.key).and_then(VecDeque::pop_front);
            let before = position.and_then(|position| self.before[position].take());
            if let (Some(before), Some(denial)) = (&before, &after.denial)
                && denial.is_by_server()
                && before.denial.as_ref().is_some_and(Denial::is_by_server)
                && denial.accepted.is_none()
                && !after.is_caused
            {
                let (subject, message) = (after.subject.clone(), denial.message.clone());
                let is_conflict = outcome.refusal.as_ref().is_some_and(|refusal| refusal.status.code == 409);
                let exists = is_conflict || outcome.operation == Operation::Update;
                self.incomparable.push(Incomparable { subject, message, exists });
            }
            if let (Some(denied), Some(denial), false) =
                (before.as_ref().and_then(|before| before.denial.as_ref()), &after.denial, after.is_caused)
                && denied.message == denial.message
            {
                self.denied_by_both.push(format!("{} by {}", after.subject, denial.rule));
            }
            let difference = Difference::of(before, after, outcome, self.compared_by, self.shows_secrets);
            let shown = if self.shows_secrets { Cow::Borrowed(outcome) } else { shown(outcome) };
            self.differences.extend(difference.map(|difference| difference.explained(&shown, fixtures)));
        }
    }

    /// Returns the compared parts of `outcomes` and of those that they caused, in order.
    fn keep<'o>(&self, outcomes: &'o [Outcome]) -> Vec<(&'o Outcome, ComparedOutcome)> {
        let requests: Vec<_> = outcomes.iter().flat_map(Outcome::with_caused).collect();
        let kept = |request| (request, ComparedOutcome::of(request, self.compared_by, self.shows_secrets));
        requests.into_par_iter().map(kept).collect()
    }

    /// The requests that cannot be compared.
    pub fn incomparable(&self) -> &[Incomparable] {
        &self.incomparable
    }

    /// Returns the differences.
    pub fn finish(mut self, before: Side, after: Side, diagnostics: Vec<Diagnostic>) -> Compared {
        let left = self.before.into_iter().flatten();
        self.differences.extend(left.filter_map(|kept| Difference::removed(kept, self.compared_by)));
        let denied_by_both = self.denied_by_both;
        Compared {
            before,
            after,
            differences: self.differences,
            diagnostics,
            denied_by_both,
            hidden: 0,
            lead: None,
        }
    }
}

impl Warned {
    /// Removes the warnings that are also about the object for which a controller sends the request. Refusals of
    /// controllers that remain until the end are reported long after that.
    fn leave_out(&mut self, kept: &mut ComparedOutcome) {
        if let Some(owner) = kept.key.owner() {
            let said = self.0.get(owner).map_or(&[][..], Vec::as_slice);
            kept.warnings.retain(|warning| !said.contains(warning));
        } else if !kept.warnings.is_empty() {
            self.0.insert(kept.key.as_owner(), kept.warnings.clone());
        }
    }
}

impl Compared {
    /// Whether something is denied that was not before, and not accepted.
    pub fn has_newly_denied(&self) -> bool {
        let is_open =
            |difference: &Difference| difference.has(Event::NewlyDenied) && !difference.is_accepted();
        self.differences.iter().any(is_open)
    }

    /// Whether `event` happened, and it is not accepted.
    pub fn has(&self, event: Event) -> bool {
        let happened = self.differences.iter().flat_map(|difference| &difference.happened);
        happened.into_iter().any(|happened| happened.event == event && happened.accepted.is_none())
    }

    /// Leaves out the differences that `only` does not match, and with `newly_denied` those that are not new denials.
    /// Returns errors about the words of `only` that match nothing.
    pub fn choose(&mut self, only: &Only, newly_denied: bool) -> Vec<Diagnostic> {
        let count = self.differences.len();
        let idle = only.idle_words(
            self.differences.iter().map(|difference| (&*difference.kind, &*difference.namespace)),
        );
        self.differences.retain(|difference| {
            difference.is_chosen(only) && (!newly_denied || difference.has(Event::NewlyDenied))
        });
        self.hidden = count - self.differences.len();
        idle
    }

    /// Returns the number of each event in words.
    pub fn in_words(&self) -> String {
        tally::in_words(&tally::Tally::of(&self.differences).by_event())
    }

    /// Returns the assumptions of either run, as sentences.
    fn notes(&self) -> Vec<&str> {
        let notes = self.before.summary.notes.keys().chain(self.after.summary.notes.keys());
        let mut notes: Vec<&str> = notes.map(String::as_str).collect();
        notes.sort_unstable();
        notes.dedup();
        notes
    }

    fn is_empty(&self) -> bool {
        self.before.summary.requests == 0 && self.after.summary.requests == 0
    }
}
