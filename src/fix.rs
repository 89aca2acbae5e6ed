//! The smallest edits of manifests after which a server admits them, each proved by evaluating the edited text.
//!
//! A refusal names the changes that rule it out ([`Remedy`](crate::admission::Remedy)), or the fields that are wrong, from which
//! a change follows where there is one right value. Changes become edits of the text, the edited document is read and
//! evaluated again in its place, and so on until it is admitted. A document that is refused nevertheless keeps its text.

mod draft;
mod propose;
mod renamed;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::admission::{Change, Cost};
use crate::evaluation::{Evaluator, Outcome, Prepared, Unevaluated};
use crate::report::{Diagnostic, Refused};
use gotext::source::SourceFile;
use kube_yaml::RepeatedKey;

pub use draft::Draft;
pub use write::{FixedFile, write_diff, write_json, write_summary};

use draft::Pieces;
use propose::Proposal;

/// The edits of one document after which it is given up: each evaluation shows what the one before hid.
const MAX_ROUNDS: usize = 16;

/// What a person agrees to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// What was written may be removed.
    pub removals: bool,
    /// A value may be chosen among many.
    pub values: bool,
}

impl Consent {
    fn covers(self, cost: Cost) -> bool {
        match cost {
            Cost::Nothing => true,
            Cost::Removal => self.removals,
            Cost::Value => self.values,
        }
    }
}

/// What was fixed, and what was not.
#[derive(Debug, Default)]
pub struct Fixes {
    /// The files with edits.
    pub files: Vec<FixedFile>,
    /// The documents that are admitted with their edits.
    pub fixed: Vec<Fixed>,
    /// The documents that are refused nevertheless.
    pub left: Vec<Left>,
    /// The documents that are refused for what the user accepts alone.
    pub skipped: Vec<Skipped>,
    /// The documents that the server cannot evaluate.
    pub unevaluated: Vec<Unevaluated>,
    /// The documents that were evaluated.
    pub documents: usize,
    /// The keys that were removed since their mapping has them twice, each with its file.
    pub repeated: Vec<(String, RepeatedKey)>,
}

impl Fixes {
    /// Adds that `keys` were removed from `source` before the `edited` text was fixed.
    pub fn add_repeated(&mut self, source: Arc<SourceFile>, edited: &SourceFile, keys: Vec<RepeatedKey>) {
        let name = source.name().to_owned();
        for key in keys {
            let fixed = self.fixed.iter_mut().map(|fixed| (&fixed.file, &mut fixed.line));
            let left = self.left.iter_mut().map(|left| (&left.refused.file, &mut left.refused.line));
            for (_, line) in fixed.chain(left).filter(|(file, line)| **file == name && **line >= key.line) {
                *line += key.lines;
            }
            self.repeated.push((name.clone(), key));
        }
        match self.files.iter_mut().find(|file| file.source.name() == name) {
            Some(file) => file.source = source,
            None => self.files.push(FixedFile { source, text: edited.text().to_owned() }),
        }
        self.files.sort_by(|left, right| left.source.name().cmp(right.source.name()));
        self.repeated.sort_by(|(left, a), (right, b)| (left, a.line).cmp(&(right, b.line)));
    }
}

/// A document that is admitted with its edits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The object.
    pub subject: String,
    /// The file.
    pub file: String,
    /// The line before all edits, counted from 1.
    pub line: usize,
    /// The changes.
    pub changes: Vec<Change>,
    /// Whether it is a Secret, whose values are not shown.
    pub is_secret: bool,
    /// What remains unknown offline.
    pub notes: Vec<&'static str>,
}

/// A document that is refused, and why no edit was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// The refused request, or one of them.
    pub refused: Refused,
    /// Why there is no edit.
    pub why: String,
    /// The message of the refusal that follows the edits which are known, if that is what has none.
    pub next: Option<String>,
}

/// A document that is refused, which the user accepts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skipped {
    /// The refused request, or one of them.
    pub refused: Refused,
    /// Why that is accepted: `skipped: the image needs it (kadmit.toml:12)`.
    pub why: String,
}

/// Notes in an outcome what the user accepts.
pub type Accept<'a> = &'a mut dyn FnMut(&mut Outcome);

/// Reads the documents of a text.
pub type Read<'a> = &'a dyn Fn(Arc<SourceFile>) -> Vec<Result<Prepared, Diagnostic>>;

