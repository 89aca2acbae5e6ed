//! Ingresses and their classes, network policies, addresses and ranges of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/networking/validation`.

use crate::validation::address::is_valid_ip_for_legacy_field;
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::net::parse_ip_sloppy;
use kube_api::field::Rule;
use kube_api::server_profile::ServerProfile;

/// Implements `validateIngressTypedLocalObjectReference`.
pub(crate) fn validate_typed_reference(errors: &mut Errors, reference: &Node) {
    if let Some(group) = reference.given("apiGroup") {
        errors.each_of(reference, "apiGroup", names::is_dns1123_subdomain(group));
    }
    for (field, rule) in [("kind", Rule::KindOfParameters), ("name", Rule::NameOfParameters)] {
        if errors.by(rule, |errors| errors.require_text(reference, field)) {
            errors.each_of(reference, field, names::is_path_segment_name(reference.text(field)));
        }
    }
}

/// Implements `IsDomainPrefixedPath`.
pub(crate) fn is_domain_prefixed_path(errors: &mut Errors, node: &Node, field: &'static str) {
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

/// Implements `ValidateLoadBalancerStatus` of a Service, whose addresses have modes, and
/// `ValidateIngressLoadBalancerStatus`.
pub(crate) fn validate_load_balancer_status(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    has_modes: bool,
    profile: &ServerProfile,
) {
    let before = old.child("status").child("loadBalancer").list("ingress");
    for ingress in object.child("status").child("loadBalancer").items("ingress") {
        let (ip, host) = (ingress.text("ip"), ingress.text("hostname"));
        if !ip.is_empty() {
            let path = || ingress.at("ip");
            let before = before.iter().filter_map(|ingress| ingress.get("ip")?.as_str());
            errors.in_words_until(30, "must be a valid IP address", |errors| {
                is_valid_ip_for_legacy_field(errors, path, ip, profile, before);
            });
        }
        if has_modes {
            validate_ip_mode(errors, &ingress, ip);
        }
        if !host.is_empty() {
            errors.each_of(&ingress, "hostname", names::is_dns1123_subdomain(host));
            if parse_ip_sloppy(host).is_some() {
                errors.invalid(&ingress.at("hostname"), host, "must be a DNS name, not an IP address");
            }
        }
    }
}

fn validate_ip_mode(errors: &mut Errors, ingress: &Node, ip: &str) {
    match (ingress.has("ipMode"), ip.is_empty()) {
        (false, false) => errors.required(&ingress.at("ipMode"), "must be specified when `ip` is set"),
        (true, true) => {
            errors.forbidden(&ingress.at("ipMode"), "may not be specified when `ip` is not set");
        }
        _ => errors.optional_one_of(ingress, "ipMode", &["Proxy", "VIP"]),
    }
}
