//! Controllers that have to act before an object is visible. Gone since 1.14.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration/initializerconfiguration`,
//! `ValidateInitializerConfiguration`.

use crate::strategy::Strategy;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};

/// The strategy of `InitializerConfiguration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha1"],
    allow_unconditional_update: false,
    validate: Some(|errors, object, old, _| validate_configuration(errors, object, old)),
    ..Strategy::new("admissionregistration.k8s.io", "InitializerConfiguration")
};

fn validate_configuration(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let scope = crate::validation::metadata::Scope::Cluster;
    validate_object_meta(errors, object, scope, name_is_dns_subdomain);
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    for initializer in object.items("initializers") {
        let name = initializer.text("name");
        if name.is_empty() {
            errors.required(&initializer.at("name"), "");
        } else if name.split('.').count() < 3 {
            let detail = "should be a domain with at least three segments separated by dots";
            errors.invalid(&initializer.at("name"), name, detail);
        }
        for rule in initializer.items("rules") {
            validate_rule(errors, &rule);
        }
    }
}

fn validate_rule(errors: &mut Errors, rule: &Node) {
    for list in ["apiGroups", "apiVersions", "resources"] {
        if rule.len(list) == 0 {
            errors.required(&rule.at(list), "");
        }
        if rule.len(list) > 1 && rule.texts(list).any(|entry| entry == "*") {
            let detail = "if '*' is present, must not specify other entries";
            errors.invalid_value(&rule.at(list), rule.raw(list), detail);
        }
    }
    for (index, resource) in rule.texts("resources").enumerate() {
        if resource.contains('/') {
            let path = rule.at("resources").index(index);
            errors.invalid(&path, resource, "must not specify subresources");
        }
    }
}
