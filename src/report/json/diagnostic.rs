//! The JSON of a diagnostic.

use serde::Serialize;

use crate::report::{Code, Diagnostic, Severity};

#[derive(Serialize)]
pub(in crate::report) struct DiagnosticEntry<'a> {
    severity: Severity,
    code: Code,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(rename = "endColumn", skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

impl<'a> DiagnosticEntry<'a> {
    pub(in crate::report) fn of(diagnostic: &'a Diagnostic) -> Self {
        let of_source = diagnostic.source.as_ref().map(|(source, span)| source.columns(*span).1);
        let columns = of_source.or(diagnostic.file_columns);
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            file: diagnostic.file.as_deref(),
            line: diagnostic.line(),
            column: columns.map(|(column, _)| column),
            end_column: columns.map(|(_, end)| end),
        }
    }
}
