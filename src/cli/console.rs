//! The output of the subcommands without a report.

use std::env;
use std::io::{self, IsTerminal, StderrLock, Write, stderr, stdout};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::code::Code;
use crate::report::{Diagnostic, Escapes, Printable, Severity, UNLIMITED, write_diagnostic};

/// Prints, and records whether an error was printed.
pub(super) struct Console {
    colors: Colors,
    width: usize,
    failed: bool,
}

/// Returns the columns of text on standard output: those of the terminal; no limit if it is not one.
pub(super) fn width() -> usize {
    width_of(stdout().is_terminal())
}

/// Returns the columns that text on standard error may take.
fn error_width() -> usize {
    width_of(stderr().is_terminal())
}

/// Returns the columns that text in a file may take.
pub(super) fn file_width() -> usize {
    requested_columns().unwrap_or(UNLIMITED)
}

fn width_of(is_terminal: bool) -> usize {
    let of_terminal = || {
        let size = if is_terminal { terminal_size::terminal_size() } else { None };
        size.map(|(width, _)| usize::from(width.0).clamp(NARROWEST, WIDEST))
    };
    requested_columns().or_else(of_terminal).unwrap_or(UNLIMITED)
}

/// Returns the columns that the environment sets.
fn requested_columns() -> Option<usize> {
    let columns: usize = env::var("COLUMNS").ok()?.parse().ok()?;
    (columns > 0).then(|| columns.clamp(NARROWEST, UNLIMITED))
}

/// The fewest columns of text, even if the terminal has fewer.
const NARROWEST: usize = 40;

/// The most columns of text: longer lines are hard to read.
const WIDEST: usize = 120;

/// Clears a terminal before the next output.
pub(super) fn clear() {
    if stdout().is_terminal() {
        let mut out = stdout().lock();
        // An error shows in the next output.
        let _ = out.write_all(b"\x1b[2J\x1b[3J\x1b[H").and_then(|()| out.flush());
    }
}

/// Writes on standard error, for which `write` gets the columns that text may take.
pub(super) fn write_error(
    colors: Colors,
    write: impl FnOnce(&mut Printable<StderrLock<'static>>, usize) -> io::Result<()>,
) {
    let write = || write(&mut Printable::new(stderr().lock(), Escapes::Colored), error_width());
    // If standard error is closed, the message is lost.
    let _ = colors.for_standard_error(write);
}

/// Prints a diagnostic on standard error.
pub(super) fn say(diagnostic: &Diagnostic, colors: Colors) {
    write_error(colors, |out, width| write_diagnostic(out, diagnostic, width));
}

/// Prints why nothing can be done, and returns the result.
pub(super) fn refuse(errors: &[Diagnostic], colors: Colors) -> Exit {
    for error in errors {
        say(error, colors);
    }
    Exit::Input
}

impl Console {
    pub(super) fn new(colors: Colors) -> Self {
        Self { colors, width: width(), failed: false }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Prints a diagnostic on standard error.
    pub(super) fn say(&mut self, diagnostic: &Diagnostic) {
        self.failed |= diagnostic.severity == Severity::Error;
        say(diagnostic, self.colors);
    }

    /// Prints `text` without colours on standard output.
    pub(super) fn print(&mut self, text: &str) {
        self.write(text, Escapes::Text);
    }

    /// Prints `text` on standard output, with hidden characters as `escapes`.
    pub(super) fn write(&mut self, text: &str, escapes: Escapes) {
        let mut out = Printable::new(stdout().lock(), escapes);
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.say(&Diagnostic::input(Code::Output, format!("cannot write: {error}")));
            }
            _ => {}
        }
    }

    /// Prints `text` on standard error.
    pub(super) fn write_error(&self, text: &str) {
        write_error(self.colors, |out, _| out.write_all(text.as_bytes()));
    }

    pub(super) fn exit(&self) -> Exit {
        if self.failed { Exit::Input } else { Exit::Admitted }
    }
}
