//! Validation of OpenShift's custom resources by the server, which has no schema for them.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation`.

use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::Validator;
use crate::openshift::{authorization, claims, config, oauth, operator, quota, route, security};
use crate::validation::node::{Errors, Node};
use kube_api::Object;
use kube_api::field;

static VALIDATORS: [&Validator; 15] = [
    &config::API_REQUEST_COUNT,
    &authorization::ROLE_BINDING_RESTRICTION,
    &config::API_SERVER,
    &config::AUTHENTICATION,
    &config::CONSOLE,
    &config::FEATURE_GATE,
    &config::IMAGE,
    &config::NETWORK,
    &config::NODE,
    &oauth::O_AUTH,
    &config::PROJECT,
    &config::SCHEDULER,
    &operator::DNS,
    &operator::KUBE_CONTROLLER_MANAGER,
    &quota::CLUSTER_RESOURCE_QUOTA,
];

/// Returns the warnings about an `Authentication` whose expressions cost too much.
pub fn authentication_warnings(object: &Object) -> Vec<String> {
    let Ok(typed) = config::AUTHENTICATION.typed(object) else { return Vec::new() };
    let root = Node::root(&typed);
    root.child("spec").items("oidcProviders").filter_map(|provider| claims::warning(&provider)).collect()
}

/// Returns the errors in `object`, or in the update of `old` through `sub_resource`.
pub fn validate(
    object: &Object,
    old: Option<&Object>,
    sub_resource: &str,
    facts: &ClusterFacts<'_>,
) -> Vec<field::Error> {
    let own = [&security::SECURITY_CONTEXT_CONSTRAINTS, &route::ROUTE];
    let mut validators = VALIDATORS.iter().copied().chain(own);
    let is_it =
        |validator: &&Validator| validator.group == object.kind.group && validator.kind == object.kind.kind;
    let Some(validator) = validators.find(is_it) else { return Vec::new() };
    let mut errors = Errors::default();
    match (validator.typed(object), old.map(|old| validator.typed(old)).transpose()) {
        (Ok(object), Ok(old)) => {
            let old = old.as_ref().map(Node::root);
            validator.collect(&mut errors, &Node::root(&object), old.as_ref(), sub_resource, facts);
            errors.0
        }
        (Err(errors), _) | (_, Err(errors)) => errors,
    }
}
