//! The rules of validation in which releases differ, by name.

/// A rule in which releases differ. What an older one has instead of its errors is in a table of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// The value is the name of a resource.
    ResourceName,
    /// The target of an autoscaler has an API version with a group.
    GroupOfTarget,
}
