//! Equivalent resources, which are stored as one: versions of a resource, and resources of several groups.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers`, `EquivalentResourceMapper`; the resources of several groups are
//! those of `k8s.io/kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go`.

use crate::cluster::Cluster;
use kube_api::resource::{self, ApiResource, RuntimeConfig};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, GroupVersionResource};

/// Resources that are in several groups and are stored as one, with those groups.
const SEVERAL_GROUPS: &[(&str, &[&str])] = &[
    ("daemonsets", &["apps", "extensions"]),
    ("deployments", &["apps", "extensions"]),
    ("events", &["", "events.k8s.io"]),
    ("ingresses", &["networking.k8s.io", "extensions"]),
    ("networkpolicies", &["networking.k8s.io", "extensions"]),
    ("podsecuritypolicies", &["policy", "extensions"]),
    ("replicasets", &["apps", "extensions"]),
];

/// The equivalent resources that a server serves.
#[derive(Clone, Debug)]
pub struct Equivalents {
    release: Version,
    runtime_config: RuntimeConfig,
}

impl Equivalents {
    /// Returns those of a server that emulates `release`.
    pub fn new(release: Version, runtime_config: RuntimeConfig) -> Self {
        Self { release, runtime_config }
    }

    /// Returns the resources that are stored like `resource` and have `sub_resource`, each with the kind of its
    /// objects.
    pub fn of(
        &self,
        resource: &GroupVersionResource,
        sub_resource: &str,
        cluster: &Cluster,
    ) -> Vec<(GroupVersionResource, GroupVersionKind)> {
        let custom = cluster.custom_resource(&resource.group, &resource.resource);
        if let Some(definition) = custom {
            return definition
                .served_versions()
                .filter_map(|version| {
                    let name = version.name.clone();
                    let kind = match sub_resource {
                        "" => GroupVersionKind::new(
                            definition.group.clone(),
                            name.clone(),
                            definition.kind.clone(),
                        ),
                        "status" if version.has_status => GroupVersionKind::new(
                            definition.group.clone(),
                            name.clone(),
                            definition.kind.clone(),
                        ),
                        "scale" if version.scale.is_some() => {
                            GroupVersionKind::new("autoscaling", "v1", "Scale")
                        }
                        _ => return None,
                    };
                    let (group, plural) = (definition.group.clone(), definition.plural.clone());
                    Some((GroupVersionResource::new(group, name, plural), kind))
                })
                .collect();
        }
        let groups = SEVERAL_GROUPS
            .iter()
            .find(|(name, groups)| resource.resource == *name && groups.contains(&&*resource.group))
            .map_or(&[][..], |(_, groups)| groups);
        let is_same = |other: &ApiResource| {
            other.resource == resource.resource
                && (other.group == resource.group || groups.contains(&other.group))
        };
        resource::of_release(self.release)
            .iter()
            .filter(|other| is_same(other) && self.runtime_config.serves(other))
            .filter_map(|other| {
                let kind = match sub_resource {
                    "" => other.group_version_kind(),
                    name => other.subresource(name)?.group_version_kind(),
                };
                Some((other.group_version_resource(), kind))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_versions_and_groups() {
        let equivalents = Equivalents::new(Version::BINARY, RuntimeConfig::default());
        let of = |group: &'static str, version: &'static str, name: &'static str, sub_resource: &str| {
            let resource = GroupVersionResource::new(group, version, name);
            let found = equivalents.of(&resource, sub_resource, &Cluster::new());
            found
                .into_iter()
                .map(|(resource, kind)| format!("{} {}", resource.api_version(), kind.kind))
                .collect::<Vec<_>>()
        };
        let mut scalers = of("autoscaling", "v1", "horizontalpodautoscalers", "");
        scalers.sort();
        assert_eq!(
            scalers,
            ["autoscaling/v1 HorizontalPodAutoscaler", "autoscaling/v2 HorizontalPodAutoscaler"]
        );
        assert_eq!(of("apps", "v1", "deployments", "scale"), ["apps/v1 Scale"]);
        let mut events = of("", "v1", "events", "");
        events.sort();
        assert_eq!(events, ["events.k8s.io/v1 Event", "v1 Event"]);
        assert_eq!(of("", "v1", "pods", "nothing"), [""; 0]);
    }
}
