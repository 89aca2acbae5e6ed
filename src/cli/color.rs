//! One decision about colours for everything that prints.

use std::env;
use std::io::{IsTerminal, stderr, stdout};

use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl ColorChoice {
    /// Makes everything that prints obey.
    pub(super) fn apply(self) {
        let on = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if is_set("CLICOLOR_FORCE") => true,
            Self::Auto if is_set("NO_COLOR") || env::var_os("TERM").is_some_and(|term| term == "dumb") => {
                false
            }
            Self::Auto => stdout().is_terminal(),
        };
        colored::control::set_override(on);
    }
}

/// Whether progress may be drawn.
pub(super) fn shows_progress() -> bool {
    stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}
