//! The tables of the release whose server kadmit is like: text files in `data/v1.N/`, compiled in and read where they
//! are used.
//!
//! Every file begins with a comment that says where its facts are from; an empty line ends it.

use crate::api::version::Version;

/// The minor of [`Version::BINARY`]. This is the only place that has it: the
/// paths of the tables and the texts of the help follow.
macro_rules! binary_minor {
    () => {
        36
    };
}

/// The text of a table of the release.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/data/v1.",
            $crate::api::release::binary_minor!(),
            "/",
            $name
        ))
    };
}

pub(crate) use {binary_minor, table};

/// The table without the comment before it.
pub(crate) fn body(table: &'static str) -> &'static str {
    table.split_once("\n\n").map_or("", |(_, body)| body)
}

/// How many releases can be emulated.
pub(crate) const RELEASES: usize = (Version::BINARY.minor - Version::OLDEST.minor) as usize + 1;

/// The minor of `version`, or of the release that can be emulated and is nearest to it.
pub(crate) fn known(version: Version) -> u32 {
    let minor = if version.major == 1 { version.minor } else { version.major * Version::BINARY.minor };
    minor.clamp(Version::OLDEST.minor, Version::BINARY.minor)
}

/// Minor releases, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    first: u32,
    last: u32,
}

impl Span {
    /// All releases.
    pub(crate) const ALWAYS: Self = Self { first: 0, last: u32::MAX };

    /// Reads `1.14-1.21`, in which either end may be open.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-')?;
        let minor = |text: &str, open| match text {
            "" => Some(open),
            release => release.strip_prefix("1.")?.parse().ok(),
        };
        Some(Self { first: minor(first, 0)?, last: minor(last, u32::MAX)? })
    }

    /// Whether the release 1.`minor` is one of them.
    pub(crate) fn contains(self, minor: u32) -> bool {
        (self.first..=self.last).contains(&minor)
    }
}

#[cfg(test)]
mod tests;
