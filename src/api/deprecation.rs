//! Kinds that are on their way out.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/deprecation`, the `zz_generated.prerelease-lifecycle.go` of each version.

use std::sync::OnceLock;

use crate::api::GroupVersionKind;
use crate::api::release::{self, table};
use crate::api::version::Version;

static TABLE: &str = table!("deprecations.txt");

/// One line of the table: a kind of one version that is deprecated.
#[derive(Debug)]
pub struct Deprecation {
    /// The `apiVersion`.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The minor of the release from which it is deprecated.
    pub since: u32,
    /// The minor of the release that is to serve it no more, if there is to be one.
    pub until: Option<u32>,
    /// The `apiVersion` and kind to use instead; empty where there is none.
    pub replacement: &'static str,
}

/// What the server warns of on every request that carries or answers with a `kind`.
pub fn warning(kind: &GroupVersionKind) -> Option<String> {
    warning_in(Version::BINARY.minor, kind)
}

/// What the server of release 1.`minor` warns of, as far as [`Version::BINARY`] still knows the kind.
pub fn warning_in(minor: u32, kind: &GroupVersionKind) -> Option<String> {
    let Deprecation { api_version, kind, since, until, replacement } = of(kind)?;
    if since > minor {
        return None;
    }
    let until = until.map_or(String::new(), |until| format!(", unavailable in v1.{until}+"));
    let hint = if replacement.is_empty() { "" } else { "; use " };
    Some(format!("{api_version} {kind} is deprecated in v1.{since}+{until}{hint}{replacement}"))
}

/// The marks of `kind`, if it is or will be deprecated.
pub fn of(kind: &GroupVersionKind) -> Option<Deprecation> {
    let key = format!("{} {} ", kind.api_version(), kind.kind);
    let start = |line: &'static str| &line.as_bytes()[..line.len().min(key.len())];
    let position = lines().binary_search_by(|line| start(line).cmp(key.as_bytes())).ok()?;
    Deprecation::read(lines()[position]).filter(|found| found.kind == kind.kind)
}

/// The lines of the table, ordered by version and kind.
fn lines() -> &'static [&'static str] {
    static LINES: OnceLock<Vec<&str>> = OnceLock::new();
    LINES.get_or_init(|| release::body(TABLE).lines().collect())
}

impl Deprecation {
    fn read(line: &'static str) -> Option<Self> {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next();
        let (api_version, kind) = (word()?, word()?);
        let minor = |release: &str| release.strip_prefix("1.")?.parse().ok();
        let (since, until) = (minor(word()?)?, minor(word()?));
        Some(Self { api_version, kind, since, until, replacement: word().unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_as_the_server_does() {
        let warning = |group, version, kind| warning(&GroupVersionKind::new(group, version, kind));
        assert_eq!(
            warning("", "v1", "Endpoints").as_deref(),
            Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
        );
        assert_eq!(
            warning("storage.k8s.io", "v1beta1", "VolumeAttributesClass").as_deref(),
            Some(
                "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; \
                 use storage.k8s.io/v1 VolumeAttributesClass"
            )
        );
        assert_eq!(warning("", "v1", "Pod"), None);
        assert_eq!(warning_in(32, &GroupVersionKind::new("", "v1", "Endpoints")), None);
    }

    #[test]
    fn the_table_is_ordered_and_whole() {
        assert!(lines().is_sorted() && lines().len() > 100);
        for line in lines() {
            let entry = Deprecation::read(line).expect("a line of the table");
            assert!(entry.since > 0 && entry.until.is_none_or(|until| until > entry.since), "{entry:?}");
            let (group, version) = entry.api_version.rsplit_once('/').unwrap_or(("", entry.api_version));
            let found = of(&GroupVersionKind::new(group, version, entry.kind)).expect("a deprecation");
            assert_eq!((found.kind, found.since), (entry.kind, entry.since));
        }
    }
}
