//! The answers to all documents of a project, kept between keystrokes.
//!
//! An answer depends on all documents before its own. After a change, evaluation resumes at the last checkpoint before
//! it: earlier documents are not evaluated again, and unchanged ones are not parsed again.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;

use crate::admission::Evidence;
use crate::evaluation::{
    Accepted, Checkpoint, Evaluator, FileOrder, LiteralOrder, Outcome, Prepared, Rank, Unevaluated,
};
use crate::report::acceptance::Acceptor;
use crate::report::editor::{self, Mark};
use crate::report::{Diagnostic, Fixtures, Severity};

/// The largest number of documents between two checkpoints, which are evaluated again before a changed one.
const STRIDE: usize = 32;

/// A decoded document.
pub(super) struct Document {
    pub(super) rank: Rank,
    pub(super) file: Arc<str>,
    pub(super) request: Result<Prepared, Diagnostic>,
}

/// The answer to a document.
pub(super) struct Answer {
    pub(super) document: Arc<Document>,
    /// The outcomes of its request, and of the requests that controllers repeated after it.
    pub(super) outcomes: Vec<Outcome>,
    /// The error in it, if it is not a request.
    pub(super) diagnostic: Option<Diagnostic>,
    /// Its marks, if they were computed.
    marks: Option<Marked>,
}

/// The marks of a document.
struct Marked {
    marks: Vec<Mark>,
    /// The places of the objects that the marks name.
    evidence: Vec<Option<(String, usize)>>,
}

/// A run that continues with every change.
pub(super) struct Incremental {
    evaluator: Evaluator,
    ignores_unknown_kinds: bool,
    answers: Vec<Answer>,
    /// The answers at the end, to controllers that had been refused.
    last: Vec<Outcome>,
    last_marks: Vec<Mark>,
    /// Checkpoints, each with the number of documents before it: one every [`STRIDE`] documents, and one before the
    /// document that changed last, which is the likeliest to change next.
    checkpoints: Vec<(usize, Checkpoint)>,
    /// Answers of the previous run, whose marks may still be valid.
    previous: BTreeMap<usize, Answer>,
    literal_order: Option<LiteralOrder>,
    is_finished: bool,
    stride: usize,
}

impl Incremental {
    /// Returns a run of `evaluator` without evaluated documents.
    pub(super) fn new(evaluator: Evaluator, ignores_unknown_kinds: bool) -> Self {
        let mut checkpoints = Vec::new();
        if evaluator.can_resume() {
            evaluator.record();
            checkpoints.push((0, evaluator.checkpoint()));
        }
        Self {
            evaluator,
            ignores_unknown_kinds,
            answers: Vec::new(),
            last: Vec::new(),
            last_marks: Vec::new(),
            checkpoints,
            previous: BTreeMap::new(),
            literal_order: None,
            is_finished: false,
            stride: STRIDE,
        }
    }

    /// Returns the server.
    pub(super) fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Keeps the order of the documents, or adds notes where they are sorted.
    pub(super) fn order(&mut self, literal_order: Option<LiteralOrder>, files: Option<FileOrder>) {
        if let Some(files) = files {
            self.evaluator.note_order(files);
        }
        if literal_order == self.literal_order {
            return;
        }
        if let Some(order) = &literal_order {
            self.evaluator.keep_file_order(order.clone());
        }
        self.literal_order = literal_order;
        self.is_finished = false;
        self.checkpoints.truncate(1);
        if let Some((_, start)) = self.checkpoints.first() {
            self.evaluator.resume(start);
            self.answers.clear();
        }
    }

    /// Whether `documents` are the evaluated ones.
    pub(super) fn is_of(&self, documents: &[Arc<Document>]) -> bool {
        self.is_finished && self.same(documents) == documents.len() && documents.len() == self.answers.len()
    }

    /// Whether [`update`](Self::update) can start from here; otherwise a new run is needed.
    pub(super) fn can_update(&self) -> bool {
        !self.checkpoints.is_empty() || (self.answers.is_empty() && !self.is_finished)
    }

