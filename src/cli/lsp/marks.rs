//! Marks as diagnostics of the protocol.

use std::path::Path;

use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString};

use crate::cli::lsp::position::{Encoding, uri_of};
use crate::cli::lsp::texts::Texts;
use crate::report::Severity;
use crate::report::editor::{Line, Mark};

/// The name of the source of all diagnostics.
const SOURCE: &str = "kadmit";

/// `marks` of one file as diagnostics, ordered by place.
pub(super) fn diagnostics(marks: &[Mark], texts: &Texts, encoding: Encoding) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for mark in marks {
        let diagnostic = diagnostic(mark, texts, encoding);
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    diagnostics
}

/// `mark` as a diagnostic.
pub(super) fn diagnostic(mark: &Mark, texts: &Texts, encoding: Encoding) -> Diagnostic {
    let text = |line: &Line| texts.known(&line.file).map(|source| source.text().to_owned());
    let related = mark.related.iter().filter_map(|(line, message)| {
        let range = encoding.range_of_line(line, text(line).as_deref());
        let location = Location { uri: uri_of(Path::new(&line.file))?, range };
        Some(DiagnosticRelatedInformation { location, message: message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: encoding.range_of_line(&mark.line, text(&mark.line).as_deref()),
        severity: Some(match mark.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(code(mark))),
        source: Some(SOURCE.to_owned()),
        message: mark.message.clone(),
        related_information: Some(related).filter(|related| !related.is_empty()),
        ..Diagnostic::default()
    }
}

/// `PodSecurity` of what a plugin refuses, else what is wrong: `kadmit::manifest::duplicate_key`.
fn code(mark: &Mark) -> String {
    if mark.can_be_skipped { mark.rule.to_owned() } else { mark.code.clone() }
}
