//! Releases of Kubernetes, such as 1.36.
//!
//! Source: `k8s.io/apimachinery/pkg/util/version`.

use std::fmt;
use std::str::FromStr;

use gotext::quote;

/// The minor of [`Version::BINARY`], the newest release that is known. It is written only here: the paths of the tables and the help texts are derived
/// from it.
#[doc(hidden)]
#[macro_export]
macro_rules! binary_minor {
    () => {
        37
    };
}

/// The minor of [`Version::DEFAULT`], for help texts.
#[doc(hidden)]
#[macro_export]
macro_rules! default_minor {
    () => {
        37
    };
}

pub use crate::{binary_minor, default_minor};

/// A minor release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
}

impl Version {
    /// The newest release that can be emulated: that of the tables.
    pub const BINARY: Self = Self { major: 1, minor: binary_minor!() };

    /// The release that is emulated by default.
    pub const DEFAULT: Self = Self::minor(default_minor!());

    /// The release whose servers answered most recordings. Of it and later ones, all data is in the tables, and no
    /// difference is known.
    pub const RECORDED: Self = Self::minor(36);

    /// The release that the newest known OpenShift is made from.
    pub const OPENSHIFT: Self = Self::minor(36);

    /// The oldest release that can be emulated.
    pub const OLDEST: Self = Self { major: 1, minor: 10 };

    /// Returns a release of Kubernetes 1.
    pub const fn minor(minor: u32) -> Self {
        Self { major: 1, minor }
    }

    /// Returns the minor of the release before.
    pub const fn previous_minor(self) -> u32 {
        self.minor.saturating_sub(1)
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads `1.36`, `v1.36` and `1.36.0`; a patch release is not a minor release. The errors are the server's.
    fn from_str(text: &str) -> Result<Self, String> {
        let unreadable = || format!("could not parse {} as version", quote(text));
        let start = text.trim_start();
        let start = start.strip_prefix('v').unwrap_or(start);
        let is_numeric = |character: char| character.is_ascii_digit() || character == '.';
        let end = start.find(|character| !is_numeric(character)).unwrap_or(start.len());
        // A dot without a number after it belongs to what follows the version.
        let numbers = start[..end].split("..").next().unwrap_or_default().trim_end_matches('.');
        if !numbers.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(unreadable());
        }
        let parts: Vec<_> = numbers.split('.').collect();
        let [major, minor, rest @ ..] = parts.as_slice() else {
            return Err(format!("illegal version string {}", quote(text)));
        };
        if major.starts_with('0') && *major != "0" {
            let major = quote(major);
            return Err(format!("illegal zero-prefixed version component {major} in {}", quote(text)));
        }
        let number = |part: &str| {
            part.parse::<u32>().map_err(|_| {
                let part = quote(part);
                format!(
                    "illegal non-numeric version component {part} in {}: strconv.ParseUint: parsing {part}: value out of \
                     range",
                    quote(text)
                )
            })
        };
        let version = Self { major: number(major)?, minor: number(minor)? };
        match rest.first().copied().map(number).transpose()? {
            None | Some(0) => Ok(version),
            Some(_) => Err(format!("patch version not allowed, got: kube={numbers}")),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_minor_releases() {
        let release = Ok(Version { major: 1, minor: 33 });
        for text in ["1.33", "v1.33", " 1.33", "1.33.0", "1.33-alpha", "1.033", "1.33."] {
            assert_eq!(text.parse(), release, "{text}");
        }
        assert_eq!(release.map(|version| version.to_string()), Ok("1.33".to_owned()));
        assert!(Version { major: 1, minor: 9 } < Version::BINARY);
    }

    #[test]
    fn words_errors_as_the_server_does() {
        let error = |text: &str| text.parse::<Version>().unwrap_err();
        assert_eq!(error("latest"), "could not parse \"latest\" as version");
        assert_eq!(error(""), "could not parse \"\" as version");
        assert_eq!(error("1"), "illegal version string \"1\"");
        assert_eq!(error("01.2"), "illegal zero-prefixed version component \"01\" in \"01.2\"");
        assert_eq!(error("1.33.4"), "patch version not allowed, got: kube=1.33.4");
        assert_eq!(
            error("1.99999999999999999999"),
            "illegal non-numeric version component \"99999999999999999999\" in \"1.99999999999999999999\": \
             strconv.ParseUint: parsing \"99999999999999999999\": value out of range"
        );
    }
}
