//! What a cluster lacks so that it admits manifests and the Pods of their workloads, as manifests to apply first.
//!
//! A refusal names what would admit the request: a right, an object, a level, an amount ([`Need`]). It is granted, and
//! the request evaluated again, until it is admitted or needs nothing that a cluster grants. In the next run, with the
//! grants as they are printed, each is left out where it was needed first: what then refuses nothing is not required. Runs
//! are made until one of them shows that the grants of before suffice.

mod gates;
mod grants;
mod limits;
mod manifests;
mod rights;
mod write;

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use crate::admission::Need;
use crate::cluster::Cluster;
use crate::evaluation::{Checkpoint, Evaluator, Outcome, Prepared, Unevaluated};
use crate::report::{Fixtures, Refused};
use kube_api::GroupResource;

use gates::Switches;
use grants::Unmet;
pub use grants::{Grant, Grants};
pub use manifests::Manifest;
pub use write::{write_json, write_markdown, write_text, write_yaml};

/// Resource, namespace and name.
type Key = (GroupResource, String, String);

/// The rounds after which the search ends: what one leaves out may be needed by later requests.
const MAX_ROUNDS: usize = 5;

/// What a cluster must have, and what nothing in it admits.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// What it must have.
    pub grants: Grants,
    /// The requests that are refused nevertheless.
    pub refused: Vec<Refused>,
    /// The documents that the server cannot evaluate.
    pub unevaluated: Vec<Unevaluated>,
    /// What the kinds of other documents need, which is not known well enough to be printed.
    pub lacking: Vec<Lacking>,
    /// The feature gates without which the server drops fields of documents.
    pub gates: Vec<Lacking>,
    /// The requests for documents.
    pub requests: usize,
    /// Those of them that are admitted with the grants, and all requests of controllers because of them.
    pub admitted: usize,
    /// Whether it was shown that nothing can be left out and nothing is missing.
    pub is_least: bool,
}

/// A definition or a setting of the server without which documents are of no kind that it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// What is lacking: `CustomResourceDefinition of Widget in example.com/v1`.
    pub what: String,
    /// The documents, each as file and line.
    pub documents: Vec<(String, usize)>,
}

impl Requirements {
    /// Moves the documents that a definition or a setting would make requests from those that cannot be evaluated to
    /// what is lacking.
    pub fn explain_unevaluated(&mut self) {
        for unevaluated in mem::take(&mut self.unevaluated) {
            let Unevaluated::UnknownKind(unknown) = &unevaluated else {
                self.unevaluated.push(unevaluated);
                continue;
            };
            let Some(what) = unknown.lacking() else {
                self.unevaluated.push(unevaluated);
                continue;
            };
            let place = unknown.place.as_ref();
            let place =
                place.map(|place| (place.file().to_owned(), place.line_column().0)).unwrap_or_default();
            add(&mut self.lacking, what, place);
        }
    }
}

/// Adds that the document at `place` lacks `what`.
fn add(lacking: &mut Vec<Lacking>, what: String, place: (String, usize)) {
    match lacking.iter_mut().find(|known| known.what == what) {
        Some(known) => known.documents.push(place),
        None => lacking.push(Lacking { what, documents: vec![place] }),
    }
}

/// Returns what a cluster must have, so that `documents` are admitted. `start` returns a new server whose cluster has
/// some manifests more; a document that is not a request is `None`.
///
/// # Errors
///
/// Returns the error of `start`.
pub fn find<E>(
    documents: &[Option<Prepared>],
    mut start: impl FnMut(&[Manifest]) -> Result<(Evaluator, Arc<Fixtures>), E>,
) -> Result<Requirements, E> {
    let (evaluator, written) = start(&[])?;
    let grants = Grants::new(&evaluator, written);
    let switches = Switches::of(evaluator.profile());
    let mut search = Search { documents, grants, switches, ..Search::default() };
    let mut evaluator = Some(evaluator);
    for _ in 0..MAX_ROUNDS {
        let next = match evaluator.take() {
            Some(first) => first,
            None => start(&search.grants.manifests())?.0,
        };
        search.run(next);
        if search.is_complete {
            break;
        }
    }
    let Search { grants, refused, unevaluated, lacking, gates, is_complete, .. } = search;
    let requests = documents.iter().flatten().count() - unevaluated.len();
    let places: usize = lacking.iter().map(|lacking| lacking.documents.len()).sum();
    let admitted = requests.saturating_sub(refused.len() + places);
    let refused = refused.into_values().flatten().collect();
    Ok(Requirements {
        grants,
        refused,
        unevaluated,
        lacking,
        gates,
        requests,
        admitted,
        is_least: is_complete,
    })
}

