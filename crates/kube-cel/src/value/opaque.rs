//! Values of Kubernetes' libraries, and of the types of mutations.

use std::sync::Arc;

use super::Value;
use crate::library::authorizer::{Authority, Decision, ResourceCheck};
use crate::library::ip::{Address, Prefix};
use crate::library::named_format::NamedFormat;
use gotext::quantity::Quantity;
use gotext::semver::Version;
use gotext::url::Url;

/// A value of one of Kubernetes' libraries.
#[derive(Debug, Clone)]
pub enum Opaque<'a> {
    /// `kubernetes.Quantity`; a computed one does not equal any to the left of it, as on the server.
    Quantity {
        /// The amount.
        quantity: Arc<Quantity>,
        /// Whether it is a sum or a difference.
        is_computed: bool,
    },
    /// `net.IP`
    Ip(Address),
    /// `net.CIDR`
    Cidr(Prefix),
    /// `kubernetes.URL`
    Url(Arc<Url>),
    /// `kubernetes.Semver`
    Semver(Arc<Version>),
    /// `kubernetes.NamedFormat`
    Format(&'static NamedFormat),
    /// `kubernetes.authorization.Authorizer`
    Authorizer(Arc<Authority<'a>>),
    /// `kubernetes.authorization.PathCheck`
    PathCheck(Arc<Authority<'a>>, Arc<str>),
    /// `kubernetes.authorization.GroupCheck`
    GroupCheck(Arc<Authority<'a>>, Arc<str>),
    /// `kubernetes.authorization.ResourceCheck`
    ResourceCheck(Arc<ResourceCheck<'a>>),
    /// `kubernetes.authorization.Decision`
    Decision(Arc<Decision>),
}

impl Opaque<'_> {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Quantity { .. } => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authorizer(_) => "kubernetes.authorization.Authorizer",
            Self::PathCheck(..) => "kubernetes.authorization.PathCheck",
            Self::GroupCheck(..) => "kubernetes.authorization.GroupCheck",
            Self::ResourceCheck(_) => "kubernetes.authorization.ResourceCheck",
            Self::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Self::Quantity { is_computed: true, .. } => "*cel.Quantity",
            Self::Quantity { .. } => "cel.Quantity",
            Self::Ip(_) => "cel.IP",
            Self::Cidr(_) => "cel.CIDR",
            Self::Url(_) => "cel.URL",
            Self::Semver(_) => "cel.Semver",
            Self::Format(_) => "cel.Format",
            Self::Authorizer(_) => "library.authorizerVal",
            Self::PathCheck(..) => "library.pathCheckVal",
            Self::GroupCheck(..) => "library.groupCheckVal",
            Self::ResourceCheck(_) => "library.resourceCheckVal",
            Self::Decision(_) => "library.decisionVal",
        }
    }

    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Self::Ip(address) => Some(address.size()),
            Self::Cidr(prefix) => Some(prefix.size()),
            _ => None,
        }
    }
}

/// The result of `Object{…}`, `Object.spec{…}` and `JSONPatch{…}`.
#[derive(Debug, Clone)]
pub struct ObjectValue<'a> {
    /// `Object`, `Object.spec`, `JSONPatch`.
    pub type_name: Arc<str>,
    /// The fields in the order in which they were first given.
    pub fields: Vec<(Arc<str>, Value<'a>)>,
}

impl<'a> ObjectValue<'a> {
    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value)
    }
}
