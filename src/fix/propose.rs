//! Changes that may rule refusals out.

use crate::admission::{Change, Cost, Remedy};
use crate::evaluation::{Outcome, Unevaluated};
use crate::fix::{Consent, Draft, Left};
use crate::report::Refused;
use kube_api::field::{ErrorType, Path};
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
    pub(super) fn of(refused: &[Outcome]) -> Self {
        let mut remedies: Vec<Remedy> = Vec::new();
        let mut hopeless = None;
        for outcome in refused {
            let own = outcome.remedies();
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
        let left = shown.map(|outcome| Left { refused: Refused::of(outcome), why: why(outcome), next: None });
        Self { remedies, has_none: hopeless.is_some(), left: left.unwrap_or_default() }
    }

    /// Returns the changes for a document whose kind the server does not have.
    pub(super) fn of_unevaluated(unevaluated: &Unevaluated, draft: &Draft) -> Self {
        let mut remedies = Vec::new();
        if let Unevaluated::UnknownKind(unknown) = unevaluated {
            let set = |field, value: &str| Remedy::of(Change::set(Path::new(field), value));
            match (&unknown.successor, resource::suggest(&unknown.kind, unknown.release)) {
                (Some(successor), _) => {
                    let change = Change::set(Path::new("apiVersion"), successor.api_version.as_str());
                    let is_same = successor.differences.is_empty();
                    remedies.push(if is_same { Remedy::of(change) } else { Remedy::choosing(change) });
                    remedies.extend(successor.moved.iter().cloned().map(Remedy::of));
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
        let refused = Refused {
            subject: draft.subject.clone(),
            file: draft.file.clone(),
            line: draft.line,
            message: unevaluated.to_string(),
            plugin: None,
        };
        let left = Left { refused, why: "no other kind is near".to_owned(), next: None };
        Self { has_none: remedies.is_empty(), remedies, left }
    }

    /// Whether there are changes that a person could agree to.
    pub(super) fn has_remedies(&self) -> bool {
        !self.has_none && !self.remedies.is_empty()
    }

    /// Returns the changes, if a person agrees to all of them.
    ///
    /// # Errors
    ///
    /// Returns why the document stays as it is.
    pub(super) fn accepted(&self, consent: Consent) -> Result<Vec<Change>, String> {
        if !self.has_remedies() {
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

/// Returns why no edit is made of what `outcome` is refused for: it is unknown, or a choice, which is named.
fn why(outcome: &Outcome) -> String {
    let refusal = outcome.refusal.iter();
    let choice = refusal.clone().flat_map(|refusal| &refusal.errors).find_map(|error| {
        let path = error.path.as_ref().filter(|_| error.supported.len() > 1)?;
        Some(format!("{path} is a choice: {}", error.supported.join(", ")))
    });
    choice.unwrap_or_else(|| {
        let field = refusal.clone().flat_map(|refusal| &refusal.errors).find_map(|error| {
            let is_missing = error.error_type == ErrorType::Required;
            Some((error.path.as_ref()?, is_missing))
        });
        match (field, refusal.clone().find_map(|refusal| refusal.rule.as_ref())) {
            (Some((path, true)), _) => format!("{path} is missing, and many values are possible"),
            (Some((path, false)), _) => format!("what {path} should be is not known"),
            (None, Some(rule)) => format!("what the rule of {} demands is not known", rule.policy),
            (None, None) => "what it should be is not known".to_owned(),
        }
    })
}
