//! The interface between quotas and the objects that they count.

use super::scopes::ScopedResourceSelectorRequirement;
use gotext::quantity::{Format, Quantity};
use kube_api::GroupResource;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;

/// An object as quotas see it.
///
/// Source: `Evaluator` of `k8s.io/apiserver/pkg/quota/v1`.
pub(crate) trait Evaluator {
    /// Whether objects of this resource can be charged to quotas for `name`.
    fn counts(&self, name: &str) -> bool;

    /// Whether the object is in a scope. Most resources are in none.
    fn matches_scope(&self, _: &ScopedResourceSelectorRequirement) -> Result<bool, String> {
        Ok(false)
    }

    /// Returns the usage that the object is charged with.
    fn usage(&self) -> ResourceList<'_>;

    /// Returns the fields that the object must set so that it can be charged to a quota for `restricted`.
    fn missing(&self, _restricted: &[&str]) -> Option<Missing> {
        None
    }

    /// Returns the fields from which the usage of `name` comes; none if the mere existence of the object counts.
    fn fields(&self, _name: &str) -> Vec<Path> {
        Vec::new()
    }

    /// Returns the fields that put the object into a scope, or keep it out.
    fn scope_fields(&self, _scope_name: &str) -> Vec<Path> {
        Vec::new()
    }
}

/// A field that a quota requires and the object does not set.
pub(crate) struct Missing {
    /// The server's text for it.
    pub(crate) text: String,
    /// The resources of the quota that require it.
    pub(crate) names: Vec<String>,
    /// The places where it must be set.
    pub(crate) fields: Vec<Path>,
}

/// Returns the name under which quotas count the objects of `resource`.
///
/// Source: `ObjectCountQuotaResourceNameFor`.
pub(crate) fn object_count_name(resource: &GroupResource) -> String {
    format!("count/{resource}")
}

/// Returns an amount of `value` objects, ports or devices.
pub(crate) fn count(value: usize) -> Quantity {
    Quantity::from_value(i64::try_from(value).unwrap_or(i64::MAX), Format::DecimalSi)
}
