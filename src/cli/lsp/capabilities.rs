//! What the server offers, and what the client can do.

use lsp_types::{CodeActionKind, TextDocumentSyncKind};
use serde_json::{Value, json};

use crate::cli::lsp::STORED;
use crate::cli::lsp::position::Encoding;

/// What the client can do that the server asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// How it counts columns.
    pub(super) encoding: Encoding,
    /// Whether it reports changed files.
    pub(super) watches: bool,
    /// Whether it asks again for texts at the ends of lines.
    pub(super) refreshes_hints: bool,
    /// Whether it asks again for texts above lines.
    pub(super) refreshes_lenses: bool,
}

impl Client {
    /// Reads the parameters of the request `initialize`. The types of the protocol would read everything that a client
    /// can do, and refuse what they do not know.
    pub(super) fn of(params: &Value) -> Self {
        let capabilities = &params["capabilities"];
        let workspace = &capabilities["workspace"];
        let encodings = capabilities["general"]["positionEncodings"].as_array();
        Self {
            encoding: Encoding::of(encodings.into_iter().flatten().filter_map(Value::as_str)),
            watches: workspace["didChangeWatchedFiles"]["dynamicRegistration"] == true,
            refreshes_hints: workspace["inlayHint"]["refreshSupport"] == true,
            refreshes_lenses: workspace["codeLens"]["refreshSupport"] == true,
        }
    }
}

/// Returns what the server offers to a client that counts columns in `encoding`.
pub(super) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": {
            "openClose": true,
            "change": TextDocumentSyncKind::INCREMENTAL,
            "save": {"includeText": false},
        },
        "hoverProvider": true,
        "inlayHintProvider": true,
        "codeLensProvider": {"resolveProvider": false},
        "completionProvider": {"triggerCharacters": [" ", ".", ";", "\""]},
        "codeActionProvider": {
            "codeActionKinds": [CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE],
        },
        "executeCommandProvider": {"commands": [STORED]},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_nobody_asks_for_are_ignored() {
        let client = Client::of(&json!({"capabilities": {
            "general": {"positionEncodings": ["utf-32", "utf-8"], "staleRequestSupport": 7},
            "textDocument": {"hover": {"dynamicRegistration": "sometimes"}},
            "workspace": {"inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": "true"}},
        }}));
        assert_eq!(client.encoding, Encoding::Utf8);
        assert_eq!((client.watches, client.refreshes_hints, client.refreshes_lenses), (false, true, false));
    }
}
