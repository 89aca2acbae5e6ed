//! `kadmit lsp`: a language server on standard input and output.
//!
//! Documents are evaluated by project: the files of one `kadmit.toml`. One thread reads the messages of the client;
//! another one keeps the texts and evaluates, after applying all pending messages, so that it never evaluates an
//! outdated text.

mod actions;
mod capabilities;
mod early;
mod inline;
mod marks;
mod position;
mod project;
mod published;
mod server;
mod texts;

use clap::Args;
use lsp_server::Connection;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console;
use crate::cli::input;
use crate::code::Code;
use crate::report::Diagnostic;

use server::Server;

/// The command that returns the objects that the server stores for a file.
const STORED: &str = "kadmit.stored";

/// Serve editors on standard input and output (Language Server Protocol)
///
/// Marks errors and refusals in manifests while they are written, shows what sets a line, offers edits and skips, and
/// shows the object that the server would store. The cluster and the flags are those of the nearest kadmit.toml.
/// Webhooks are never called.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Lsp {
    /// Use standard input and output, which is the only way; some editors pass this flag
    #[arg(long)]
    stdio: bool,
}

const EXAMPLES: &str = "\
Examples:
  kadmit lsp  started by an editor, whose settings are in docs/editors.md";

impl Lsp {
    #[expect(clippy::unused_self, reason = "every subcommand is executed so")]
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        input::refuse_standard_input(texts::no_standard_input());
        let (connection, threads) = Connection::stdio();
        let ended = Server::serve(&connection, colors);
        drop(connection);
        match ended.and_then(|exit| Ok(threads.join().map(|()| exit)?)) {
            Ok(exit) => exit,
            Err(error) => {
                let message = format!("the session broke off: {error}");
                console::refuse(&[Diagnostic::input(Code::Lsp, message)], colors)
            }
        }
    }
}
