//! What the server offers, and what the client can do.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions,
    ExecuteCommandOptions, OneOf, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};

use crate::cli::lsp::STORED;
use crate::cli::lsp::position::Encoding;

/// What the client can do that the server asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// Whether it reports changed files.
    pub(super) watches: bool,
    /// Whether it asks again for texts at the ends of lines.
    pub(super) refreshes_hints: bool,
    /// Whether it asks again for texts above lines.
    pub(super) refreshes_lenses: bool,
}

impl Client {
    pub(super) fn of(capabilities: &ClientCapabilities) -> Self {
        let Some(workspace) = &capabilities.workspace else { return Self::default() };
        let watches = workspace.did_change_watched_files.as_ref();
        let hints = workspace.inlay_hint.as_ref();
        let lenses = workspace.code_lens.as_ref();
        Self {
            watches: watches.is_some_and(|watches| watches.dynamic_registration == Some(true)),
            refreshes_hints: hints.is_some_and(|hints| hints.refresh_support == Some(true)),
            refreshes_lenses: lenses.is_some_and(|lenses| lenses.refresh_support == Some(true)),
        }
    }
}

/// Returns what the server offers to a client that counts columns in `encoding`.
pub(super) fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(true.into()),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([" ", ".", ";", "\""].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![STORED.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
