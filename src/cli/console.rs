//! The output of the subcommands without a report.

use std::io::{self, IsTerminal, Write, stderr, stdout};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::report::{Diagnostic, Printable, Severity, write_diagnostic};

/// Prints, and remembers whether an error was among it.
pub(super) struct Console {
    colors: Colors,
    width: usize,
    failed: bool,
}

/// Returns the columns available for text.
pub(super) fn width() -> usize {
    let size = if stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    size.map_or(80, |(width, _)| usize::from(width.0).clamp(60, 120))
}

/// Clears a terminal before the next output.
pub(super) fn clear() {
    if stdout().is_terminal() {
        let mut out = stdout().lock();
        // An error shows in the next output.
        let _ = out.write_all(b"\x1b[2J\x1b[3J\x1b[H").and_then(|()| out.flush());
    }
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
        let write = || write_diagnostic(&mut Printable::new(stderr().lock(), true), diagnostic, self.width);
        // If standard error is closed, the message is lost.
        let _ = self.colors.for_standard_error(write);
    }

    /// Prints `text` on standard output.
    pub(super) fn print(&mut self, text: &str) {
        let mut out = Printable::new(stdout().lock(), true);
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.say(&Diagnostic::input("kadmit::output", format!("cannot write: {error}")));
            }
            _ => {}
        }
    }

    pub(super) fn exit(&self) -> Exit {
        if self.failed { Exit::Input } else { Exit::Admitted }
    }
}
