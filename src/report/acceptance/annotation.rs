//! `kadmit.dev/skip: PLUGIN reason`, the annotation that skips findings about its object and about those that
//! controllers create for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::code::Code;
use crate::evaluation::{Outcome, Place, Skipped};
use crate::report::Diagnostic;
use crate::report::acceptance::skip::{is_reason, rule_named, title};
use crate::report::acceptance::{skipped, unmatched};
use gotext::source::{SourceFile, Span};

/// The name of the annotation.
pub(crate) const NAME: &str = "kadmit.dev/skip";

/// The annotations of all manifests.
#[derive(Default)]
pub(super) struct Annotations {
    read: BTreeMap<AnnotationPlace, Vec<Remark>>,
    /// The document that was searched last, and whether the annotation is named in it. A list is one document.
    searched: Option<(Arc<SourceFile>, Span, bool)>,
}

/// The file of an annotation, and its place there.
pub(super) type AnnotationPlace = (String, Span);

/// One skip in an annotation.
struct Remark {
    rule: &'static str,
    reason: String,
    source: Arc<SourceFile>,
    is_found: bool,
}

impl Annotations {
    /// Reads the annotations for `outcome` and the requests that it caused, and returns which apply to which. Errors in
    /// those that were not read before are added to `diagnostics`.
    pub(super) fn of(
        &mut self,
        outcome: &Outcome,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Vec<AnnotationPlace>> {
        let may_have = outcome.with_caused().any(|request| self.may_have_annotation(request));
        let mut keys = Vec::new();
        for request in outcome.with_caused().filter(|_| may_have) {
            let of_request = request.place.as_ref().map(|place| self.read(place, diagnostics));
            keys.push(of_request.unwrap_or_default());
        }
        keys
    }

    /// Whether reading the manifest is worthwhile. For an unreadable object only that is known, and an object that a
    /// controller creates does not have its workload's annotations.
    fn may_have_annotation(&mut self, request: &Outcome) -> bool {
        let is_annotated = request.received.as_ref().is_some_and(|object| object.annotation(NAME).is_some());
        let says_something = !request.allowed() || !request.trace.warnings.is_empty();
        let mut is_written = || request.place.as_ref().is_some_and(|place| self.is_named_in(place));
        is_annotated || (says_something && is_written())
    }

    fn is_named_in(&mut self, place: &Place) -> bool {
        let (source, span) = (place.source(), place.document_span());
        if let Some((searched, at, is_named)) = &self.searched
            && Arc::ptr_eq(searched, source)
            && *at == span
        {
            return *is_named;
        }
        let is_named = place.text().contains(NAME);
        self.searched = Some((Arc::clone(source), span, is_named));
        is_named
    }

    /// Returns the skip of `rule` in the annotations `keys`. All equivalent ones are marked as used.
    pub(super) fn find(&mut self, rule: &str, keys: &[AnnotationPlace]) -> Option<Skipped> {
        let mut found = None;
        for key in keys {
            let remarks = self.read.get_mut(key).into_iter().flatten();
            for remark in remarks.filter(|remark| remark.rule == rule) {
                remark.is_found = true;
                found.get_or_insert_with(|| skipped(&remark.reason, &remark.source, key.1, true));
            }
        }
        found
    }

    /// Returns those without effect.
    pub(super) fn idle(&self) -> impl Iterator<Item = Diagnostic> {
        let all =
            self.read.iter().flat_map(|((_, span), remarks)| remarks.iter().map(|remark| (*span, remark)));
        all.filter(|(_, remark)| !remark.is_found)
            .map(|(span, remark)| unmatched(title(remark.rule), &remark.reason, remark.source.clone(), span))
    }

    /// Reads the annotations that apply to the object at `place`.
    fn read(&mut self, place: &Place, diagnostics: &mut Vec<Diagnostic>) -> Vec<AnnotationPlace> {
        let Some(written) = place.written() else { return Vec::new() };
        let mut keys = Vec::new();
        for (text, span) in written.annotations(NAME) {
            let key = (place.file().to_owned(), span);
            let source = place.source();
            self.read.entry(key.clone()).or_insert_with(|| parse_all(text, source, span, diagnostics));
            keys.push(key);
        }
        keys
    }
}

/// Returns the skips in the annotation at `span`.
fn parse_all(
    text: &str,
    source: &Arc<SourceFile>,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for entry in text.split(['\n', ';']).map(str::trim).filter(|entry| !entry.is_empty()) {
        match parse(entry) {
            Ok((rule, reason)) => {
                let (reason, source) = (reason.to_owned(), source.clone());
                remarks.push(Remark { rule, reason, source, is_found: false });
            }
            Err(diagnostic) => diagnostics.push(diagnostic.at(source.clone(), span)),
        }
    }
    remarks
}

/// Returns rule and reason of one skip.
fn parse(entry: &str) -> Result<(&'static str, &str), Diagnostic> {
    // The server's own rules have names of two words.
    let words = if entry.starts_with("API ") { 2 } else { 1 };
    let end = entry.match_indices(char::is_whitespace).nth(words - 1).map_or(entry.len(), |(end, _)| end);
    let (name, reason) = (&entry[..end], entry[end..].trim());
    let rule = rule_named(name).map_err(|unknown| {
        let message = format!("`{NAME}` names \"{name}\", which is not a plugin");
        Diagnostic::input(Code::SkipUnknownPlugin, message).help(unknown.help)
    })?;
    if !is_reason(reason) {
        let message = format!("`{NAME}` skips {} without a reason", title(rule));
        let help = format!("say why: `{NAME}: {name} REASON`");
        return Err(Diagnostic::input(Code::SkipNoReason, message).help(help));
    }
    Ok((rule, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(entry: &str) -> (String, String) {
        let diagnostic = parse(entry).unwrap_err();
        (diagnostic.message, diagnostic.help.unwrap())
    }

    #[test]
    fn an_entry_is_a_plugin_and_a_reason() {
        assert_eq!(
            parse("PodSecurity needs the host's  network").unwrap(),
            ("PodSecurity", "needs the host's  network")
        );
        assert_eq!(parse("API validation\tlegacy").unwrap(), ("APIValidation", "legacy"));
        assert_eq!(parse("APIServer legacy").unwrap(), ("APIServer", "legacy"));
    }

    #[test]
    fn a_placeholder_is_no_reason() {
        for entry in ["PodSecurity TODO", "PodSecurity TODO: why", "PodSecurity todo: ..."] {
            assert_eq!(refused(entry).0, "`kadmit.dev/skip` skips PodSecurity without a reason");
        }
        assert!(parse("PodSecurity TODO: remove it after the move to CSI").is_ok());
    }

    #[test]
    fn an_entry_without_a_reason_or_a_plugin_is_wrong() {
        assert_eq!(
            refused("PodSecurity"),
            (
                "`kadmit.dev/skip` skips PodSecurity without a reason".to_owned(),
                "say why: `kadmit.dev/skip: PodSecurity REASON`".to_owned()
            )
        );
        assert_eq!(
            refused("podsecurity it is old"),
            (
                "`kadmit.dev/skip` names \"podsecurity\", which is not a plugin".to_owned(),
                "did you mean \"PodSecurity\"?".to_owned()
            )
        );
        assert_eq!(
            refused("everything"),
            (
                "`kadmit.dev/skip` names \"everything\", which is not a plugin".to_owned(),
                "`kadmit plugins` lists the plugins; the server itself is \"API validation\" or \"API server\""
                    .to_owned()
            )
        );
    }
}
