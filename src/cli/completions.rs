//! `kadmit completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::{Cli, Exit};

/// Print the completions of a shell
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Complete in this shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "kadmit", &mut script);
        console.print(&String::from_utf8_lossy(&script));
        console.exit()
    }
}
