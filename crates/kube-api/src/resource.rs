//! The resources that the API server serves.
//!
//! Source: the discovery document of kube-apiserver.

mod lifetime;
mod past;
mod runtime_config;
mod table;

use crate::version::Version;
use crate::{GroupResource, GroupVersionKind, GroupVersionResource, release};

pub use lifetime::{
    Lifetime, Replacement, has_group, has_version, help, replaced_by, replacement, successor, suggest,
};
pub use runtime_config::RuntimeConfig;

/// A resource in one of its versions.
#[derive(Clone, Debug)]
pub struct ApiResource {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// API version, such as `v1`.
    pub version: &'static str,
    /// Plural name, such as `pods`.
    pub resource: &'static str,
    /// Kind of its objects, such as `Pod`.
    pub kind: &'static str,
    /// Singular name, such as `pod`.
    pub singular: &'static str,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// The verbs that it supports, ordered by name.
    pub verbs: &'static [&'static str],
    /// The names that people may type instead, such as `po`.
    pub short_names: &'static [&'static str],
    /// The subresources of its objects.
    pub subresources: &'static [Subresource],
    /// Whether a server serves it by default.
    pub served: Served,
}

/// A subresource of an object, such as `pods/exec`.
#[derive(Clone, Debug)]
pub struct Subresource {
    /// Name, such as `scale`.
    pub name: &'static str,
    /// API group of its kind, which need not be the resource's.
    pub group: &'static str,
    /// API version of its kind.
    pub version: &'static str,
    /// Kind that requests to it carry, such as `Scale`.
    pub kind: &'static str,
    /// The verbs that it supports, ordered by name.
    pub verbs: &'static [&'static str],
}

/// Whether a server serves a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Always.
    Default,
    /// Only when `--runtime-config` enables it.
    RuntimeConfig,
}

/// Returns all resources, in the order of discovery.
pub fn all() -> &'static [ApiResource] {
    table::resources()
}

/// Returns all resources that `version` could serve, or the nearest release that can be emulated: those still served
/// today come first.
pub fn of_release(version: Version) -> &'static [ApiResource] {
    match release::known(version) {
        minor if minor == Version::BINARY.minor => all(),
        minor => past::resources(minor),
    }
}

/// Returns the resource whose objects are of `kind`.
pub fn by_kind(kind: &GroupVersionKind) -> Option<&'static ApiResource> {
    by_kind_in(Version::BINARY, kind)
}

/// Returns the resource of `version` whose objects are of `kind`.
pub fn by_kind_in(version: Version, kind: &GroupVersionKind) -> Option<&'static ApiResource> {
    of_release(version)
        .iter()
        .find(|entry| entry.kind == kind.kind && entry.group == kind.group && entry.version == kind.version)
}

/// Returns the resource of `version` with this name.
pub fn by_resource_in(version: Version, resource: &GroupVersionResource) -> Option<&'static ApiResource> {
    of_release(version).iter().find(|entry| {
        entry.resource == resource.resource
            && entry.group == resource.group
            && entry.version == resource.version
    })
}

/// Returns the resource with this name.
pub fn by_resource(resource: &GroupVersionResource) -> Option<&'static ApiResource> {
    by_resource_in(Version::BINARY, resource)
}

/// Returns the name of the resource whose objects are of `kind`, if some release serves it.
pub fn name_of(kind: &GroupVersionKind) -> Option<&'static str> {
    let present = by_kind(kind).map(|entry| entry.resource);
    present.or_else(|| past::name_of(&kind.api_version(), &kind.kind))
}

/// Returns all resources of openshift-apiserver.
pub fn openshift() -> &'static [ApiResource] {
    table::openshift()
}

/// Returns the resource of openshift-apiserver with this name.
pub fn openshift_by_resource(resource: &GroupVersionResource) -> Option<&'static ApiResource> {
    table::openshift().iter().find(|entry| entry.group_version_resource() == *resource)
}

/// Returns the resource of openshift-apiserver whose objects are of `kind`.
pub fn openshift_by_kind(kind: &GroupVersionKind) -> Option<&'static ApiResource> {
    table::openshift().iter().find(|entry| entry.group_version_kind() == *kind)
}

/// Returns the resource of an Origin master with this name that Kubernetes does not have.
pub fn origin_by_resource(resource: &GroupVersionResource) -> Option<&'static ApiResource> {
    table::origin().iter().find(|entry| entry.group_version_resource() == *resource)
}

/// Returns the resource of an Origin master whose objects are of `kind`, which Kubernetes does not have.
pub fn origin_by_kind(kind: &GroupVersionKind) -> Option<&'static ApiResource> {
    table::origin().iter().find(|entry| entry.group_version_kind() == *kind)
}

/// Whether `kind` is one that Origin adds to the API without a group.
pub fn is_kind_of_origin(kind: &GroupVersionKind) -> bool {
    let is_it = |entry: &ApiResource| {
        let below = entry.subresources.iter().map(Subresource::group_version_kind);
        entry.group.is_empty() && below.chain([entry.group_version_kind()]).any(|own| own == *kind)
    };
    kind.group.is_empty() && table::origin().iter().any(is_it)
}

/// Returns the kind of the objects of `resource`, if the server has it built in.
pub fn kind_of(resource: &GroupResource) -> Option<&'static str> {
    let is_it = |entry: &&ApiResource| entry.group == resource.group && entry.resource == resource.resource;
    all().iter().find(is_it).map(|entry| entry.kind)
}

/// Returns the version that the server prefers of a resource.
pub fn preferred_version(group: &str, resource: &str) -> Option<&'static str> {
    let is_it = |entry: &&ApiResource| entry.group == group && entry.resource == resource;
    all().iter().find(is_it).map(|entry| entry.version)
}

impl ApiResource {
    /// Returns the kind of its objects.
    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::new(self.group, self.version, self.kind)
    }

    /// Returns the resource's full name.
    pub fn group_version_resource(&self) -> GroupVersionResource {
        GroupVersionResource::new(self.group, self.version, self.resource)
    }

    /// Returns the group and version as an `apiVersion`.
    pub fn group_version(&self) -> String {
        self.group_version_resource().api_version()
    }

    /// Returns the subresource called `name`.
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }
}

impl Subresource {
    /// Returns the kind that requests to it carry.
    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::new(self.group, self.version, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn finds_by_kind_and_by_name() {
        let pods = by_resource(&GroupVersionResource::new("", "v1", "pods")).expect("a resource");
        assert_eq!(pods.kind, "Pod");
        assert!(pods.namespaced);
        assert_eq!(pods.subresource("eviction").expect("a subresource").group, "policy");
        let kind = GroupVersionKind::new("autoscaling", "v1", "HorizontalPodAutoscaler");
        assert_eq!(by_kind(&kind).expect("a resource").resource, "horizontalpodautoscalers");
        assert!(by_kind(&GroupVersionKind::new("", "v2", "Pod")).is_none());
    }

    #[test]
    fn every_kind_has_a_field_table() {
        for entry in all() {
            assert!(schema::of(&entry.group_version_kind()).is_some(), "{}", entry.kind);
            for below in entry.subresources {
                assert!(schema::of(&below.group_version_kind()).is_some(), "{}", below.kind);
            }
        }
    }
}
