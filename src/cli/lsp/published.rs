//! What the client shows of each file, so that only what changed is sent.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use lsp_types::{Diagnostic, PublishDiagnosticsParams};

use crate::cli::lsp::marks;
use crate::cli::lsp::position::{Encoding, uri_of};
use crate::cli::lsp::texts::Texts;
use crate::report::editor::Mark;
use gotext::source::SourceFile;

/// The files of a project with their diagnostics.
#[derive(Default)]
pub(super) struct Published(BTreeMap<String, Shown>);

/// The diagnostics that the client shows for a file.
struct Shown {
    /// Of these marks in this text.
    marks: Vec<Mark>,
    source: Option<Arc<SourceFile>>,
    diagnostics: Vec<Diagnostic>,
}

impl Published {
    /// Returns the files that have diagnostics, or are open without any.
    pub(super) fn files(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Returns the message with the `marks` of `file`, unless the client has them already; `version` is that of an open
    /// document.
    pub(super) fn show(
        &mut self,
        file: &str,
        version: Option<i32>,
        marks: &[Mark],
        (texts, encoding): (&Texts, Encoding),
    ) -> Option<PublishDiagnosticsParams> {
        let source = texts.known(file);
        let is_same = |shown: &Shown| {
            let is_same_text = match (&shown.source, source) {
                (Some(shown), Some(source)) => Arc::ptr_eq(shown, source),
                (shown, source) => shown.is_none() && source.is_none(),
            };
            // A related place may be in another file, whose text changed.
            is_same_text && shown.marks == marks && marks.iter().all(|mark| mark.related.is_empty())
        };
        if self.0.get(file).is_some_and(is_same) {
            return None;
        }
        let uri = uri_of(Path::new(file))?;
        let diagnostics = marks::diagnostics(marks, texts, encoding);
        let is_silent = diagnostics.is_empty() && version.is_none();
        let shown = Shown { marks: marks.to_owned(), source: source.cloned(), diagnostics };
        let diagnostics = shown.diagnostics.clone();
        let known = if is_silent { self.0.remove(file) } else { self.0.insert(file.to_owned(), shown) };
        let is_known = known.map_or(is_silent, |known| known.diagnostics == diagnostics);
        (!is_known).then_some(PublishDiagnosticsParams { uri, diagnostics, version })
    }
}