/// Returns the edits of `documents`, which are in the order of their evaluation; what is not a request is `None`. `start`
/// returns a new server. What `accept` accepts is not edited.
///
/// # Errors
///
/// Returns the error of `start`.
pub fn find<E>(
    documents: &[Option<Prepared>],
    consent: Consent,
    read: Read<'_>,
    accept: Accept<'_>,
    mut start: impl FnMut() -> Result<Evaluator, E>,
) -> Result<Fixes, E> {
    let mut pieces = Pieces::default();
    let drafts: Vec<Option<Draft>> =
        documents.iter().map(|document| document.as_ref().map(|request| pieces.draft(request))).collect();
    let (fixes, kept) = (Fixes::default(), BTreeSet::new());
    let mut session = Session { documents, pieces, consent, read, accept, fixes, kept };
    let original = session.run(&drafts, start()?, false);
    // A fix that breaks another document is not made: then the rest is looked for without it.
    loop {
        session.fixes = Fixes::default();
        session.pieces.reset();
        session.run(&drafts, start()?, true);
        let fixed: Vec<usize> = session.pieces.fixed().collect();
        if fixed.is_empty() {
            break;
        }
        let refused = session.run(&drafts, start()?, false);
        let own: Vec<usize> = fixed.iter().copied().filter(|index| refused.contains(index)).collect();
        if !own.is_empty() {
            session.kept.extend(own);
            continue;
        }
        let Some(broken) = refused.difference(&original).copied().next() else { break };
        // With the edits of the first `whole` documents it is admitted, with those of `broken_by` not.
        let (mut whole, mut broken_by) = (0, fixed.len());
        while broken_by - whole > 1 {
            let middle = usize::midpoint(whole, broken_by);
            session.pieces.edit_first(middle);
            let is_broken = session.run(&drafts, start()?, false).contains(&broken);
            *(if is_broken { &mut broken_by } else { &mut whole }) = middle;
        }
        session.kept.insert(fixed[broken_by - 1]);
    }
    session.fixes.files = session.pieces.files();
    session.fixes.documents = drafts.iter().flatten().count() - session.fixes.unevaluated.len();
    Ok(session.fixes)
}

struct Session<'a> {
    documents: &'a [Option<Prepared>],
    pieces: Pieces,
    consent: Consent,
    read: Read<'a>,
    accept: Accept<'a>,
    fixes: Fixes,
    /// The numbers of the documents that keep their text, since their edits break another one.
    kept: BTreeSet<usize>,
}

