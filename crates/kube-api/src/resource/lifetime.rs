//! The releases in which a kind is served, and its replacement.

use std::fmt;

use super::{ApiResource, Served, all, by_kind_in, of_release, past};
use crate::GroupVersionKind;
use crate::deprecation::{self, Deprecation};
use crate::release::Span;
use crate::version::Version;

/// The releases that can serve a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The minor of the first one, if it is known.
    pub since: Option<u32>,
    /// The minor of the last one, if it is gone.
    pub until: Option<u32>,
    /// The minor of the last one that serves it by default, if that is an earlier one.
    pub default_until: Option<u32>,
}

/// The replacement of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The kind.
    pub kind: GroupVersionKind,
    /// The minor of the first release that serves it, if it is known.
    pub since: Option<u32>,
}

/// The replacements of kinds that have no successor among the kinds.
const SUCCESSORS: [(&str, &str, &str); 7] = [
    ("admissionregistration.k8s.io", "InitializerConfiguration", "mutating webhooks take its place"),
    ("auditregistration.k8s.io", "AuditSink", "the server's --audit-webhook-config-file takes its place"),
    ("extensions", "PodSecurityPolicy", "Pod Security admission takes its place"),
    ("policy", "PodSecurityPolicy", "Pod Security admission takes its place"),
    ("resource.k8s.io", "PodSchedulingContext", "the scheduler allocates claims itself"),
    ("resource.k8s.io", "ResourceClass", "DeviceClass takes its place"),
    ("settings.k8s.io", "PodPreset", "mutating webhooks take its place"),
];

/// Groups whose kinds moved, and the groups that they moved to.
const MOVED: [(&str, &str, &str); 5] = [
    ("extensions", "DaemonSet", "apps"),
    ("extensions", "Deployment", "apps"),
    ("extensions", "Ingress", "networking.k8s.io"),
    ("extensions", "NetworkPolicy", "networking.k8s.io"),
    ("extensions", "ReplicaSet", "apps"),
];

impl Lifetime {
    /// Returns the releases that can serve `kind`; nothing if none ever did.
    pub fn of(kind: &GroupVersionKind) -> Option<Self> {
        let api_version = kind.api_version();
        let present = all().iter().find(|entry| is_of(entry, kind));
        let (span, default_until) = match present {
            Some(entry) => (past::span(&api_version, entry.resource).unwrap_or(Span::ALWAYS), None),
            None => past::gone(&api_version, &kind.kind)?,
        };
        Some(Self { since: span.first(), until: span.last(), default_until })
    }

    /// Whether `release` can serve it.
    pub fn contains(self, release: Version) -> bool {
        self.since.is_none_or(|since| since <= release.minor)
            && self.until.is_none_or(|until| release.minor <= until)
    }
}

impl fmt::Display for Lifetime {
    /// Formats it as `served until 1.17, by default until 1.15`; `served since 1.30`; `served in 1.36 alone`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("served")?;
        match (self.since, self.until) {
            (Some(since), Some(until)) if since == until => write!(formatter, " in 1.{since} alone")?,
            (since, until) => {
                if let Some(since) = since {
                    write!(formatter, " since 1.{since}")?;
                }
                if let Some(until) = until {
                    write!(formatter, " until 1.{until}")?;
                }
            }
        }
        if let Some(until) = self.default_until {
            write!(formatter, ", by default until 1.{until}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Replacement {
    /// Formats it as `since 1.19 networking.k8s.io/v1`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(since) = self.since {
            write!(formatter, "since 1.{since} ")?;
        }
        formatter.write_str(&self.kind.api_version())
    }
}

/// Returns the replacement of `kind` in `release`: the one that its deprecation names, or the most mature version of it
/// that the release serves by default.
pub fn replacement(kind: &GroupVersionKind, release: Version) -> Option<Replacement> {
    let mut named = kind.clone();
    // A replacement may have been replaced in turn.
    while let Some(next) = deprecation::of(&named).and_then(Deprecation::replacement_kind) {
        named = next;
        if by_kind_in(release, &named).is_some() && !is_deprecated(&named, release) {
            break;
        }
    }
    let found = if named != *kind && by_kind_in(release, &named).is_some() {
        named
    } else {
        best_version(kind, release)?
    };
    let since = Lifetime::of(&found).and_then(|lifetime| lifetime.since);
    Some(Replacement { kind: found, since })
}

fn is_deprecated(kind: &GroupVersionKind, release: Version) -> bool {
    deprecation::of(kind).is_some_and(|mark| mark.since <= release.minor)
}

/// Returns the most mature other version of `kind` that `release` serves by default.
fn best_version(kind: &GroupVersionKind, release: Version) -> Option<GroupVersionKind> {
    let moved = MOVED.iter().find(|(group, name, _)| kind.group == *group && kind.kind == *name);
    let is_it = |entry: &&ApiResource| {
        let is_group = entry.group == kind.group || moved.is_some_and(|(.., group)| entry.group == *group);
        is_group && entry.kind == kind.kind && entry.version != kind.version
    };
    let stage = |entry: &&ApiResource| {
        let stage = match entry.version {
            version if version.contains("alpha") => 0,
            version if version.contains("beta") => 1,
            _ => 2,
        };
        (stage, entry.version)
    };
    let served = of_release(release).iter().filter(is_it).filter(|entry| entry.served == Served::Default);
    served.max_by_key(stage).map(ApiResource::group_version_kind)
}

