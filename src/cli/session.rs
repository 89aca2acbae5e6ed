//! The diagnostics and counts of a run so far.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Receiver, SyncSender};

use crate::cli::cache::Cache;
use crate::cli::color::Colors;
use crate::cli::console;
use crate::cli::parallel;
use crate::cli::progress::{self, Progress};
use crate::cli::repeated::Repeated;
use crate::code::Code;
use crate::evaluation::{Evaluator, Outcome, Prepared, Unevaluated};
use crate::policy::coverage::Coverage;
use crate::report::acceptance::Acceptor;
use crate::report::{Diagnostic, Fixtures, Severity, Subject, Summary, mask_secrets};
use kube_api::{GroupVersionKind, resource};

/// The number of outcomes that are reported together.
pub(super) const CHUNK: usize = 64;

/// The result of preparing a document for the chain.
pub(super) type Work = Result<Prepared, Unworkable>;

/// Why a document has no outcome.
pub(super) enum Unworkable {
    /// It is not a request.
    Input(Diagnostic),
    /// The server has no such kind, or `kubectl` would not send it.
    Unevaluated(Unevaluated),
    /// Its result is known, as the next one of this sequence. It is not evaluated, unless it comes again after this.
    Known { sequence: u32, comes_again: bool },
}

/// Consecutive results.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) outcomes: Vec<Outcome>,
    /// The known results: the number of outcomes before each, and its sequence.
    pub(super) known: Vec<(usize, u32)>,
}

impl Chunk {
    fn len(&self) -> usize {
        self.outcomes.len() + self.known.len()
    }

    /// Adds the known results of the requests that controllers repeated in `sequences`.
    fn add_waiting(&mut self, sequences: impl Iterator<Item = u32>, cache: &Cache) {
        for sequence in sequences {
            let later = iter::repeat_n((self.outcomes.len(), sequence), cache.later(sequence));
            self.known.extend(later);
        }
    }
}

/// The sequences in which controllers repeat requests, in the order in which their results come.
#[derive(Default)]
struct Waiting {
    sequences: VecDeque<u32>,
    added: BTreeSet<u32>,
}

impl Waiting {
    fn add(&mut self, sequence: Option<u32>) {
        self.sequences.extend(sequence.filter(|sequence| self.added.insert(*sequence)));
    }

    /// Takes the sequences before `sequence`; without one, all.
    fn before(&mut self, sequence: Option<u32>) -> impl Iterator<Item = u32> {
        let own = self.sequences.iter().position(|known| Some(*known) == sequence);
        let end = if sequence.is_some() { own.unwrap_or(0) } else { self.sequences.len() };
        self.sequences.drain(..end)
    }
}

impl From<Unevaluated> for Unworkable {
    fn from(error: Unevaluated) -> Self {
        Self::Unevaluated(error)
    }
}

/// The diagnostics and counts of a run so far.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(super) struct Session {
    pub(super) colors: Colors,
    ignore_unknown_kinds: bool,
    is_silent: bool,
    /// The counters of what is evaluated of policies, if they are wanted.
    pub(super) coverage: Option<Arc<Coverage>>,
    /// Whether everything is said, and nothing in brief.
    pub(super) is_verbose: bool,
    secrets: Secrets,
    pub(super) fixtures: Arc<Fixtures>,
    pub(super) summary: Summary,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Whether something about the cluster was assumed before any request.
    pub(super) has_assumed: bool,
    /// The part of the outcomes that the user accepts.
    pub(super) acceptor: Acceptor,
    pub(super) refused: Refused,
    progress: Progress,
    repeated: Repeated,
}

/// The treatment of the values of Secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrets {
    Masked { any: bool },
    Shown,
}

/// The refused documents.
#[derive(Default)]
pub(super) struct Refused {
    pub(super) count: usize,
    /// The names of the first of them.
    pub(super) first: Vec<String>,
}

impl Refused {
    /// The largest number of documents that are named.
    const MAX_NAMED: usize = 10;

    fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < Self::MAX_NAMED {
            self.first.push(name());
        }
    }
}

impl Session {
    pub(super) fn new(colors: Colors, ignore_unknown_kinds: bool, acceptor: Acceptor) -> Self {
        Self {
            colors,
            ignore_unknown_kinds,
            is_silent: false,
            coverage: None,
            is_verbose: false,
            secrets: Secrets::Masked { any: false },
            fixtures: Arc::default(),
            summary: Summary::default(),
            diagnostics: Vec::new(),
            has_assumed: false,
            acceptor,
            refused: Refused::default(),
            progress: Progress::of("objects evaluated"),
            repeated: Repeated::default(),
        }
    }

