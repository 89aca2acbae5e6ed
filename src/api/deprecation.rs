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
    if *since > minor {
        return None;
    }
    let until = until.map_or(String::new(), |until| format!(", unavailable in v1.{until}+"));
    let hint = if replacement.is_empty() { "" } else { "; use " };
    Some(format!("{api_version} {kind} is deprecated in v1.{since}+{until}{hint}{replacement}"))
}

/// The marks of `kind`, if it is or will be deprecated.
pub fn of(kind: &GroupVersionKind) -> Option<&'static Deprecation> {
    let api_version = kind.api_version();
    let key = (api_version.as_str(), kind.kind.as_ref());
    let position = deprecated().binary_search_by(|entry| entry.key().cmp(&key)).ok()?;
    Some(&deprecated()[position])
}

fn deprecated() -> &'static [Deprecation] {
    static DEPRECATED: OnceLock<Vec<Deprecation>> = OnceLock::new();
    DEPRECATED.get_or_init(|| release::body(TABLE).lines().filter_map(Deprecation::read).collect())
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

    fn key(&self) -> (&str, &str) {
        (self.api_version, self.kind)
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
        let lines = release::body(TABLE).lines().count();
        assert_eq!(deprecated().len(), lines);
        assert!(deprecated().is_sorted_by(|left, right| left.key() < right.key()));
        for entry in deprecated() {
            assert!(entry.since > 0 && entry.until.is_none_or(|until| until > entry.since), "{entry:?}");
        }
    }
}