/// Returns the advice about a `kind` that `release` does not serve; nothing if no release ever did.
pub fn help(kind: &GroupVersionKind, release: Version) -> Option<String> {
    let lifetime = Lifetime::of(kind)?;
    Some(match replaced_by(kind, release) {
        Some(replacement) => format!("{lifetime}; {replacement}"),
        None => lifetime.to_string(),
    })
}

/// Returns what to use in place of `kind` in `release`: `since 1.19 networking.k8s.io/v1`.
pub fn replaced_by(kind: &GroupVersionKind, release: Version) -> Option<String> {
    match replacement(kind, release) {
        Some(replacement) if replacement.kind.kind != kind.kind => {
            Some(format!("{replacement} {}", replacement.kind.kind))
        }
        Some(replacement) => Some(replacement.to_string()),
        None => successor(kind).map(str::to_owned),
    }
}

/// Whether some release of Kubernetes serves kinds of `group` itself; then definitions cannot add any.
pub fn has_group(group: &str) -> bool {
    let releases = (Version::OLDEST.minor..=Version::BINARY.minor).rev();
    releases
        .map(|minor| of_release(Version::minor(minor)))
        .any(|entries| entries.iter().any(|entry| entry.group == group))
}

/// Whether a release has a resource of `version` of `group`.
pub fn has_version(group: &str, version: &str) -> bool {
    let releases = Version::OLDEST.minor..=Version::BINARY.minor;
    let is_of = |entry: &ApiResource| entry.group == group && entry.version == version;
    releases.rev().any(|minor| of_release(Version::minor(minor)).iter().any(is_of))
}

/// Returns the API version and kind that `kind` is most likely a misspelling of: a similar kind of its group, or the kind
/// in the version or group that has it.
pub fn suggest(kind: &GroupVersionKind, release: Version) -> Option<(String, &'static str)> {
    if !has_group(&kind.group) {
        return None;
    }
    let distance = |entry: &&ApiResource| {
        strsim::damerau_levenshtein(&entry.kind.to_lowercase(), &kind.kind.to_lowercase())
    };
    let entries = || of_release(release).iter().filter(|entry| entry.served == Served::Default);
    let similar = entries().filter(|entry| entry.group == kind.group).min_by_key(distance);
    let similar = similar.filter(|entry| distance(entry) <= 2);
    let found = similar.or_else(|| entries().find(|entry| entry.kind == kind.kind))?;
    Some((found.group_version(), found.kind))
}

/// Returns the replacement of a kind that has no successor among the kinds.
pub fn successor(kind: &GroupVersionKind) -> Option<&'static str> {
    let found = SUCCESSORS.iter().find(|(group, name, _)| kind.group == *group && kind.kind == *name);
    found.map(|(.., successor)| *successor)
}

fn is_of(entry: &ApiResource, kind: &GroupVersionKind) -> bool {
    entry.kind == kind.kind && entry.group == kind.group && entry.version == kind.version
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help_in(minor: u32, api_version: &str, kind: &str) -> Option<String> {
        help(&GroupVersionKind::from_api_version(api_version, kind), Version::minor(minor))
    }

    #[test]
    fn says_until_when_a_kind_was_served_and_what_takes_its_place() {
        let cases = [
            ("extensions/v1beta1", "Ingress", "served until 1.21; since 1.19 networking.k8s.io/v1"),
            ("extensions/v1beta1", "Deployment", "served until 1.17, by default until 1.15; apps/v1"),
            (
                "networking.k8s.io/v1beta1",
                "Ingress",
                "served since 1.14 until 1.21; since 1.19 networking.k8s.io/v1",
            ),
            ("batch/v2alpha1", "CronJob", "served until 1.20; since 1.21 batch/v1"),
            (
                "autoscaling/v2beta1",
                "HorizontalPodAutoscaler",
                "served until 1.24; since 1.23 autoscaling/v2",
            ),
            (
                "policy/v1beta1",
                "PodSecurityPolicy",
                "served until 1.24; Pod Security admission takes its place",
            ),
        ];
        for (api_version, kind, expected) in cases {
            assert_eq!(help_in(36, api_version, kind).as_deref(), Some(expected));
        }
    }

    #[test]
    fn says_since_when_a_kind_is_served_and_what_an_older_release_has() {
        assert_eq!(
            help_in(18, "networking.k8s.io/v1", "Ingress").as_deref(),
            Some("served since 1.19; since 1.14 networking.k8s.io/v1beta1")
        );
        assert_eq!(
            help_in(20, "policy/v1", "PodDisruptionBudget").as_deref(),
            Some("served since 1.21; policy/v1beta1")
        );
        assert_eq!(help_in(36, "v1", "Gadget"), None);
    }
}
