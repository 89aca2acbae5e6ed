//! The part of an outcome that the user accepts.
//!
//! It does not affect the server: refused objects are not created. It only records that the user knows.

use std::collections::BTreeMap;
use std::fmt;

/// The refusal and the warnings of a request that the user accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// The acceptance of the refusal, if it is accepted.
    pub refusal: Option<Acceptance>,
    /// The acceptances of warnings, by their text.
    pub warnings: BTreeMap<String, Acceptance>,
}

/// The reason of an acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acceptance {
    /// A skip by the user, with a reason.
    Skipped(Skipped),
    /// It is in the baseline.
    Known,
}

/// A skip by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The reason.
    pub reason: String,
    /// The file with the skip.
    pub file: String,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// Whether the file is the manifest itself.
    pub in_manifest: bool,
}

impl fmt::Display for Acceptance {
    /// Writes `skipped: the image needs it (kadmit.toml:12)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(Skipped { reason, file, line, .. }) => {
                write!(formatter, "skipped: {reason} ({file}:{line})")
            }
            Self::Known => formatter.write_str("known: it is in the baseline"),
        }
    }
}