    /// Evaluates `documents`, which are in their order, unless `each` stops it. `each` gets the answers so far, which
    /// are final unless controllers repeat refused requests later.
    pub(super) fn update(
        &mut self,
        documents: &[Arc<Document>],
        mut each: impl FnMut(&mut [Answer]) -> ControlFlow<()>,
    ) -> bool {
        if self.is_of(documents) {
            return true;
        }
        let same = self.same(documents);
        let stride = self.stride;
        self.checkpoints.retain(|(position, _)| position.is_multiple_of(stride) || *position == same);
        let first = self.checkpoints.iter().rposition(|(position, _)| *position <= same).unwrap_or(0);
        self.checkpoints.truncate(first + 1);
        let mut from = 0;
        if let Some((position, checkpoint)) = self.checkpoints.last() {
            self.evaluator.resume(checkpoint);
            from = *position;
        }
        for answer in self.answers.split_off(from.min(self.answers.len())) {
            self.previous.insert(key(&answer.document), answer);
        }
        self.last.clear();
        self.is_finished = false;
        let can_resume = !self.checkpoints.is_empty();
        for document in &documents[from..] {
            let position = self.answers.len();
            let is_due = position.is_multiple_of(stride) || position == same;
            if can_resume && is_due && position > from {
                self.checkpoints.push((position, self.evaluator.checkpoint()));
            }
            let answer = self.answer(document);
            self.answers.push(answer);
            if each(&mut self.answers).is_break() {
                return false;
            }
        }
        let last = &mut self.last;
        self.evaluator.finish(|outcome| last.push(outcome));
        self.is_finished = true;
        true
    }

    fn answer(&mut self, document: &Arc<Document>) -> Answer {
        let mut outcomes = Vec::new();
        let mut diagnostic = None;
        match &document.request {
            Ok(prepared) => match self.evaluator.evaluate(prepared.clone()) {
                Ok(outcome) => outcomes.push(outcome),
                Err(Unevaluated::UnknownKind(unknown)) => {
                    let mut unknown = Diagnostic::from(&unknown);
                    if self.ignores_unknown_kinds {
                        unknown.severity = Severity::Note;
                        unknown.help = None;
                    }
                    diagnostic = Some(unknown);
                }
                Err(unsent) => diagnostic = Some(Diagnostic::from(&unsent)),
            },
            Err(wrong) => {
                self.evaluator.skip_document();
                diagnostic = Some(wrong.clone());
            }
        }
        self.evaluator.end_document(|outcome| outcomes.push(outcome));
        Answer { document: document.clone(), outcomes, diagnostic, marks: None }
    }

    /// Returns the number of unchanged documents at the start.
    fn same(&self, documents: &[Arc<Document>]) -> usize {
        let pairs = self.answers.iter().zip(documents);
        pairs.take_while(|(answer, document)| Arc::ptr_eq(&answer.document, document)).count()
    }

    /// Returns the answers.
    pub(super) fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// Returns all outcomes, in the order of evaluation.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.answers.iter().flat_map(|answer| &answer.outcomes).chain(&self.last)
    }

    /// Applies `acceptor` to all outcomes; returns the errors in skips.
    pub(super) fn judge(&mut self, acceptor: &mut Acceptor) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for answer in &mut self.answers {
            diagnostics.extend(answer.judge(acceptor));
        }
        for outcome in &mut self.last {
            diagnostics.extend(acceptor.judge(outcome));
        }
        diagnostics
    }

    /// Returns the marks of all documents, in the order of evaluation.
    pub(super) fn marks(&mut self, fixtures: &Fixtures) -> impl Iterator<Item = &Mark> {
        for answer in self.answers.iter_mut().filter(|answer| answer.marks.is_none()) {
            let known = self.previous.remove(&key(&answer.document));
            answer.marks = known.filter(|known| answer.says_the_same(known)).and_then(|known| known.marks);
        }
        self.previous.clear();
        self.answers.par_iter_mut().for_each(|answer| {
            answer.compute_marks(fixtures);
        });
        let last: Vec<Vec<Mark>> =
            self.last.par_iter().map(|outcome| editor::marks(outcome, fixtures)).collect();
        self.last_marks = last.into_iter().flatten().collect();
        let own = self.answers.iter().filter_map(|answer| answer.marks.as_ref());
        own.flat_map(|marked| &marked.marks).chain(&self.last_marks)
    }
}

