//! `kadmit lsp`: a language server on standard input and output.
//!
//! Documents are evaluated by project: the files that one `kadmit.toml` names. One thread reads what the client sends;
//! another one keeps the texts and evaluates, and first takes everything that has come meanwhile, so that it never
//! works for a text that is gone.

mod actions;
mod marks;
mod position;
mod project;
mod server;
mod texts;

use clap::Args;
use lsp_server::Connection;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::report::Diagnostic;

use server::Server;

/// The command that answers with what the server stores of a file.
const STORED: &str = "kadmit.stored";

/// Serve editors on standard input and output (Language Server Protocol)
///
/// Marks what is wrong with manifests while they are written, shows what sets a line, offers edits and skips, and the
/// object that the server would store. The cluster and the flags are those of the nearest kadmit.toml. No webhook is
/// ever called.
#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// Speak on standard input and output, which is the only way; editors may say so
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        let (connection, threads) = Connection::stdio();
        let ended = Server::serve(&connection, colors);
        drop(connection);
        match ended.and_then(|exit| Ok(threads.join().map(|()| exit)?)) {
            Ok(exit) => exit,
            Err(error) => {
                let mut console = Console::new(colors);
                console.say(&Diagnostic::input("kadmit::lsp", format!("the session broke off: {error}")));
                Exit::Input
            }
        }
    }
}
