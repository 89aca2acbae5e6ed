//! Ingresses and their classes, network policies, addresses and ranges of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/networking/validation`.

use crate::api::names;
use crate::registry::validation::node::{Errors, Node};

/// Implements `validateIngressTypedLocalObjectReference`.
pub(in crate::registry) fn validate_typed_reference(errors: &mut Errors, reference: &Node) {
    if let Some(group) = reference.given("apiGroup") {
        errors.each_of(reference, "apiGroup", names::is_dns1123_subdomain(group));
    }
    for field in ["kind", "name"] {
        if errors.require_text(reference, field) {
            errors.each_of(reference, field, names::is_path_segment_name(reference.text(field)));
        }
    }
}

/// Implements `IsDomainPrefixedPath`.
pub(in crate::registry) fn is_domain_prefixed_path(errors: &mut Errors, node: &Node, field: &'static str) {
    if !errors.require_text(node, field) {
        return;
    }
    let value = node.text(field);
    match value.split_once('/') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            errors.each(|| node.at(field), host, names::is_dns1123_subdomain(host));
            errors.each(|| node.at(field), path, names::is_http_path(path));
        }
        _ => {
            errors.invalid(
                &node.at(field),
                value,
                "must be a domain-prefixed path (such as \"acme.io/foo\")",
            );
        }
    }
}