    /// Collects diagnostics about the input instead of printing them.
    pub(super) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// Leaves the values of Secrets in the outcomes.
    pub(super) fn showing_secrets(self, show_secrets: bool) -> Self {
        let secrets = if show_secrets { Secrets::Shown } else { Secrets::Masked { any: false } };
        Self { secrets, ..self }
    }

    /// Takes what `evaluator` has counted in all requests.
    pub(super) fn end_run(&mut self, evaluator: &Evaluator) {
        self.summary.quotas = evaluator.quotas();
        self.summary.add_hooks(evaluator.hooks());
    }

    /// Warns of policies and webhooks that failed, and let requests pass nevertheless.
    pub(super) fn warn_of_failures(&mut self) {
        let failed = self.summary.hooks.iter().filter(|(_, own)| own.failed_open > 0);
        let warnings: Vec<_> = failed
            .map(|(hook, own)| {
                let requests =
                    if own.failed_open == 1 { "1 request" } else { &format!("{} requests", own.failed_open) };
                let message =
                    format!("{} {hook} failed, and let {requests} pass: {}", hook.kind, own.failure);
                Diagnostic::warning(Code::PolicyFailedOpen, message)
            })
            .collect();
        for warning in &warnings {
            self.say(warning);
        }
    }

    /// Returns whether a value was masked.
    pub(super) fn has_masked(&self) -> bool {
        self.secrets == Secrets::Masked { any: true }
    }

    /// Returns where the number of documents is set, for the line of progress.
    pub(super) fn total(&self) -> Arc<AtomicUsize> {
        self.progress.total()
    }

    /// Evaluates the batches in order and passes every outcome on. Known results are in `cache`; the `others` answer for
    /// namespaces that `evaluator` does not.
    pub(super) fn evaluate(
        &mut self,
        batches: impl Iterator<Item = Receiver<Vec<Work>>> + Send,
        (evaluator, others): (&mut Evaluator, &mut [Evaluator]),
        cache: Option<&Cache>,
        outcomes: &SyncSender<Chunk>,
    ) {
        let mut chunk = Chunk::default();
        let mut known: BTreeMap<u32, u32> = BTreeMap::new();
        let mut waiting = Waiting::default();
        let mut take = |result: Result<Outcome, Unworkable>| {
            match result {
                Ok(outcome) if outcome.is_elsewhere => self.fixtures.remember(&outcome),
                Ok(mut outcome) => {
                    if let (Some(cache), Some(cause)) = (cache, &outcome.cause) {
                        outcome.sequence = cache.sequence_of(&cause.owner_namespace);
                        if outcome.sequence.is_some_and(|sequence| cache.is_known(sequence)) {
                            self.fixtures.remember(&outcome);
                            return ControlFlow::Continue(());
                        }
                        chunk.add_waiting(waiting.before(outcome.sequence), cache);
                    } else if outcome.is_pending {
                        waiting.add(outcome.sequence);
                    }
                    let is_masked = self.take(&mut outcome);
                    if let (true, Some(cache), Some(sequence)) = (is_masked, cache, outcome.sequence) {
                        cache.mark_masked(sequence);
                    }
                    chunk.outcomes.push(outcome);
                }
                Err(Unworkable::Input(diagnostic)) => self.say(&diagnostic),
                Err(Unworkable::Unevaluated(unevaluated)) => self.say_unevaluated(&unevaluated),
                Err(Unworkable::Known { sequence, .. }) => {
                    let nth = known.entry(sequence).or_default();
                    let refused = cache.and_then(|cache| cache.refused(sequence, *nth));
                    if let Some(name) = refused {
                        self.refused.add(|| name.to_owned());
                    }
                    if cache.is_some_and(|cache| cache.waits_first(sequence, *nth)) {
                        waiting.add(Some(sequence));
                    }
                    *nth += 1;
                    chunk.known.push((chunk.outcomes.len(), sequence));
                }
            }
            let is_taken = chunk.len() < CHUNK || outcomes.send(mem::take(&mut chunk)).is_ok();
            // The other end is closed only if the report can no longer be written.
            if is_taken { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        if others.is_empty() {
            evaluate_one_by_one(batches, evaluator, &mut take);
        } else {
            let evaluators = iter::once(evaluator).chain(others).collect();
            parallel::evaluate_all(batches, evaluators, &mut take);
        }
        if let Some(cache) = cache {
            chunk.add_waiting(waiting.before(None), cache);
        }
        let _ = outcomes.send(chunk);
        progress::clear();
    }

    /// Masks the values of Secrets in `outcome`, notes which findings of it the user accepts, and counts it. Returns
    /// whether there was something to mask.
    pub(super) fn take(&mut self, outcome: &mut Outcome) -> bool {
        let is_masked = self.mask(outcome);
        for diagnostic in self.acceptor.judge(outcome) {
            self.say(&diagnostic);
        }
        if outcome.cause.is_none() && !outcome.allowed() {
            self.refused.add(|| Subject::of(outcome).to_string());
        }
        self.summary.count(outcome);
        self.fixtures.remember(outcome);
        self.progress.advance();
        is_masked
    }

    /// Counts the known results in `cache`.
    pub(super) fn take_known(&mut self, cache: &Cache) {
        let is_masked = cache.add_known(&mut self.summary);
        if let Secrets::Masked { any } = &mut self.secrets {
            *any |= is_masked;
        }
    }

    /// Records in a stored `outcome` which part of it is known, and counts it.
    pub(super) fn take_stored(&mut self, outcome: &mut Outcome) {
        self.mask(outcome);
        self.acceptor.judge_stored(outcome);
        self.summary.count(outcome);
        self.progress.advance();
    }

    fn mask(&mut self, outcome: &mut Outcome) -> bool {
        let Secrets::Masked { any } = &mut self.secrets else { return false };
        let is_masked = mask_secrets(outcome);
        *any |= is_masked;
        is_masked
    }

    pub(super) fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.say(&diagnostic)).ok()
    }

