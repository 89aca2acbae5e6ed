//! The APIs that a server serves: the defaults, and what `--runtime-config` changes.

use std::collections::BTreeMap;

use super::{ApiResource, Served};
use crate::distribution::{Distribution, OPENSHIFT_APISERVER_GROUPS, SERVED_BY_DEFINITIONS, Server};

/// The values of `--runtime-config`, such as `api/beta=true` or `scheduling.k8s.io/v1alpha3=true`.
///
/// Source: `k8s.io/apiserver/pkg/server/options/api_enablement.go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeConfig {
    choices: BTreeMap<String, bool>,
    distribution: Distribution,
    has_openshift_apiserver: bool,
}

impl RuntimeConfig {
    /// Reads the values of the flag; one without `=` enables.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let choices = values.into_iter().map(|value| match value.split_once('=') {
            Some((api, choice)) => (api.trim().to_owned(), !choice.trim().eq_ignore_ascii_case("false")),
            None => (value.trim().to_owned(), true),
        });
        Self { choices: choices.collect(), ..Self::default() }
    }

    /// Returns the same APIs on the servers of `distribution`. `has_openshift_apiserver` is whether openshift-apiserver
    /// serves its own groups; else kube-apiserver does, as custom resources.
    #[must_use]
    pub fn on(self, distribution: Distribution, has_openshift_apiserver: bool) -> Self {
        Self { distribution, has_openshift_apiserver, ..self }
    }

    /// Returns the distribution of the servers.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }

    /// Returns the server that answers requests for `resource` of `group`.
    pub fn server_of(&self, group: &str, resource: &str) -> Server {
        let is_aggregated = self.has_openshift_apiserver
            && OPENSHIFT_APISERVER_GROUPS.contains(&group)
            && !SERVED_BY_DEFINITIONS.contains(&(group, resource));
        if is_aggregated { Server::OpenShiftApiserver } else { self.distribution.kube_apiserver() }
    }

    /// Whether the server serves `resource`. An entry for the resource takes precedence over one for its version, and
    /// that over one for all versions of its maturity.
    pub fn serves(&self, resource: &ApiResource) -> bool {
        let version = resource.group_version();
        let stage = match resource.version {
            version if version.contains("alpha") => "api/alpha",
            version if version.contains("beta") => "api/beta",
            _ => "api/ga",
        };
        let own = format!("{version}/{}", resource.resource);
        let said =
            [own.as_str(), &version, stage, "api/all"].into_iter().find_map(|api| self.choices.get(api));
        said.copied().unwrap_or(resource.served == Served::Default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GroupVersionResource;
    use crate::resource::by_resource;

    #[test]
    fn serves_what_was_asked_for() {
        let groups = GroupVersionResource::new("scheduling.k8s.io", "v1alpha3", "podgroups");
        let groups = by_resource(&groups).unwrap();
        let pods = by_resource(&GroupVersionResource::new("", "v1", "pods")).unwrap();
        assert!(!RuntimeConfig::default().serves(groups));
        assert!(RuntimeConfig::default().serves(pods));
        assert!(RuntimeConfig::new(["scheduling.k8s.io/v1alpha3=true"]).serves(groups));
        assert!(RuntimeConfig::new(["api/all=true"]).serves(groups));
        assert!(RuntimeConfig::new(["api/alpha"]).serves(groups));
        assert!(!RuntimeConfig::new(["api/all=true", "scheduling.k8s.io/v1alpha3=false"]).serves(groups));
        assert!(!RuntimeConfig::new(["v1/pods=false"]).serves(pods));
    }
}
