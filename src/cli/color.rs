//! One decision about colours for all output.

use std::env;
use std::io::{IsTerminal, stderr, stdout};

use clap::ValueEnum;
use clap::builder::StyledStr;

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

/// Whether the two outputs are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colors {
    out: bool,
    err: bool,
    /// Whether colours were requested for every destination.
    pub(super) everywhere: bool,
}

impl ColorChoice {
    /// Decides, and applies the decision to everything that prints to standard output.
    pub(super) fn apply(self) -> Colors {
        let both = match self {
            Self::Always => Some(true),
            Self::Never => Some(false),
            Self::Auto if is_set("CLICOLOR_FORCE") => Some(true),
            Self::Auto if is_set("NO_COLOR") || env::var_os("TERM").is_some_and(|term| term == "dumb") => {
                Some(false)
            }
            Self::Auto => None,
        };
        let colors = Colors {
            out: both.unwrap_or_else(|| stdout().is_terminal()),
            err: both.unwrap_or_else(|| stderr().is_terminal()),
            everywhere: both == Some(true),
        };
        colored::control::set_override(colors.out);
        colors
    }
}

impl Colors {
    /// Returns help as text for standard output.
    pub(super) fn styled(self, help: &StyledStr) -> String {
        if self.out { help.ansi().to_string() } else { help.to_string() }
    }

    /// Calls `write` with the colour setting of standard error.
    pub(super) fn for_standard_error<T>(self, write: impl FnOnce() -> T) -> T {
        colored::control::set_override(self.err);
        let result = write();
        colored::control::set_override(self.out);
        result
    }
}

/// Whether progress may be drawn.
pub(super) fn shows_progress() -> bool {
    stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}
