//! Roles and their bindings.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/rbac/validation`.

use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, name_is_path_segment, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::selector::validate_selector;
use gotext::names;
use kube_api::field::{Error, Rule};
use kube_api::labels::Selector;

pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// Runs `ValidateRole` or `ValidateClusterRole`, and their updates if there is an old object.
pub(crate) fn validate_role(errors: &mut Errors, object: &Node, old: Option<&Node>, scope: Scope) {
    validate_rbac_meta(errors, object, scope);
    for rule in object.items("rules") {
        validate_policy_rule(errors, &rule, scope);
    }
    if let Some(aggregation) = object.get("aggregationRule").filter(|_| scope == Scope::Cluster) {
        if aggregation.len("clusterRoleSelectors") == 0 {
            let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            errors.required(&aggregation.at("clusterRoleSelectors"), detail);
        }
        for selector in aggregation.items("clusterRoleSelectors") {
            validate_selector(errors, &selector, false);
            if Selector::from_label_selector(selector.value()).is_err() {
                let error = Error::invalid_printed(&selector.here(), "null", "invalid label selector.");
                errors.push(error.of(Rule::AggregatedSelector));
            }
        }
    }
    validate_meta_update(errors, object, old);
}

fn validate_rbac_meta(errors: &mut Errors, object: &Node, scope: Scope) {
    let rule = |name: &str, _: bool| name_is_path_segment(name, false);
    validate_object_meta(errors, object, scope, rule);
}

fn validate_meta_update(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
}

/// Implements `ValidatePolicyRule`.
fn validate_policy_rule(errors: &mut Errors, rule: &Node, scope: Scope) {
    if rule.len("verbs") == 0 {
        errors.required(&rule.at("verbs"), "verbs must contain at least one value");
    }
    if rule.len("nonResourceURLs") > 0 {
        let path = || rule.at("nonResourceURLs");
        if scope == Scope::Namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            errors.invalid_value(&path(), rule.raw("nonResourceURLs"), detail);
        }
        if ["apiGroups", "resources", "resourceNames"].iter().any(|field| rule.len(field) > 0) {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            errors.invalid_value(&path(), rule.raw("nonResourceURLs"), detail);
        }
        return;
    }
    if rule.len("apiGroups") == 0 {
        errors.required(&rule.at("apiGroups"), "resource rules must supply at least one api group");
    }
    if rule.len("resources") == 0 {
        errors.required(&rule.at("resources"), "resource rules must supply at least one resource");
    }
}

/// Runs `ValidateRoleBinding` or `ValidateClusterRoleBinding`, and their updates if there is an old object.
pub(crate) fn validate_role_binding(errors: &mut Errors, object: &Node, old: Option<&Node>, scope: Scope) {
    validate_rbac_meta(errors, object, scope);
    let reference = object.child("roleRef");
    errors.one_of(&reference, "apiGroup", &[GROUP]);
    let kinds: &[&str] = if scope == Scope::Namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    errors.one_of(&reference, "kind", kinds);
    if errors.require_text(&reference, "name") {
        errors.each_of(&reference, "name", names::is_path_segment_name(reference.text("name")));
    }
    for subject in object.items("subjects") {
        validate_subject(errors, &subject, scope);
    }
    validate_meta_update(errors, object, old);
    if old.is_some_and(|old| old.raw("roleRef") != object.raw("roleRef")) {
        let detail = "cannot change roleRef";
        errors.invalid_typed(&object.at("roleRef"), "internal.RoleRef", reference.value(), detail);
    }
}

/// Implements `ValidateRoleBindingSubject`.
pub(crate) fn validate_subject(errors: &mut Errors, subject: &Node, scope: Scope) {
    let named = errors.require_text(subject, "name");
    match subject.text("kind") {
        "ServiceAccount" => {
            if named {
                errors.each_of(subject, "name", name_is_dns_subdomain(subject.text("name"), false));
            }
            errors.one_of(subject, "apiGroup", &[""]);
            if scope == Scope::Cluster {
                errors.require_text(subject, "namespace");
            }
        }
        "User" | "Group" => errors.one_of(subject, "apiGroup", &[GROUP]),
        other => errors.not_supported(&subject.at("kind"), other, &["ServiceAccount", "User", "Group"]),
    }
}
