//! Help: the commands, and topics for what belongs to no single one.

use std::ffi::OsString;

use clap::{Args, Command};

use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::definition::WIDTH;
use crate::cli::server_flags::ServerFlags;
use crate::cli::{Exit, settings, usage};
use crate::report::Escapes;

/// Print the help of a command or a topic
///
/// The topics are `server`, the flags of kube-apiserver and those about webhooks, and `settings`, the file kadmit.toml.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Help {
    /// Describe this command, or this topic: server, settings
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  kadmit help run
  kadmit help server    the flags of kube-apiserver
  kadmit help settings  the file kadmit.toml";

/// What is described apart from the commands.
pub(super) const TOPICS: [&str; 2] = ["server", "settings"];

impl Help {
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        match self.words.first().and_then(|word| word.to_str()) {
            Some("server") => {
                let text = colors.styled(&server().render_help());
                console.write(&text, Escapes::Colored);
            }
            Some("settings") => console.print(settings::HELP),
            _ => return usage::help_of(&self.words, colors),
        }
        console.exit()
    }
}

/// Returns the flags of every server as a command.
fn server() -> Command {
    let topic = ServerFlags::augment_args(Command::new("server"));
    let topic = topic.disable_help_flag(true).max_term_width(WIDTH).help_template("{before-help}{all-args}");
    topic.before_help(
        "The server is described by these flags of `run`, `diff`, `compare` and all other commands that evaluate.\n\
         Lists are separated by commas; a flag that is repeated extends the list.",
    )
}
