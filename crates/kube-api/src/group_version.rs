//! Group, version, kind and resource: the names under which the API server serves an object.

use std::borrow::Cow;
use std::fmt;

use crate::kinds::GroupKind;

/// A name that mostly comes from a built-in table, and sometimes from a custom resource definition.
pub type Name = Cow<'static, str>;

/// The kind of an object, as named by its `apiVersion` and `kind`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind {
    /// API group; empty for the core group.
    pub group: Name,
    /// API version, such as `v1`.
    pub version: Name,
    /// Kind, such as `Pod`.
    pub kind: Name,
}

/// Formats it as Go does: `apps/v1, Kind=Deployment`.
impl fmt::Display for GroupVersionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

impl GroupVersionKind {
    /// Names a kind.
    pub fn new(group: impl Into<Name>, version: impl Into<Name>, kind: impl Into<Name>) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Reads `apiVersion` and `kind` as an object has them; everything before the first `/` is the group.
    pub fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = group_and_version(api_version);
        Self::new(group.to_owned(), version.to_owned(), kind.to_owned())
    }

    /// Returns the `apiVersion` of objects of this kind.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Whether `api_version` is that of objects of this kind.
    pub fn is_in(&self, api_version: &str) -> bool {
        let (group, version) = group_and_version(api_version);
        *self.version == *version && *self.group == *group
    }

    /// Returns `Kind.group`, or `Kind` alone in the core group: the start of messages about invalid objects.
    pub fn group_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// Whether this is `kind`, in any version.
    pub fn is(&self, kind: GroupKind<'_>) -> bool {
        self.kind == kind.kind && self.group == kind.group
    }
}

/// The collection that a request goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionResource {
    /// API group; empty for the core group.
    pub group: Name,
    /// API version, such as `v1`.
    pub version: Name,
    /// Plural name, such as `pods`.
    pub resource: Name,
}

impl GroupVersionResource {
    /// Names a resource.
    pub fn new(group: impl Into<Name>, version: impl Into<Name>, resource: impl Into<Name>) -> Self {
        Self { group: group.into(), version: version.into(), resource: resource.into() }
    }

    /// Returns the resource without its version.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.group.clone(), resource: self.resource.clone() }
    }

    /// Whether this is `resource` of `group`, in any version.
    pub fn is(&self, group: &str, resource: &str) -> bool {
        self.resource == resource && self.group == group
    }

    /// Returns the group and version as an `apiVersion`.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

/// A resource without its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// API group; empty for the core group.
    pub group: Name,
    /// Plural name, such as `pods`.
    pub resource: Name,
}

impl GroupResource {
    /// Names a resource of a built-in group.
    pub const fn new(group: &'static str, resource: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), resource: Cow::Borrowed(resource) }
    }
}

impl fmt::Display for GroupResource {
    /// Formats it as `resource.group`, or `resource` alone in the core group.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&qualified(&self.resource, &self.group))
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// Returns the group and the version of an `apiVersion`: everything before the first `/` is the group.
pub(crate) fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_the_core_group_out_of_names() {
        assert_eq!(GroupResource::new("", "pods").to_string(), "pods");
        assert_eq!(GroupResource::new("apps", "deployments").to_string(), "deployments.apps");
        assert_eq!(GroupVersionKind::from_api_version("v1", "Pod").api_version(), "v1");
        assert_eq!(
            GroupVersionKind::from_api_version("apps/v1", "Deployment").group_kind(),
            "Deployment.apps"
        );
    }
}
