//! Changes that may rule refusals out.

use crate::admission::{Change, Cost, Remedy};
use crate::evaluation::{Evaluator, Outcome, Place, Unevaluated, Written};
use crate::fix::{Consent, Draft, Left, decoding, invalid, names};
use kube_api::field::Path;
use kube_api::resource;

/// The changes of a document after one evaluation.
pub(super) struct Proposal {
    remedies: Vec<Remedy>,
    /// Why nothing more is proposed.
    pub(super) left: Left,
    /// Whether a refusal has no remedy.
    has_none: bool,
}

impl Proposal {
    /// Returns the changes for all of `refused`, the requests because of one document.
    pub(super) fn of(refused: &[Outcome], evaluator: &Evaluator) -> Self {
        let mut remedies: Vec<Remedy> = Vec::new();
        let mut hopeless = None;
        for outcome in refused {
            let own = remedies_of(outcome, evaluator);
            if own.is_empty() {
                hopeless.get_or_insert(outcome);
            }
            for remedy in own {
                let is_known = |known: &Remedy| {
                    known.change == remedy.change
                        || known.change.path == remedy.change.path
                            && known.change.action != remedy.change.action
                };
                if !remedies.iter().any(is_known) {
                    remedies.push(remedy);
                }
            }
        }
        let shown = hopeless.or(refused.first());
        let left = shown.map(|outcome| Left::of(outcome, "what it should be is not known"));
        Self { remedies, has_none: hopeless.is_some(), left: left.unwrap_or_default() }
    }

    /// Returns the changes for a document whose kind the server does not have.
    pub(super) fn of_unevaluated(unevaluated: &Unevaluated, draft: &Draft) -> Self {
        let mut remedies = Vec::new();
        if let Unevaluated::UnknownKind(unknown) = unevaluated {
            let set = |field, value: &str| Remedy::of(Change::set(Path::new(field), value));
            match (&unknown.successor, resource::suggest(&unknown.kind, unknown.release)) {
                (Some(successor), _) if successor.differences.is_empty() => {
                    remedies.push(set("apiVersion", &successor.api_version));
                }
                (Some(successor), _) => {
                    let change = Change::set(Path::new("apiVersion"), successor.api_version.as_str());
                    remedies.push(Remedy::choosing(change));
                }
                (None, Some((api_version, kind))) => {
                    if api_version != unknown.kind.api_version() {
                        remedies.push(set("apiVersion", &api_version));
                    }
                    if kind != unknown.kind.kind {
                        remedies.push(set("kind", kind));
                    }
                }
                (None, None) => {}
            }
        }
        let left = Left {
            subject: draft.subject.clone(),
            file: draft.file.clone(),
            line: draft.line,
            message: unevaluated.to_string(),
            why: "no other kind is near".to_owned(),
        };
        Self { has_none: remedies.is_empty(), remedies, left }
    }

    /// Returns the changes, if a person agrees to all of them.
    ///
    /// # Errors
    ///
    /// Returns why the document stays as it is.
    pub(super) fn accepted(&self, consent: Consent) -> Result<Vec<Change>, String> {
        if self.has_none || self.remedies.is_empty() {
            return Err(self.left.why.clone());
        }
        let refused = self.remedies.iter().find(|remedy| !consent.covers(remedy.cost));
        if let Some(Remedy { change, cost }) = refused {
            let flag = match cost {
                Cost::Removal => "--allow-removals",
                _ => "--allow-values",
            };
            return Err(format!("the change of {} {cost}: {flag} makes it", change.path));
        }
        Ok(self.remedies.iter().map(|remedy| remedy.change.clone()).collect())
    }
}

/// Returns the changes of the document after which `outcome` is not refused for the same reason.
pub(super) fn remedies_of(outcome: &Outcome, evaluator: &Evaluator) -> Vec<Remedy> {
    let Some(refusal) = &outcome.refusal else { return Vec::new() };
    let release = evaluator.profile().release();
    let mut remedies = refusal.remedies.clone();
    if remedies.is_empty() {
        remedies.extend(refusal.errors.iter().flat_map(|error| invalid::remedies(error, outcome)));
    }
    if remedies.is_empty() && outcome.cause.is_none() {
        let written = outcome.place.as_ref().and_then(Place::written);
        let node = written.as_ref().and_then(Written::node);
        let found = node.zip(outcome.decode_span);
        remedies.extend(found.and_then(|(node, span)| decoding::remedy(node, span, outcome, release)));
    }
    if remedies.is_empty() {
        remedies.extend(names::remedies(refusal, evaluator.cluster()));
    }
    let field = outcome.place.as_ref().and_then(|place| place.field());
    let Some(field) = field else { return remedies };
    let within = |remedy: Remedy| Remedy { change: remedy.change.within(field), ..remedy };
    remedies.into_iter().map(within).collect()
}
