//! A refused request in a list of what is refused.

use crate::evaluation::Outcome;
use crate::report::{Subject, shown};

/// A request that is refused, and why; without the contents of Secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The object and the operation.
    pub subject: String,
    /// The file of the document; empty if the request was not written.
    pub file: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// The message of the server.
    pub message: String,
    /// The plugin that refused, unless it was the server.
    pub plugin: Option<&'static str>,
}

impl Refused {
    /// Returns the refusal of `outcome`.
    pub fn of(outcome: &Outcome) -> Self {
        let outcome = &*shown(outcome);
        let place = outcome.place.as_ref();
        Self {
            subject: Subject::of(outcome).to_string(),
            file: place.map_or_else(String::new, |place| place.file().to_owned()),
            line: place.map_or(0, |place| place.line_column().0),
            message: outcome.status().map(|status| status.message.clone()).unwrap_or_default(),
            plugin: outcome.denied_by(),
        }
    }
}
