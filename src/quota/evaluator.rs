//! What quotas can know of an object.

use super::scopes::ScopedResourceSelectorRequirement;
use crate::api::GroupResource;
use crate::api::field::Path;
use crate::api::quantity::{Format, Quantity};
use crate::api::resource_list::ResourceList;

/// An object as quotas see it.
///
/// Source: `Evaluator` of `k8s.io/apiserver/pkg/quota/v1`.
pub(crate) trait Evaluator {
    /// Whether objects of this resource are charged to quotas for `name`, whatever the object.
    fn counts(&self, name: &str) -> bool;

    /// Whether the object is in a scope. Most resources are in none.
    fn matches_scope(&self, _: &ScopedResourceSelectorRequirement) -> Result<bool, String> {
        Ok(false)
    }

    /// Returns what the object is charged with.
    fn usage(&self) -> ResourceList<'_>;

    /// Returns what the object would have to state so that it can be charged to a quota for `restricted`.
    fn missing(&self, _restricted: &[&str]) -> Option<Missing> {
        None
    }

    /// Returns the fields from which the usage of `name` comes; none where the existence of the object is what counts.
    fn fields(&self, _name: &str) -> Vec<Path> {
        Vec::new()
    }

    /// Returns the fields that put the object into a scope, or keep it out.
    fn scope_fields(&self, _scope_name: &str) -> Vec<Path> {
        Vec::new()
    }
}

/// Something that a quota takes for granted and the object does not state.
pub(crate) struct Missing {
    /// What must be stated, as the server says it.
    pub(crate) text: String,
    /// The resources of the quota that ask for it.
    pub(crate) names: Vec<String>,
    /// Where it must be stated.
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