fn key(document: &Arc<Document>) -> usize {
    Arc::as_ptr(document).addr()
}

impl Answer {
    /// Applies `acceptor` to the outcomes; returns the errors in skips.
    pub(super) fn judge(&mut self, acceptor: &mut Acceptor) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut is_changed = false;
        for outcome in &mut self.outcomes {
            let before = take_accepted(outcome);
            diagnostics.extend(acceptor.judge(outcome));
            is_changed |= !outcome.with_caused().map(|request| &request.accepted).eq(before.iter());
        }
        if is_changed {
            self.marks = None;
        }
        diagnostics
    }

    /// Returns the marks of the document.
    pub(super) fn compute_marks(&mut self, fixtures: &Fixtures) -> &[Mark] {
        let evidence: Vec<_> =
            self.outcomes.iter().flat_map(evidence).map(|evidence| fixtures.locate(evidence)).collect();
        // An object of the cluster may have moved in its file.
        if self.marks.as_ref().is_some_and(|known| known.evidence != evidence) {
            self.marks = None;
        }
        let (diagnostic, outcomes) = (&self.diagnostic, &self.outcomes);
        let marked = self.marks.get_or_insert_with(|| {
            let own = diagnostic.as_ref().and_then(editor::mark_of);
            let marks = outcomes.iter().flat_map(|outcome| editor::marks(outcome, fixtures));
            Marked { marks: own.into_iter().chain(marks).collect(), evidence }
        });
        &marked.marks
    }

    /// Whether the marks of `other`, about the same document, are valid for this answer.
    fn says_the_same(&self, other: &Self) -> bool {
        let message = |answer: &Self| answer.diagnostic.as_ref().map(|diagnostic| diagnostic.message.clone());
        self.outcomes.len() == other.outcomes.len()
            && message(self) == message(other)
            && self.outcomes.iter().zip(&other.outcomes).all(|(one, other)| say_the_same(one, other))
    }
}

fn say_the_same(one: &Outcome, other: &Outcome) -> bool {
    one.refusal == other.refusal
        && one.decode_span == other.decode_span
        && one.trace.warnings == other.trace.warnings
        && one.trace.notes == other.trace.notes
        && one.accepted == other.accepted
        && (&one.name, one.operation) == (&other.name, other.operation)
        && one.caused.len() == other.caused.len()
        && one.caused.iter().zip(&other.caused).all(|(one, other)| say_the_same(one, other))
        && match (&one.cause, &other.cause) {
            (Some(one), Some(other)) => (one.replicas, one.admitted) == (other.replicas, other.admitted),
            (None, None) => true,
            _ => false,
        }
}

/// Returns the objects that the marks of `outcome` may name.
fn evidence(outcome: &Outcome) -> impl Iterator<Item = &Evidence> {
    outcome.with_caused().flat_map(|request| {
        let of_refusal = request.refusal.iter().flat_map(|refusal| &refusal.evidence);
        let steps = if request.trace.warnings.is_empty() { &[] } else { &request.trace.steps[..] };
        of_refusal.chain(steps.iter().flat_map(|step| &step.evidence))
    })
}