/// The state of a search.
#[derive(Default)]
struct Search<'a> {
    documents: &'a [Option<Prepared>],
    grants: Grants,
    /// The numbers of the documents by their places.
    places: BTreeMap<(String, usize), usize>,
    /// What was granted for a document without an effect on it.
    useless: Vec<(usize, Need)>,
    /// The refusals that nothing grants, by the number of the document: later without the useless grants, others show.
    hopeless: BTreeMap<usize, Vec<Refused>>,
    /// The refusals of the last run.
    refused: BTreeMap<usize, Vec<Refused>>,
    unevaluated: Vec<Unevaluated>,
    switches: Switches,
    /// The gates that the last run showed to be needed, or without which it dropped fields.
    lacking: Vec<Lacking>,
    gates: Vec<Lacking>,
    /// Whether the grants admit everything that can be admitted, and none can be left out.
    is_complete: bool,
}

impl Search<'_> {
    /// Forgets what the run before showed.
    fn begin(&mut self) {
        self.refused.clear();
        self.unevaluated.clear();
        self.lacking.clear();
        self.gates.clear();
        self.is_complete = true;
    }

    /// Evaluates all documents with the grants of before as they are printed, grants what else they need, and leaves out
    /// each of those of before where it was needed first.
    fn run(&mut self, mut evaluator: Evaluator) {
        evaluator.record();
        self.begin();
        for (index, document) in self.documents.iter().enumerate() {
            let Some(prepared) = document else {
                evaluator.skip_document();
                continue;
            };
            let unproved = self.grants.unproved(index);
            let before = (!unproved.is_empty()).then(|| evaluator.checkpoint());
            let (outcome, is_met) = self.admit(prepared, index, &mut evaluator);
            // What lacks something else shows nothing about these.
            if let Some(before) = before.filter(|_| is_met) {
                let with = outcome.as_ref().map_or(0, admitted);
                self.leave_out_each(&unproved, prepared, index, (with, &before), &mut evaluator);
            }
            self.note(outcome, index);
        }
        self.finish(&mut evaluator);
        self.is_complete &= !self.grants.lower_quotas(evaluator.cluster());
    }

    /// Lets controllers repeat what was refused until nothing is left to grant.
    fn finish(&mut self, evaluator: &mut Evaluator) {
        loop {
            let before = evaluator.checkpoint();
            let outcomes = finish(evaluator);
            let unmet: Vec<_> = outcomes
                .iter()
                .flat_map(|outcome| {
                    let index = self.index_of(outcome);
                    self.unmet(outcome, index, evaluator).into_iter().map(move |unmet| (index, unmet))
                })
                .collect();
            if unmet.is_empty() {
                for outcome in &outcomes {
                    let index = self.index_of(outcome);
                    self.give_up(outcome, index);
                    self.judge(outcome, index);
                }
                return;
            }
            evaluator.resume(&before);
            self.is_complete = false;
            self.grants.put_all(unmet, evaluator);
        }
    }

    /// Returns the number of the document that caused `outcome`.
    fn index_of(&self, outcome: &Outcome) -> usize {
        place_of(outcome).and_then(|place| self.places.get(&place).copied()).unwrap_or(self.documents.len())
    }

    /// Returns what the requests because of a document need, and were not granted without effect.
    fn unmet(&self, outcome: &Outcome, index: usize, evaluator: &Evaluator) -> Vec<Unmet> {
        let is_useless = |need: &Need| {
            self.useless.iter().any(|(known, useless)| *known == index && useless.is_about_the_same(need))
        };
        let mut unmet = self.grants.unmet(outcome, evaluator.cluster());
        unmet.retain(|unmet| !is_useless(&unmet.need));
        unmet
    }

    /// Records the refusals of the requests because of a document, which nothing grants.
    fn give_up(&mut self, outcome: &Outcome, index: usize) {
        let refused: Vec<Refused> = refusals(outcome).collect();
        if !refused.is_empty() {
            self.hopeless.entry(index).or_insert(refused);
        }
    }

    /// Grants what the document at `index` needs. Returns the last outcome, and whether nothing was granted.
    fn admit(
        &mut self,
        prepared: &Prepared,
        index: usize,
        evaluator: &mut Evaluator,
    ) -> (Result<Outcome, Unevaluated>, bool) {
        let mut before = evaluator.checkpoint();
        let mut granted = None;
        loop {
            let outcome = match evaluator.evaluate(prepared.clone()) {
                Ok(outcome) => outcome,
                Err(unevaluated) => return (Err(unevaluated), granted.is_none()),
            };
            self.places.extend(place_of(&outcome).map(|place| (place, index)));
            let unmet = self.unmet(&outcome, index, evaluator);
            if unmet.is_empty() {
                self.give_up(&outcome, index);
                let is_met = granted.is_none();
                if let Some(granted) = granted.filter(|_| outcome.refusal.is_some()) {
                    self.return_to(granted, index, evaluator);
                }
                return (Ok(outcome), is_met);
            }
            evaluator.resume(&before);
            self.is_complete = false;
            granted.get_or_insert_with(|| self.grants.list().to_vec());
            self.grants.put_all(unmet.into_iter().map(|unmet| (index, unmet)), evaluator);
            before = evaluator.checkpoint();
        }
    }

    /// Takes back what was granted since `before`, for a document that is refused nevertheless.
    fn return_to(&mut self, before: Vec<Option<Grant>>, index: usize, evaluator: &Evaluator) {
        let taken = self.grants.return_to(before);
        self.grants.put(&taken, evaluator);
        self.useless.extend(taken.into_iter().map(|need| (index, need)));
    }

    /// Takes the grants `numbers` back, except those without which fewer than `with` requests because of the document at
    /// `index` are admitted; the state `before` it is given.
    fn leave_out_each(
        &mut self,
        numbers: &[usize],
        prepared: &Prepared,
        index: usize,
        (with, before): (u64, &Checkpoint),
        evaluator: &mut Evaluator,
    ) {
        let useless = self.useless.len();
        for &number in numbers {
            evaluator.resume(before);
            let taken = self.grants.take(number);
            self.grants.put(taken.iter().map(|grant| &grant.need), evaluator);
            if admitted_of(prepared, evaluator) < with {
                self.grants.put_back(number, taken.map(Grant::proved));
            } else {
                self.is_complete = false;
                self.useless.extend(taken.map(|grant| (index, grant.need)));
            }
        }
        evaluator.resume(before);
        self.grants.put(self.useless[useless..].iter().map(|(_, need)| need), evaluator);
        let _ = evaluator.evaluate(prepared.clone());
    }

    /// Records what the last evaluation of a document showed.
    fn note(&mut self, outcome: Result<Outcome, Unevaluated>, index: usize) {
        match outcome {
            Ok(outcome) => {
                if !self.switch(&outcome, index) {
                    self.judge(&outcome, index);
                }
            }
            Err(error) => self.unevaluated.push(error),
        }
    }

    /// Records the gates that a document needs. Returns whether it is refused for the lack of one.
    fn switch(&mut self, outcome: &Outcome, index: usize) -> bool {
        let place = outcome.place.as_ref();
        let place = place.map(|place| (place.file().to_owned(), place.line_column().0)).unwrap_or_default();
        let is_refused = outcome.refusal.is_some();
        let list = if is_refused { &mut self.lacking } else { &mut self.gates };
        let gates = self.switches.for_request(outcome, index);
        let is_found = !gates.is_empty();
        for gate in gates {
            add(list, format!("kube-apiserver --feature-gates={gate}=true"), place.clone());
        }
        is_refused && is_found
    }

    /// Records the refusals of the requests because of a document in the last run.
    fn judge(&mut self, outcome: &Outcome, index: usize) {
        let refused: Vec<Refused> = refusals(outcome).collect();
        if let Some(hopeless) = self.hopeless.get(&index).filter(|_| !refused.is_empty()) {
            self.refused.insert(index, hopeless.clone());
        } else if !refused.is_empty() {
            self.refused.entry(index).or_default().extend(refused);
        }
    }
}

