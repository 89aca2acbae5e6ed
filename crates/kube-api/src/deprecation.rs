//! Deprecated kinds.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/deprecation`, the `zz_generated.prerelease-lifecycle.go` of each version.

use std::sync::LazyLock;

use crate::GroupVersionKind;
use crate::release::{self, table};
use crate::version::Version;

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
    /// The minor of the release that is to stop serving it, if one is planned.
    pub until: Option<u32>,
    /// The `apiVersion` and kind to use instead; empty where there is none.
    pub replacement: &'static str,
}

/// Returns the server's warning about every request that carries or answers with a `kind`.
pub fn warning(kind: &GroupVersionKind) -> Option<String> {
    warning_in(Version::BINARY, kind)
}

/// The first release whose servers warn.
const WARNS: Version = Version::minor(19);

/// Versions whose types do not say that they are deprecated before the release with this minor.
const MARKED_LATE: [(&str, u32); 1] = [("admissionregistration.k8s.io/v1alpha1", 32)];

/// Versions with another replacement before the release with this minor.
const REPLACED_BEFORE: [(&str, u32, &str); 1] =
    [("flowcontrol.apiserver.k8s.io/v1beta1", 26, "flowcontrol.apiserver.k8s.io/v1beta2")];

/// Returns the warning of the server of `release`.
pub fn warning_in(release: Version, kind: &GroupVersionKind) -> Option<String> {
    let Deprecation { api_version, kind, since, until, replacement } = of(kind)?;
    let is_unmarked =
        MARKED_LATE.iter().any(|(version, marked)| version == api_version && release.minor < *marked);
    if *since > release.minor || release < WARNS || is_unmarked {
        return None;
    }
    let is_before =
        |(version, minor, _): &&(&str, u32, &str)| version == api_version && release.minor < *minor;
    let earlier = REPLACED_BEFORE.iter().find(is_before).map(|(.., earlier)| format!("{earlier} {kind}"));
    let replacement = earlier.as_deref().unwrap_or(replacement);
    let until = until.map_or(String::new(), |until| format!(", unavailable in v1.{until}+"));
    let hint = if replacement.is_empty() { "" } else { "; use " };
    Some(format!("{api_version} {kind} is deprecated in v1.{since}+{until}{hint}{replacement}"))
}

/// Kinds that the schemes of the release no longer have, in the form of the table.
const GONE: &[&str] = &[
    "apiextensions.k8s.io/v1beta1 CustomResourceDefinition 1.16 1.22 apiextensions.k8s.io/v1 CustomResourceDefinition",
    "apiregistration.k8s.io/v1beta1 APIService 1.19 1.22 apiregistration.k8s.io/v1 APIService",
    "autoscaling/v2beta1 HorizontalPodAutoscaler 1.22 1.25 autoscaling/v2 HorizontalPodAutoscaler",
    "autoscaling/v2beta2 HorizontalPodAutoscaler 1.23 1.26 autoscaling/v2 HorizontalPodAutoscaler",
    "extensions/v1beta1 PodSecurityPolicy 1.11 1.16 policy/v1beta1 PodSecurityPolicy",
    "policy/v1beta1 PodSecurityPolicy 1.21 1.25",
];

/// All deprecations, ordered by kind and version.
static DEPRECATIONS: LazyLock<Vec<Deprecation>> = LazyLock::new(|| {
    let lines = release::body(TABLE).lines().chain(GONE.iter().copied());
    let mut all: Vec<_> = lines
        .map(|line| Deprecation::read(line).expect("the table has a deprecation in each line"))
        .collect();
    all.sort_unstable_by_key(|one| (one.kind, one.api_version));
    all
});

/// Returns the deprecation of `kind`, if it is or will be deprecated.
pub fn of(kind: &GroupVersionKind) -> Option<&'static Deprecation> {
    let start = DEPRECATIONS.partition_point(|one| *one.kind < *kind.kind);
    let mut of_kind = DEPRECATIONS[start..].iter().take_while(|one| *one.kind == *kind.kind);
    of_kind.find(|one| kind.is_in(one.api_version))
}

impl Deprecation {
    /// Returns the kind to use instead, if there is one.
    pub fn replacement_kind(&self) -> Option<GroupVersionKind> {
        let (api_version, kind) = self.replacement.split_once(' ')?;
        Some(GroupVersionKind::from_api_version(api_version, kind))
    }

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
        let endpoints = GroupVersionKind::new("", "v1", "Endpoints");
        assert_eq!(warning_in(Version::minor(32), &endpoints), None);
    }

    #[test]
    fn finds_what_the_table_has() {
        let lines: Vec<_> = release::body(TABLE).lines().collect();
        assert!(lines.is_sorted() && lines.len() > 100);
        for entry in DEPRECATIONS.iter() {
            assert!(entry.since > 0 && entry.until.is_none_or(|until| until > entry.since), "{entry:?}");
            let found = of(&GroupVersionKind::from_api_version(entry.api_version, entry.kind));
            assert!(found.is_some_and(|found| std::ptr::eq(found, entry)), "{entry:?}");
        }
    }
}