/// Takes the acceptances out of `outcome` and the outcomes that it caused.
fn take_accepted(outcome: &mut Outcome) -> Vec<Accepted> {
    let own = std::mem::take(&mut outcome.accepted);
    let caused = outcome.caused.iter_mut().map(|caused| std::mem::take(&mut caused.accepted));
    std::iter::once(own).chain(caused).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::cli::color::ColorChoice;
    use crate::cli::input::{Input, Selection};
    use crate::cli::overrides::Overrides;
    use crate::cli::run;
    use crate::cli::session::Session;
    use gotext::source::SourceFile;

    /// The shop, whose quota is exhausted and some of whose controllers' requests are refused.
    const CLUSTER: &str = "--cluster=testdata/quickstart/cluster";

    /// Returns a run with `flags`, and a reader of documents.
    fn set_up(flags: &[&str]) -> (Incremental, impl Fn(&str, &str) -> Vec<Arc<Document>> + use<>) {
        let command = run::Run::augment_args(Command::new("kadmit run")).no_binary_name(true);
        let flags = run::Run::from_arg_matches(&command.get_matches_from(flags)).expect("flags");
        let scenario = flags.scenario().clone();
        let acceptor = Acceptor::default();
        let mut session = Session::new(ColorChoice::Never.apply(), false, acceptor).silent();
        let evaluator = scenario
            .set_up_for_editor(|paths| scenario.selection.expand(paths), &mut session)
            .expect("a server");
        let profile = evaluator.profile().clone();
        let read = move |name: &str, text: &str| {
            let input = Ok(Input::Text(SourceFile::new(name, text)));
            let read = scenario.read_file(input, &Overrides::default(), &profile);
            let file: Arc<str> = Arc::from(name);
            let document = |(rank, request)| Arc::new(Document { rank, file: file.clone(), request });
            read.into_iter().map(document).collect()
        };
        let mut run = Incremental::new(evaluator, false);
        run.stride = 2;
        (run, read)
    }

    fn answers(run: &Incremental) -> Vec<String> {
        let diagnostics = run.answers().iter().filter_map(|answer| answer.diagnostic.as_ref());
        let diagnostics = diagnostics.map(|diagnostic| format!("{diagnostic:?}"));
        run.outcomes().map(|outcome| format!("{outcome:?}")).chain(diagnostics).collect()
    }

    fn manifests() -> Vec<(String, String)> {
        let paths =
            ["testdata/quickstart/manifests".to_owned(), "testdata/cli/input/workloads.yaml".to_owned()];
        let inputs = Selection::default().expand(&paths).into_iter().flatten();
        let read =
            |input: Input| (input.name().into_owned(), input.read().expect("a file").text().to_owned());
        inputs.map(read).collect()
    }

    /// Changes every file in turn, and compares the answers with those of a new run.
    fn compare(flags: &[&str], change: impl Fn(&str) -> String) {
        let (mut run, read) = set_up(flags);
        let mut files: Vec<Vec<Arc<Document>>> =
            manifests().iter().map(|(name, text)| read(name, text)).collect();
        let go_on = |_: &mut [Answer]| ControlFlow::Continue(());
        assert!(run.update(&files.concat(), go_on));
        assert!(run.outcomes().count() > 10);
        for (position, (name, text)) in manifests().into_iter().enumerate() {
            for text in [change(&text), text] {
                files[position] = read(&name, &text);
                let documents = files.concat();
                assert!(run.update(&documents, go_on));
                let (mut fresh, _) = set_up(flags);
                assert!(fresh.update(&documents, go_on));
                assert_eq!(answers(&run), answers(&fresh), "{name}");
            }
        }
    }

    #[test]
    fn answers_are_those_of_a_new_run() {
        compare(&[CLUSTER], |text| text.replace("replicas: ", "replicas: 1"));
        compare(&[CLUSTER], |text| text.replace("kind: ", "kind: A"));
        compare(&["--strict", CLUSTER], |text| format!("{text}\tunreadable"));
    }

    #[test]
    fn a_run_that_was_broken_off_goes_on() {
        let (mut run, read) = set_up(&[CLUSTER]);
        let documents: Vec<_> = manifests().iter().flat_map(|(name, text)| read(name, text)).collect();
        let mut count = 0;
        let is_done = run.update(&documents, |_| {
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(!is_done);
        assert!(run.update(&documents, |_| ControlFlow::Continue(())));
        let (mut fresh, _) = set_up(&[CLUSTER]);
        assert!(fresh.update(&documents, |_| ControlFlow::Continue(())));
        assert_eq!(answers(&run), answers(&fresh));
    }
}
