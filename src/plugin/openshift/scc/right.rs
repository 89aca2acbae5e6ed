//! The right to use a constraint: the user it belongs to, and its source.
//!
//! Source: `ConstraintAppliesTo`.

use std::fmt;

use crate::admission::{Need, UserInfo};
use crate::cluster::authorizer::{Decision, ResourceAttributes};
use crate::plugin::openshift::scc::{Attempt, CONSTRAINTS, Matcher, Provider};
use gotext::quote;
use kube_api::{GroupResource, Object, Value};

/// The right to use a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Right {
    /// `user` or `serviceaccount`.
    pub(super) subject_type: &'static str,
    /// What grants it: an entry of the constraint, or a binding; empty if the server lets everyone do everything.
    pub(super) source: String,
}

impl fmt::Display for Right {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.subject_type == "user" {
            "by the user"
        } else {
            "by the service account"
        })?;
        if self.source.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.source) }
    }
}

impl Matcher {
    /// Returns the right by which the pod may use the constraint: the service account's before the user's.
    pub(super) fn right(&self, attempt: &Attempt<'_>, provider: &Provider) -> Option<Right> {
        let namespace = &attempt.attributes.namespace;
        let account = attempt.pod.text(["spec", "serviceAccountName"]);
        let of = |subject_type, user: &UserInfo| {
            let source = self.source(user, namespace, provider.constraint())?;
            Some(Right { subject_type, source })
        };
        let of_account = || of("serviceaccount", &UserInfo::of_service_account(namespace, account));
        let of_account = if account.is_empty() { None } else { of_account() };
        of_account.or_else(|| of("user", &attempt.attributes.user_info))
    }

    /// Returns what lets `user` use the constraint in `namespace`, if anything does.
    fn source(&self, user: &UserInfo, namespace: &str, constraint: &Object) -> Option<String> {
        listed(user, constraint).or_else(|| {
            let resource = use_of(namespace, constraint.name());
            by_roles(&self.authorizer.authorize(&user.access("use", resource)))
        })
    }

    /// Returns the same as far as the constraint and roles grant it, whatever the server lets everyone do.
    pub(super) fn granted(&self, user: &UserInfo, namespace: &str, constraint: &Object) -> Option<String> {
        listed(user, constraint).or_else(|| {
            let resource = use_of(namespace, constraint.name());
            by_roles(&self.authorizer.authorize_by_roles(&user.access("use", resource)))
        })
    }
}

/// Returns the right of the pod's service account to use the constraint `name`: that of the user if it has none.
pub(super) fn need(attempt: &Attempt<'_>, name: &str) -> Option<Need> {
    let namespace = &attempt.attributes.namespace;
    let account = attempt.pod.text(["spec", "serviceAccountName"]);
    let resource = use_of(namespace, name);
    let right = if account.is_empty() {
        attempt.attributes.user_info.access("use", resource).right()
    } else {
        UserInfo::of_service_account(namespace, account).access("use", resource).right()
    };
    right.map(Need::Right)
}

fn use_of<'a>(namespace: &'a str, name: &'a str) -> ResourceAttributes<'a> {
    static RESOURCE: GroupResource = CONSTRAINTS;
    ResourceAttributes {
        namespace,
        group: &RESOURCE.group,
        resource: &RESOURCE.resource,
        name,
        ..ResourceAttributes::default()
    }
}

/// Returns the entry of the constraint that names the user or a group of the user's.
fn listed(user: &UserInfo, constraint: &Object) -> Option<String> {
    let lists = |field: &str, name: &str| {
        constraint.list([field]).iter().filter_map(Value::as_str).any(|listed| listed == name)
    };
    if lists("users", &user.username) {
        return Some(format!("user {} that it lists", quote(&user.username)));
    }
    let group = user.groups.iter().find(|group| lists("groups", group))?;
    Some(format!("group {} that it lists", quote(group)))
}

fn by_roles(decision: &Decision) -> Option<String> {
    let binding = || decision.reason.strip_prefix("RBAC: allowed by ").unwrap_or_default();
    decision.allowed.then(|| binding().to_owned())
}
