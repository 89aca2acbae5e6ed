//! Findings that the user accepts: skips with a reason, and those in a baseline.
//!
//! A skip is written in a manifest, as an annotation, or in the settings. The server still refuses the request, but the
//! run does not fail for it.

mod annotation;
mod baseline;
mod date;
mod files;
mod skip;

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::Refusal;
use crate::code::Code;
use crate::evaluation::{Acceptance, Accepted, Outcome, Skipped, is_said};
use crate::report::{Diagnostic, finding, without_secrets};
use gotext::source::{SourceFile, Span};

pub use baseline::Baseline;
pub use date::day_of_unix_time;
pub use files::FilePatterns;
pub use jiff::civil::Date;
pub use skip::{Skip, UnknownRule, is_reason, rule_named};

#[cfg(feature = "report")]
pub(crate) use annotation::NAME as SKIP_ANNOTATION;
use annotation::{AnnotationPlace, Annotations};
#[cfg(feature = "report")]
pub(in crate::report) use skip::PLACEHOLDER;
pub(in crate::report) use skip::title;

/// Finds the accepted parts of each outcome, and records the skips that matched nothing.
pub struct Acceptor {
    skips: Vec<Sought>,
    annotations: Annotations,
    /// Whether annotations of manifests skip.
    reads_annotations: bool,
    baseline: Option<Baseline>,
}

/// A skip of the settings.
struct Sought {
    skip: Skip,
    has_expired: bool,
    is_found: bool,
}

/// A refusal or a warning.
struct Candidate<'a> {
    request: &'a Outcome,
    rule: &'static str,
    is_refusal: bool,
    /// Without values of Secrets, also if the user lets them be shown: it is written into baselines.
    message: Cow<'a, str>,
}

/// Accepts what annotations skip, and nothing else.
impl Default for Acceptor {
    fn default() -> Self {
        Self::new(Vec::new(), Date::default(), None)
    }
}

impl Acceptor {
    /// Returns an acceptor of the `skips` that have not expired before `today`, and of `baseline`.
    pub fn new(skips: Vec<Skip>, today: Date, baseline: Option<Baseline>) -> Self {
        let sought = |skip: Skip| {
            let has_expired = skip.expires.is_some_and(|expires| expires < today);
            Sought { skip, has_expired, is_found: false }
        };
        let skips = skips.into_iter().map(sought).collect();
        Self { skips, annotations: Annotations::default(), reads_annotations: true, baseline }
    }

    /// Accepts nothing that a skip names, neither of the settings nor of manifests.
    #[must_use]
    pub fn without_skips(self) -> Self {
        Self { skips: Vec::new(), reads_annotations: false, ..self }
    }

    /// Returns the baseline, with the findings so far.
    pub fn baseline(&self) -> Option<&Baseline> {
        self.baseline.as_ref()
    }

