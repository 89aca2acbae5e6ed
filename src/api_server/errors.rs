//! Errors in flags, files and documents.

use std::error::Error;
use std::fmt;

use crate::configuration::Fault;
use crate::report::Diagnostic;

/// The errors in flags, files or documents: all of them, not only the first.
#[derive(Clone, Debug)]
pub struct Errors {
    /// The errors, and the notes before them.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) fault: Option<Fault>,
}

impl Errors {
    /// Returns what is wrong with the description of a server, if it is one of the faults that have a value.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }
}

impl From<Vec<Diagnostic>> for Errors {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, fault: None }
    }
}

impl From<Diagnostic> for Errors {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

impl Error for Errors {}

/// Formats one line per diagnostic: place, message and advice.
impl fmt::Display for Errors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.diagnostics.iter().enumerate() {
            if position > 0 {
                formatter.write_str("\n")?;
            }
            if let Some(file) = &diagnostic.file {
                write!(formatter, "{file}:")?;
                if let Some(line) = diagnostic.line() {
                    write!(formatter, "{line}:")?;
                }
                formatter.write_str(" ")?;
            }
            formatter.write_str(&diagnostic.message)?;
            if let Some(help) = &diagnostic.help {
                write!(formatter, " ({help})")?;
            }
        }
        Ok(())
    }
}