impl Session<'_> {
    /// Evaluates all documents, and fixes them if `is_fixing`. Returns the numbers of those that are refused.
    fn run(
        &mut self,
        drafts: &[Option<Draft>],
        mut evaluator: Evaluator,
        is_fixing: bool,
    ) -> BTreeSet<usize> {
        evaluator.record();
        let mut refused = BTreeSet::new();
        let mut places = BTreeMap::new();
        for (index, draft) in drafts.iter().enumerate() {
            let Some(draft) = draft else {
                evaluator.skip_document();
                continue;
            };
            let is_refused = if is_fixing {
                self.fix(draft, index, &mut evaluator)
            } else {
                self.evaluate(draft, &mut evaluator, &mut places, index)
            };
            if is_refused {
                refused.insert(index);
            }
        }
        if !is_fixing {
            evaluator.finish(|mut outcome| {
                (self.accept)(&mut outcome);
                if outcome.with_caused().any(Outcome::fails) {
                    refused.extend(place_of(&outcome).and_then(|place| places.get(&place).copied()));
                }
            });
        }
        refused
    }

    /// Returns the request of a document as it is now.
    fn prepared(&self, draft: &Draft, index: usize) -> Option<Prepared> {
        if self.pieces.is_original(draft) {
            return self.documents[index].clone();
        }
        self.pieces.prepared(draft, self.read)
    }

    /// Evaluates the text of a document as it is now. Returns whether it is refused.
    fn evaluate(
        &mut self,
        draft: &Draft,
        evaluator: &mut Evaluator,
        places: &mut BTreeMap<(String, usize), usize>,
        index: usize,
    ) -> bool {
        let Some(prepared) = self.prepared(draft, index) else {
            evaluator.skip_document();
            return true;
        };
        let Ok(mut outcome) = evaluator.evaluate(prepared) else { return true };
        places.extend(place_of(&outcome).map(|place| (place, index)));
        (self.accept)(&mut outcome);
        outcome.with_caused().any(Outcome::fails)
    }

    /// Edits a document until it is admitted. Returns whether it is refused nevertheless.
    fn fix(&mut self, draft: &Draft, index: usize, evaluator: &mut Evaluator) -> bool {
        let before = evaluator.checkpoint();
        let Some(first) = self.prepared(draft, index) else { return true };
        let mut attempt = evaluator.evaluate(first.clone());
        let original = self.pieces.text(draft).to_owned();
        let mut changes: Vec<Change> = Vec::new();
        let mut left: Option<Left> = None;
        let mut is_choice = false;
        for _ in 0..MAX_ROUNDS {
            let proposal = match &attempt {
                Ok(outcome) => {
                    let refused = refusals(outcome, evaluator, self.accept);
                    let (failing, accepted): (Vec<_>, Vec<_>) = refused.into_iter().partition(Outcome::fails);
                    if failing.is_empty() {
                        return self.keep(draft, index, changes, accepted.first());
                    }
                    Proposal::of(&failing)
                }
                Err(unevaluated) => Proposal::of_unevaluated(unevaluated, draft),
            };
            left.get_or_insert_with(|| proposal.left.clone());
            if self.kept.contains(&index) {
                break;
            }
            let made = proposal.accepted(self.consent).and_then(|remedies| {
                self.check_name(&remedies, index)?;
                let made = self.pieces.change(draft, &remedies);
                made.ok_or_else(|| {
                    "no edit of its text does it: it is set by a plugin, or shared by an alias".to_owned()
                })
            });
            match made {
                Ok(made) => changes.extend(made),
                Err(why) => {
                    is_choice = proposal.has_remedies();
                    // The text that is left is the one that was read.
                    let next = (!changes.is_empty()).then_some(proposal.left.refused.message);
                    left = left.map(|first| Left { why, next, ..first });
                    break;
                }
            }
            let Some(edited) = self.pieces.prepared(draft, self.read) else { break };
            evaluator.resume(&before);
            attempt = evaluator.evaluate(edited);
        }
        self.pieces.restore(draft, original);
        if let (Err(unevaluated), true, false) = (attempt, changes.is_empty(), is_choice) {
            self.fixes.unevaluated.push(unevaluated);
            return true;
        }
        if !changes.is_empty() {
            evaluator.resume(&before);
            let _ = evaluator.evaluate(first);
        }
        let broken = || "its edits would break another document".to_owned();
        let why = |left: Left| if self.kept.contains(&index) { Left { why: broken(), ..left } } else { left };
        self.fixes.left.extend(left.map(why));
        true
    }

    /// Keeps the edits of a document that is admitted with them, apart from what is accepted.
    fn keep(
        &mut self,
        draft: &Draft,
        index: usize,
        changes: Vec<Change>,
        accepted: Option<&Outcome>,
    ) -> bool {
        if changes.is_empty() {
            self.fixes.skipped.extend(accepted.map(|outcome| Skipped {
                refused: Refused::of(outcome),
                why: outcome.accepted.refusal.iter().map(ToString::to_string).collect(),
            }));
            return false;
        }
        self.pieces.remember(draft, index);
        let notes = if changes.iter().any(sets_non_root) { vec![NON_ROOT] } else { Vec::new() };
        self.fixes.fixed.push(Fixed {
            subject: draft.subject.clone(),
            file: draft.file.clone(),
            line: draft.line,
            changes,
            is_secret: draft.is_secret,
            notes,
        });
        false
    }
}

/// What no manifest says about an image.
const NON_ROOT: &str = "whether its images run as another user than root is not known offline: a container that is root \
                        does not start with runAsNonRoot";

fn sets_non_root(change: &Change) -> bool {
    change.path.to_string().ends_with("securityContext.runAsNonRoot")
}

/// Returns the refused requests because of a document: of controllers, those that are refused if they are repeated now.
/// What is accepted is noted in them.
fn refusals(outcome: &Outcome, evaluator: &mut Evaluator, accept: Accept<'_>) -> Vec<Outcome> {
    let mut judged = outcome.clone();
    accept(&mut judged);
    let mut refused: Vec<Outcome> =
        judged.with_caused().filter(|request| request.refusal.is_some()).cloned().collect();
    if refused.is_empty() && outcome.is_pending {
        let now = evaluator.checkpoint();
        let place = place_of(outcome);
        evaluator.finish(|mut repeated| {
            if place_of(&repeated) == place {
                accept(&mut repeated);
                let caused = repeated.with_caused().filter(|request| request.refusal.is_some());
                refused.extend(caused.cloned());
            }
        });
        evaluator.resume(&now);
    }
    refused
}

/// Returns the file of the document that caused `outcome`, and its offset.
fn place_of(outcome: &Outcome) -> Option<(String, usize)> {
    let place = outcome.place.as_ref()?.whole();
    Some((place.file().to_owned(), place.offset()))
}