    /// Prints a diagnostic about the input on standard error, and keeps it for the report.
    pub(super) fn say(&mut self, diagnostic: &Diagnostic) {
        self.summary.count_diagnostic(diagnostic);
        if !self.is_silent && !self.repeated.take(diagnostic) {
            progress::clear();
            console::say(diagnostic, self.colors);
        }
        self.diagnostics.push(diagnostic.clone());
    }

    /// Reports that there is nothing to evaluate, if so, with advice: `help`, or else to accept that.
    pub(super) fn refuse_nothing(&mut self, help: impl FnOnce() -> Option<String>) {
        if self.summary.requests == 0 && self.summary.errors == 0 {
            let message = "nothing was evaluated: there is no document in the input";
            let diagnostic = Diagnostic::input(Code::InputEmpty, message);
            let help = help().unwrap_or_else(|| "use --allow-empty if that is intended".to_owned());
            self.say(&diagnostic.help(help));
        }
    }

    /// Reports why a document has no outcome.
    pub(super) fn say_unevaluated(&mut self, unevaluated: &Unevaluated) {
        match unevaluated {
            Unevaluated::UnknownKind(unknown) => {
                self.say_unknown_kind(Diagnostic::from(unknown), &unknown.kind);
            }
            unsent @ Unevaluated::Unsent { .. } => self.say(&Diagnostic::from(unsent)),
        }
    }

    /// Reports an object of an undefined kind, which the user may tolerate. In a group of the server itself it is
    /// misspelt or removed, not undefined.
    pub(super) fn say_unknown_kind(&mut self, mut diagnostic: Diagnostic, kind: &GroupVersionKind) {
        if self.ignore_unknown_kinds && !resource::has_group(&kind.group) {
            diagnostic.severity = Severity::Note;
            diagnostic.help = None;
        }
        self.say(&diagnostic);
    }

    /// Prints the errors that waited for others of their sort.
    pub(super) fn end_errors(&mut self) {
        if self.repeated.is_empty() {
            return;
        }
        progress::clear();
        console::write_error(self.colors, |out, width| self.repeated.write(out, width));
    }
}

/// Evaluates all with one evaluator.
fn evaluate_one_by_one(
    batches: impl Iterator<Item = Receiver<Vec<Work>>>,
    evaluator: &mut Evaluator,
    mut take: impl FnMut(Result<Outcome, Unworkable>) -> ControlFlow<()>,
) {
    for batch in batches {
        // The thread of a batch that never comes has panicked. What follows would have gaps.
        let Ok(batch) = batch.recv() else { return };
        for work in batch {
            if let Err(Unworkable::Known { comes_again: false, .. }) = &work {
                evaluator.skip_document();
            }
            if evaluator.evaluate_next(work, &mut take).is_break() {
                return;
            }
        }
    }
    evaluator.evaluate_later(take);
}