fn finish(evaluator: &mut Evaluator) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    evaluator.finish(|outcome| outcomes.push(outcome));
    outcomes
}

/// Returns the file of the document that caused `outcome`, and its offset.
fn place_of(outcome: &Outcome) -> Option<(String, usize)> {
    let place = outcome.place.as_ref()?.whole();
    Some((place.file().to_owned(), place.offset()))
}

fn refusals(outcome: &Outcome) -> impl Iterator<Item = Refused> {
    outcome.with_caused().filter(|request| request.refusal.is_some()).map(Refused::of)
}

/// Returns how many of the requests because of a document are admitted.
fn admitted_of(prepared: &Prepared, evaluator: &mut Evaluator) -> u64 {
    evaluator.evaluate(prepared.clone()).map_or(0, |outcome| admitted(&outcome))
}

fn admitted(outcome: &Outcome) -> u64 {
    let admitted = |request: &Outcome| match &request.cause {
        Some(cause) => cause.admitted,
        None => u64::from(request.allowed()),
    };
    outcome.with_caused().map(admitted).sum()
}

/// Returns what would admit a refused request.
fn needs_of(request: &Outcome, cluster: &Cluster) -> Vec<Need> {
    let named = request.refusal.iter().flat_map(|refusal| refusal.needs.iter().cloned());
    named.chain(limits::defaults(request, cluster)).collect()
}
