//! Distributions of Kubernetes, and the API servers of a cluster.

use std::fmt;
use std::str::FromStr;

use crate::version::Version;

/// The distribution that a cluster runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Kubernetes as it is released.
    #[default]
    Kubernetes,
    /// OpenShift 4: a kube-apiserver of its own, and an aggregated API server for its groups.
    OpenShift,
    /// A master of Origin 1.x, the base of OpenShift 3.
    Origin(OriginRelease),
}

/// A release of Origin that kadmit knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginRelease {
    /// 1.4, the base of OpenShift Container Platform 3.4.
    V1_4,
    /// 3.11, the last one with a single master.
    V3_11,
}

/// An API server with a chain of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Server {
    /// kube-apiserver of Kubernetes.
    #[default]
    Kubernetes,
    /// kube-apiserver of OpenShift 4.
    OpenShift,
    /// openshift-apiserver.
    OpenShiftApiserver,
    /// The master of an Origin cluster.
    Origin(OriginRelease),
}

/// The API groups that openshift-apiserver serves.
///
/// Source: `openshift-apiserver/pkg/cmd/openshift-apiserver/openshiftapiserver`.
pub const OPENSHIFT_APISERVER_GROUPS: &[&str] = &[
    "apps.openshift.io",
    "authorization.openshift.io",
    "build.openshift.io",
    "image.openshift.io",
    "project.openshift.io",
    "quota.openshift.io",
    "route.openshift.io",
    "security.openshift.io",
    "template.openshift.io",
];

/// The resources of those groups that custom resource definitions serve on every OpenShift 4 all the same.
pub const SERVED_BY_DEFINITIONS: &[(&str, &str)] = &[
    ("authorization.openshift.io", "rolebindingrestrictions"),
    ("quota.openshift.io", "clusterresourcequotas"),
    ("security.openshift.io", "securitycontextconstraints"),
];

impl Distribution {
    /// Returns the server that answers for Kubernetes' own API groups.
    pub fn kube_apiserver(self) -> Server {
        match self {
            Self::Kubernetes => Server::Kubernetes,
            Self::OpenShift => Server::OpenShift,
            Self::Origin(release) => Server::Origin(release),
        }
    }

    /// Returns the release of Origin, if it is one.
    pub fn origin(self) -> Option<OriginRelease> {
        match self {
            Self::Origin(release) => Some(release),
            Self::Kubernetes | Self::OpenShift => None,
        }
    }

    /// Whether it has OpenShift's kinds.
    pub fn is_openshift(self) -> bool {
        self != Self::Kubernetes
    }
}

/// Returns the release of Kubernetes that a release of OpenShift 4 such as `4.19` is made from.
pub fn kubernetes_of_openshift(release: &str) -> Option<Version> {
    let minor: u32 = release.strip_prefix("4.")?.split('.').next()?.parse().ok()?;
    // The first releases skipped one of Kubernetes, 1.15.
    Some(Version::minor(minor.checked_add(if minor < 3 { 12 } else { 13 })?))
}

impl Server {
    /// Whether it is a master of Origin, which calls each plugin once.
    pub fn is_origin(self) -> bool {
        matches!(self, Self::Origin(_))
    }
}

impl OriginRelease {
    /// Returns the name of the release.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1_4 => "1.4",
            Self::V3_11 => "3.11",
        }
    }

    /// Returns the release of Kubernetes that it contains.
    pub fn kubernetes(self) -> Version {
        match self {
            Self::V1_4 => Version::minor(4),
            Self::V3_11 => Version::minor(11),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kubernetes => formatter.write_str("kubernetes"),
            Self::OpenShift => formatter.write_str("openshift"),
            Self::Origin(release) => write!(formatter, "origin={}", release.name()),
        }
    }
}

impl FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "kubernetes" => Ok(Self::Kubernetes),
            "openshift" => Ok(Self::OpenShift),
            "origin=1.4" => Ok(Self::Origin(OriginRelease::V1_4)),
            "origin=3.11" => Ok(Self::Origin(OriginRelease::V3_11)),
            _ => Err(format!("unknown distribution {text:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_openshift_is_made_from_a_kubernetes() {
        let of = |release| kubernetes_of_openshift(release).map(|version| version.to_string());
        assert_eq!(of("4.1").as_deref(), Some("1.13"));
        assert_eq!(of("4.3.40").as_deref(), Some("1.16"));
        assert_eq!(of("4.19").as_deref(), Some("1.32"));
        assert_eq!([of("3.11"), of("4"), of("4.4294967295")], [None, None, None]);
    }

    #[test]
    fn reads_what_it_writes() {
        for text in ["kubernetes", "openshift", "origin=1.4", "origin=3.11"] {
            assert_eq!(text.parse::<Distribution>().map(|read| read.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("origin=2".parse::<Distribution>(), Err("unknown distribution \"origin=2\"".to_owned()));
    }
}
