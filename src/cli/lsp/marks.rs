//! Marks as diagnostics of the protocol.

use std::path::Path;
use std::str::FromStr;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Uri,
};

use crate::cli::lsp::position::{Encoding, uri_of};
use crate::cli::lsp::texts::Texts;
use crate::report::Severity;
use crate::report::editor::{self, FileLine, Mark};

/// The name of the source of all diagnostics.
const SOURCE: &str = "kadmit";

/// Returns `marks` of one file as diagnostics, ordered by place.
pub(super) fn diagnostics(marks: &[Mark], texts: &Texts, encoding: Encoding) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for mark in marks {
        let diagnostic = diagnostic(mark, texts, encoding);
        // A hint is about every object of a file in the same way.
        let is_known = |known: &Diagnostic| {
            *known == diagnostic
                || diagnostic.severity == Some(DiagnosticSeverity::HINT)
                    && known.message == diagnostic.message
        };
        if !diagnostics.iter().any(is_known) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    diagnostics
}

/// Returns `mark` as a diagnostic.
pub(super) fn diagnostic(mark: &Mark, texts: &Texts, encoding: Encoding) -> Diagnostic {
    let text = |line: &FileLine| texts.known(&line.file).map(|source| source.text());
    let related = mark.related.iter().filter_map(|(line, message)| {
        let range = encoding.range_of_line(line, text(line));
        let location = Location { uri: uri_of(Path::new(&line.file))?, range };
        Some(DiagnosticRelatedInformation { location, message: message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: encoding.range_of_line(&mark.line, text(&mark.line)),
        severity: Some(match mark.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note if mark.code == editor::NOTE => DiagnosticSeverity::HINT,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code_description: description(mark),
        code: Some(NumberOrString::String(code(mark))),
        source: Some(SOURCE.to_owned()),
        message: mark.message.clone(),
        related_information: Some(related).filter(|related| !related.is_empty()),
        ..Diagnostic::default()
    }
}

/// Returns the plugin of a refusal, such as `PodSecurity`, or the code of an error, such as
/// `kadmit::manifest::duplicate_key`.
fn code(mark: &Mark) -> String {
    if mark.can_be_skipped { mark.rule.to_owned() } else { mark.code.clone() }
}

/// Returns the page about the code of `mark`, if there is one.
fn description(mark: &Mark) -> Option<CodeDescription> {
    let href = Uri::from_str(&editor::page_about(mark)?).ok()?;
    Some(CodeDescription { href })
}
