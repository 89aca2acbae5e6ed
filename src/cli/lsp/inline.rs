//! Texts at the ends of lines and above them, and what can follow the text before the cursor.

use lsp_types::{
    CodeLens, Command, CompletionItem, CompletionTextEdit, InlayHint, InlayHintLabel, Position, Range,
    TextEdit, Uri,
};

use crate::cli::lsp::STORED;
use crate::cli::lsp::position::Encoding;
use crate::cli::lsp::project::Project;
use crate::report::editor::{self, Names};
use gotext::source::{SourceFile, Span};
use kube_api::distribution::Distribution;

/// Returns what plugins set at the ends of the lines of `range`.
pub(super) fn hints(
    project: &Project,
    source: &SourceFile,
    range: Range,
    encoding: Encoding,
) -> Vec<InlayHint> {
    let hints = project.outcomes(source.name()).flat_map(editor::hints).map(|hint| InlayHint {
        position: encoding.range(source, Span::new(hint.offset..hint.offset)).start,
        label: InlayHintLabel::String(hint.text),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    hints.filter(|hint| (range.start.line..=range.end.line).contains(&hint.position.line)).collect()
}

/// Returns the verdicts above the objects of a file.
pub(super) fn lenses(project: &Project, source: &SourceFile, uri: &Uri, encoding: Encoding) -> Vec<CodeLens> {
    let arguments: Vec<serde_json::Value> = serde_json::to_value(uri).into_iter().collect();
    let outcomes: Vec<_> = project.outcomes(source.name()).collect();
    let lenses = editor::lenses(&outcomes).into_iter().map(|lens| CodeLens {
        range: encoding.range(source, Span::new(lens.offset..lens.offset)),
        command: Some(Command {
            title: lens.title,
            command: STORED.to_owned(),
            arguments: Some(arguments.clone()),
        }),
        data: None,
    });
    lenses.collect()
}

/// Returns what can be written at `position`.
pub(super) fn complete(
    project: &Project,
    source: &SourceFile,
    position: Position,
    encoding: Encoding,
) -> Vec<CompletionItem> {
    let Some(evaluator) = project.evaluator() else { return Vec::new() };
    let plugins = evaluator.plugins();
    let names = Names {
        release: evaluator.profile().reading_release(),
        is_openshift: evaluator.profile().distribution() != Distribution::Kubernetes,
        plugins: &plugins,
    };
    let offset = encoding.offset(source.text(), position);
    let (span, found) = editor::complete(source.text(), offset, names);
    let range = encoding.range(source, span);
    let item = |found: editor::Completion| CompletionItem {
        label: found.label.clone(),
        detail: Some(found.detail).filter(|detail| !detail.is_empty()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: found.label })),
        ..CompletionItem::default()
    };
    found.into_iter().map(item).collect()
}
