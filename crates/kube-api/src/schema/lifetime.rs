//! The releases that know a field of a kind, for advice about one that a server does not know.

use std::fmt;

use crate::GroupVersionKind;
use crate::version::Version;

use super::Type;
use super::table::{self, Tables};

/// The releases of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The first release that has it.
    pub since: Version,
    /// The last one, if it is gone.
    pub until: Option<Version>,
    /// The field that has its meaning now, next to it unless it names another place.
    pub replacement: Option<&'static str>,
}

impl fmt::Display for Lifetime {
    /// Formats it as `known until 1.21; trafficDistribution replaces it`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
            Some(until) => write!(formatter, "known until {until}")?,
            None => write!(formatter, "known since {}", self.since)?,
        }
        self.replacement.map_or(Ok(()), |replacement| write!(formatter, "; {replacement} replaces it"))
    }
}

/// Fields that are gone, by type, and what has their meaning.
///
/// Source: the release notes, and the comments of the types.
const REPLACED: &[(&str, &str, &str)] = &[
    ("EphemeralVolumeSource", "readOnly", "volumeMounts[].readOnly of the container"),
    ("ManagedFieldsEntry", "fields", "fieldsV1"),
    ("NodeConfigSource", "configMapRef", "configMap"),
    ("PersistentVolumeClaimStatus", "resizeStatus", "allocatedResourceStatuses"),
    ("PodResourceClaim", "source", "resourceClaimName or resourceClaimTemplateName"),
    ("PodSpec", "workloadRef", "schedulingGroup"),
    ("ServiceSpec", "ipFamily", "ipFamilies and ipFamilyPolicy"),
    ("ServiceSpec", "topologyKeys", "trafficDistribution"),
];

/// Returns the releases that know the field at `path` of `kind`, such as `spec.containers[0].image`; none if no release
/// does.
pub fn lifetime(kind: &GroupVersionKind, path: &str) -> Option<Lifetime> {
    let releases = Version::OLDEST.minor..=Version::BINARY.minor;
    let found = |minor: &u32| find(table::of_release(Version::minor(*minor)), kind, path);
    let (since, _) = releases.clone().find_map(|minor| Some((minor, found(&minor)?)))?;
    let (last, owner) = releases.rev().find_map(|minor| Some((minor, found(&minor)?)))?;
    let name = path.rsplit('.').next().unwrap_or(path);
    let replacement = REPLACED.iter().find(|(of, gone, _)| *of == owner.short_name() && *gone == name);
    let is_gone = last < Version::BINARY.minor;
    Some(Lifetime {
        since: Version::minor(since),
        until: is_gone.then_some(Version::minor(last)),
        replacement: replacement.filter(|_| is_gone).map(|(.., replacement)| *replacement),
    })
}

/// Returns the type that has the field at `path`.
fn find(tables: Tables, kind: &GroupVersionKind, path: &str) -> Option<&'static Type> {
    let (around, name) = path.rsplit_once('.').unwrap_or(("", path));
    let owner = tables.of(kind)?.at(around)?;
    owner.field(name).map(|_| owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_when_a_field_lived() {
        let life = |kind: &str, path: &str| {
            let kind = GroupVersionKind::new("", "v1", kind.to_owned());
            lifetime(&kind, path).map(|life| {
                let until = life.until.map(|until| until.minor);
                (life.since.minor, until, life.replacement)
            })
        };
        assert_eq!(life("Service", "spec.topologyKeys"), Some((17, Some(21), Some("trafficDistribution"))));
        assert_eq!(life("Pod", "spec.schedulingGates"), Some((26, None, None)));
        assert_eq!(life("Pod", "spec.containers[1].resizePolicy[0].restartPolicy"), Some((27, None, None)));
        assert_eq!(life("Pod", "spec.containers[1].image"), Some((10, None, None)));
        assert_eq!(life("Pod", "metadata.clusterName"), Some((10, Some(24), None)));
        assert_eq!(life("Pod", "spec.schedulingGate"), None);
    }

    #[test]
    fn every_replaced_field_is_gone() {
        for (of, gone, replacement) in REPLACED {
            let present = table::of_release(Version::BINARY);
            let owners = ["core/v1", "meta/v1"].map(|package| present.named(&format!("{package}.{of}")));
            let owner = owners.into_iter().flatten().next().expect(of);
            assert!(owner.field(gone).is_none(), "{of}.{gone}");
            let first = replacement.split(' ').next().unwrap_or_default();
            assert!(first.contains('[') || owner.field(first).is_some(), "{of}.{first}");
        }
    }
}
