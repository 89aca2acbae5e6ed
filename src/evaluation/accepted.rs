//! What the user accepts of an outcome.
//!
//! It changes nothing about what the server does: what is refused does not come to exist. It only says that the user
//! knows.

use std::collections::BTreeMap;
use std::fmt;

/// The refusal and the warnings of a request that the user accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// Why the refusal is accepted, if it is.
    pub refusal: Option<Acceptance>,
    /// Why warnings are accepted, by their text.
    pub warnings: BTreeMap<String, Acceptance>,
}

/// Why something is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acceptance {
    /// The user says so, with a reason.
    Skipped(Skipped),
    /// It is in the baseline.
    Known,
}

/// What a user says who accepts something.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Why.
    pub reason: String,
    /// The file that says so.
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// Whether the file is the manifest itself.
    pub in_manifest: bool,
}

impl fmt::Display for Acceptance {
    /// `skipped: the image needs it (kadmit.toml:12)`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(Skipped { reason, file, line, .. }) => {
                write!(formatter, "skipped: {reason} ({file}:{line})")
            }
            Self::Known => formatter.write_str("known: it is in the baseline"),
        }
    }
}
