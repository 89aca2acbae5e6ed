//! The releases of Kubernetes that have a plugin and its parts.

use std::fmt;

use crate::versioned::Kind;
use kube_api::features::Feature;
use kube_api::version::Version;

/// Minor releases of Kubernetes 1, a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases {
    /// The minor of the first one; [`Releases::OLDEST`] means that one or any before it.
    pub first: u32,
    /// The minor of the last one, if it is gone.
    pub last: Option<u32>,
}

/// A feature gate on which a plugin depends: with it off, the plugin does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its name.
    pub feature: Feature,
    /// The releases that know it.
    pub releases: Releases,
    /// Those in which it is on by default.
    pub on: Option<Releases>,
}

/// A kind that the configuration of a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigurationKind {
    /// The `apiVersion`; empty for a file without one.
    pub api_version: &'static str,
    /// The `kind`; without an `apiVersion` the key at the top of the file.
    pub kind: &'static str,
    /// Its type in the field tables; empty if there is none.
    pub table: &'static str,
    /// The releases that read it.
    pub releases: Releases,
}

impl ConfigurationKind {
    /// Returns `kind`, which `releases` read.
    pub(super) const fn of(kind: &Kind, releases: Releases) -> Self {
        Self { api_version: kind.api_version, kind: kind.kind, table: kind.table, releases }
    }
}

impl Releases {
    /// The minor of the oldest release that kadmit knows.
    pub const OLDEST: u32 = Version::OLDEST.minor;

    /// Whether `release` is one of them.
    pub fn contains(self, release: Version) -> bool {
        release.major == 1
            && self.first <= release.minor
            && self.last.is_none_or(|last| release.minor <= last)
    }

    /// Returns the first of them: `1.22`, or `<=1.10` for those older than the oldest known.
    pub fn since(self) -> String {
        if self.first <= Self::OLDEST { format!("<=1.{}", Self::OLDEST) } else { format!("1.{}", self.first) }
    }

    /// Returns the last of them, such as `1.24`, if there is one.
    pub fn until(self) -> Option<String> {
        self.last.map(|last| format!("1.{last}"))
    }

    /// Describes them: `since 1.22`, `until 1.24`, `from 1.26 to 1.29`.
    pub fn in_words(self) -> String {
        match self.until() {
            None => format!("since {}", self.since()),
            Some(last) if self.first <= Self::OLDEST => format!("until {last}"),
            Some(last) => format!("from {} to {last}", self.since()),
        }
    }
}

impl fmt::Display for ConfigurationKind {
    /// Formats it as `apiVersion kind`, or the key of a file without a version.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { api_version, kind, .. } = self;
        if api_version.is_empty() {
            write!(formatter, "{kind}")
        } else {
            write!(formatter, "{api_version} {kind}")
        }
    }
}

impl Gate {
    /// Whether it is on in `release` by default; none if the release does not know it.
    pub fn default_in(&self, release: Version) -> Option<bool> {
        self.releases.contains(release).then(|| self.on.is_some_and(|on| on.contains(release)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_when_it_was() {
        let releases = |first, last| Releases { first, last };
        assert_eq!(releases(10, None).since(), "<=1.10");
        assert_eq!(releases(22, None).in_words(), "since 1.22");
        assert_eq!(releases(10, Some(24)).in_words(), "until 1.24");
        assert_eq!(releases(26, Some(29)).in_words(), "from 1.26 to 1.29");
        let release = |minor| Version { major: 1, minor };
        assert!(releases(26, Some(29)).contains(release(29)));
        assert!(!releases(26, Some(29)).contains(release(30)));
        assert!(!releases(26, None).contains(release(25)));
    }
}
