//! Restrictions on role bindings in a project: `authorization.openshift.io`.
//!
//! Source: `customresourcevalidation/rolebindingrestriction/validation`.

use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::{Validator, WholeOnUpdate};
use crate::strategy::Scope;
use crate::validation::node::{Errors, Node};
use crate::validation::selector::validate_selector;

/// Validates `RoleBindingRestriction`.
pub static ROLE_BINDING_RESTRICTION: Validator = Validator {
    scope: Scope::Namespaced,
    qualified_finalizers: true,
    validate,
    whole_on_update: WholeOnUpdate::First,
    ..Validator::new(
        "authorization.openshift.io",
        "RoleBindingRestriction",
        "openshift/authorization/v1.RoleBindingRestriction",
    )
};

const EXACTLY_ONE: &str =
    "must specify exactly one of userrestriction, grouprestriction, or serviceaccountrestriction";

fn validate(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let [user, group, account] = ["userrestriction", "grouprestriction", "serviceaccountrestriction"];
    let mut both = |first: &str, second: &'static str| {
        if spec.has(second) {
            errors.invalid(&spec.at(second), &format!("both {first} and {second} specified"), EXACTLY_ONE);
        }
    };
    if spec.has(user) {
        both(user, group);
        both(user, account);
    } else if spec.has(group) {
        both(group, account);
    } else if !spec.has(account) {
        errors.required(&spec.at(user), EXACTLY_ONE);
    }
    if let Some(user) = spec.get(user) {
        if ["users", "groups", "labels"].iter().all(|field| user.len(field) == 0) {
            errors.required(&user.at("users"), "must specify at least one user, group, or label selector");
        }
        validate_selectors(errors, &user);
    }
    if let Some(group) = spec.get(group) {
        if ["groups", "labels"].iter().all(|field| group.len(field) == 0) {
            errors.required(&group.at("groups"), "must specify at least one group or label selector");
        }
        validate_selectors(errors, &group);
    }
    if let Some(account) = spec.get(account)
        && ["serviceaccounts", "namespaces"].iter().all(|field| account.len(field) == 0)
    {
        let detail = "must specify at least one service account or namespace";
        errors.required(&account.at("serviceaccounts"), detail);
    }
}

/// Validates the selectors, which are in `labels`; messages call the field `selector`.
fn validate_selectors(errors: &mut Errors, restriction: &Node) {
    for (index, selector) in restriction.list("labels").iter().enumerate() {
        validate_selector(errors, &Node::new(restriction.at("selector").index(index), selector), false);
    }
}