    /// Records in `outcome` and those that it caused what is accepted. Outcomes come in the order of evaluation.
    /// Returns the errors in the annotations of its manifest.
    pub fn judge(&mut self, outcome: &mut Outcome) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let keys =
            if self.reads_annotations { self.annotations.of(outcome, &mut diagnostics) } else { Vec::new() };
        if keys.is_empty() && self.skips.is_empty() && self.baseline.is_none() {
            return diagnostics;
        }
        let keys_of = |position: usize| keys.get(position).map_or(&[][..], Vec::as_slice);
        let own = self.accept(outcome, None, keys_of(0));
        let mut all = Vec::with_capacity(outcome.caused.len());
        for (position, caused) in outcome.caused.iter().enumerate() {
            all.push(self.accept(caused, Some((&*outcome, &own)), keys_of(position + 1)));
        }
        outcome.accepted = own;
        for (caused, accepted) in outcome.caused.iter_mut().zip(all) {
            caused.accepted = accepted;
        }
        diagnostics
    }

    /// Notes what is in the baseline in `outcome`, which was stored with what was accepted then, and in those that it
    /// caused.
    pub fn judge_stored(&mut self, outcome: &mut Outcome) {
        let Some(baseline) = &mut self.baseline else { return };
        let said = outcome.trace.warnings.clone();
        let accepted = complete(baseline, outcome, &[]);
        outcome.accepted = accepted;
        for caused in &mut outcome.caused {
            caused.accepted = complete(baseline, caused, &said);
        }
    }

    /// Returns the skips without effect: those that have expired, and those that matched nothing. If the run
    /// `is_partial`, the settings may have unmatched ones.
    pub fn idle_skips(&self, is_partial: bool) -> Vec<Diagnostic> {
        let idle = self.skips.iter().filter(|sought| !sought.is_found);
        let idle = idle.filter_map(|Sought { skip, has_expired, .. }| {
            let (rule, reason, source) = (title(skip.rule), &skip.reason, skip.source.clone());
            if let (Some(date), true) = (skip.expires, has_expired) {
                let message = format!("the skip of {rule} expired on {date}: {reason}");
                let expired = Diagnostic::warning(Code::SkipExpired, message);
                return Some(expired.help("renew `expires`, or remove the skip").at(source, skip.span));
            }
            (!is_partial).then(|| unmatched(rule, reason, source, skip.span))
        });
        self.annotations.idle().chain(idle).collect()
    }

    /// Returns the accepted part of `request`, to which the annotations `keys` apply. `root` is the request that caused
    /// it, with its accepted part.
    fn accept(
        &mut self,
        request: &Outcome,
        root: Option<(&Outcome, &Accepted)>,
        keys: &[AnnotationPlace],
    ) -> Accepted {
        let mut accepted = Accepted::default();
        if let Some(refusal) = &request.refusal {
            accepted.refusal = self.find(&Candidate::refusal(request, refusal), keys);
        }
        for warning in &request.trace.warnings {
            let acceptance = match root.filter(|(root, _)| is_said(warning, &root.trace.warnings)) {
                // It is reported once.
                Some((root, accepted)) => {
                    let of_root = |other: &&String| is_said(warning, std::slice::from_ref(*other));
                    let known = root.trace.warnings.iter().find(of_root);
                    known.and_then(|known| accepted.warnings.get(known).cloned())
                }
                None => self.find(&Candidate::warning(request, warning), keys),
            };
            if let Some(acceptance) = acceptance {
                accepted.warnings.insert(warning.clone(), acceptance);
            }
        }
        accepted
    }

    fn find(&mut self, said: &Candidate<'_>, keys: &[AnnotationPlace]) -> Option<Acceptance> {
        let mut skipped = self.annotations.find(said.rule, keys);
        for sought in self.skips.iter_mut().filter(|sought| !sought.has_expired) {
            if sought.skip.is_about(said) {
                sought.is_found = true;
                skipped.get_or_insert_with(|| sought.skip.skipped());
            }
        }
        match skipped {
            Some(skipped) => Some(Acceptance::Skipped(skipped)),
            None => self.baseline.as_mut()?.knows(said).then_some(Acceptance::Known),
        }
    }
}

/// Returns what of `request` is accepted when what `baseline` knows is; the warnings in `said` are those of another
/// request.
fn complete(baseline: &mut Baseline, request: &Outcome, said: &[String]) -> Accepted {
    let mut accepted = request.accepted.clone();
    if let (Some(refusal), false) = (&request.refusal, is_skipped(accepted.refusal.as_ref())) {
        let is_known = baseline.knows(&Candidate::refusal(request, refusal));
        accepted.refusal = accepted.refusal.or(is_known.then_some(Acceptance::Known));
    }
    for warning in request.trace.warnings.iter().filter(|warning| !is_said(warning, said)) {
        let was = accepted.warnings.get(warning);
        if !is_skipped(was) && baseline.knows(&Candidate::warning(request, warning)) {
            accepted.warnings.insert(warning.clone(), Acceptance::Known);
        }
    }
    accepted
}

fn is_skipped(acceptance: Option<&Acceptance>) -> bool {
    matches!(acceptance, Some(Acceptance::Skipped(_)))
}

impl<'a> Candidate<'a> {
    fn refusal(request: &'a Outcome, refusal: &'a Refusal) -> Self {
        let rule = finding::refusing(request, refusal);
        let message = without_secrets(request, rule, &refusal.status.message);
        Self { request, rule, is_refusal: true, message }
    }

    fn warning(request: &'a Outcome, warning: &'a String) -> Self {
        let rule = finding::warning_of(request, warning);
        let message = without_secrets(request, rule, warning);
        Self { request, rule, is_refusal: false, message }
    }
}

fn unmatched(rule: &str, reason: &str, source: Arc<SourceFile>, span: Span) -> Diagnostic {
    let message = format!("the skip of {rule} matches nothing: {reason}");
    Diagnostic::warning(Code::SkipUnmatched, message).help("remove it").at(source, span)
}

/// Returns a skip at `span` of `source`.
fn skipped(reason: &str, source: &SourceFile, span: Span, in_manifest: bool) -> Skipped {
    let (line, _) = source.line_column(span.start);
    Skipped { reason: reason.to_owned(), file: source.name().to_owned(), line, in_manifest }
}
