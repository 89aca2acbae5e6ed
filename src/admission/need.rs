//! What a cluster lacks for a refused request, and what its object could have instead.

use std::fmt;

use gotext::quantity::Quantity;
use kube_api::GroupResource;
use kube_api::field::Path;
use kube_api::pod_security::Level;

use crate::cluster::authorizer::Right;

pub use gotext::change::{Action, Change};

/// Something that a cluster would have to grant, so that a request is not refused for the lack of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Need {
    /// A right of a user.
    Right(Right),
    /// An object that exists.
    Object {
        /// Its resource.
        resource: GroupResource,
        /// Its namespace, or nothing.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// A level of the Pod Security Standards that a namespace enforces at most.
    Level {
        /// The namespace.
        namespace: String,
        /// The strictest level that admits the request.
        level: Level,
    },
    /// A quota that allows more.
    Quota {
        /// `resourcequotas`, or the resource of the quotas over several projects.
        resource: GroupResource,
        /// The namespace of the quota, or nothing.
        namespace: String,
        /// The name of the quota.
        name: String,
        /// What is counted, such as `requests.cpu`.
        counted: String,
        /// The least that it has to allow.
        amount: Quantity,
        /// What the request adds to the usage.
        requested: Quantity,
    },
    /// A bound of a LimitRange that gives way.
    Bound {
        /// The namespace of the LimitRange.
        namespace: String,
        /// Its name.
        name: String,
        /// The field of the bound.
        path: Path,
        /// The nearest amount that admits the request; nothing if the bound has to go.
        amount: Option<Quantity>,
    },
    /// A feature that the kubelet of a node has.
    Feature {
        /// The node.
        node: String,
        /// The name of the feature.
        feature: String,
    },
}

impl Need {
    /// Returns the need of the object `name`; `namespace` may be empty.
    pub fn object(resource: &GroupResource, namespace: &str, name: &str) -> Self {
        Self::Object { resource: resource.clone(), namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Whether `other` is about the same right, object, level or amount.
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Level { namespace, .. }, Self::Level { namespace: other, .. }) => namespace == other,
            (
                Self::Quota { resource, namespace, name, counted, .. },
                Self::Quota { resource: r, namespace: s, name: n, counted: c, .. },
            ) => (resource, namespace, name, counted) == (r, s, n, c),
            (
                Self::Bound { namespace, name, path, .. },
                Self::Bound { namespace: s, name: n, path: p, .. },
            ) => (namespace, name, path) == (s, n, p),
            _ => self == other,
        }
    }
}

/// A change of the object that a refusal is about, which together with the others of the refusal rules it out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Remedy {
    /// The change.
    pub change: Change,
    /// What it costs.
    pub cost: Cost,
}

/// What a person has to agree to before an object is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cost {
    /// Nothing: there is one right value.
    Nothing,
    /// The object asks for less than before.
    Removal,
    /// The value is one of many.
    Value,
}

impl fmt::Display for Cost {
    /// Formats what a person agrees to: `removes what was written`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Nothing => "has one right value",
            Self::Removal => "removes what was written",
            Self::Value => "is one of many values",
        })
    }
}

impl Remedy {
    /// Returns the remedy that nothing speaks against.
    pub fn of(change: Change) -> Self {
        Self { change, cost: Cost::Nothing }
    }

    /// Returns the remedy that removes `path`.
    pub fn removing(path: Path) -> Self {
        Self { change: Change::remove(path), cost: Cost::Removal }
    }

    /// Returns the remedy whose value is one of many.
    pub fn choosing(change: Change) -> Self {
        Self { change, cost: Cost::Value }
    }
}
