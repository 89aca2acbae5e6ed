//! Ingresses and their classes, network policies, addresses and ranges of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/networking/validation`.

use crate::api::features::FeatureGates;
use crate::api::field::Path;
use crate::api::{Value, names};
use crate::registry::validation::address::{
    is_valid_cidr, is_valid_cidr_for_legacy_field, is_valid_ip, parse_cidr_sloppy, parse_ip_sloppy,
};
use crate::registry::validation::metadata::{
    Scope, name_is_dns_label, name_is_dns_subdomain, name_is_dns1035_label, validate_object_meta,
    validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, IMMUTABLE, Node};
use crate::registry::validation::pod::validate_port_number;
use crate::registry::validation::selector::{has_invalid_label_selector, validate_label_selector};

pub(in crate::registry) const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// What an old Ingress has got wrong already.
#[derive(Clone, Copy)]
pub(in crate::registry) struct IngressOptions {
    invalid_secret_name: bool,
    invalid_wildcard_host: bool,
    relaxed_service_name: bool,
}

/// `ValidateIngressCreate`, and `ValidateIngressUpdate` where there is an old one.
pub(in crate::registry) fn validate_ingress(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    let mut options = IngressOptions {
        invalid_secret_name: false,
        invalid_wildcard_host: false,
        relaxed_service_name: features.enabled("RelaxedServiceNameValidation"),
    };
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        let before = old.child("spec");
        options.invalid_wildcard_host = before.items("rules").any(|rule| {
            let mut errors = Errors::default();
            validate_ingress_rule_value(&mut errors, &rule, options);
            rule.text("host").contains('*') && !errors.is_empty()
        });
        options.invalid_secret_name = before.items("tls").any(|tls| {
            let name = tls.text("secretName");
            !name.is_empty() && !name_is_dns_subdomain(name, false).is_empty()
        });
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_ingress_spec(errors, &spec, options);
    let annotation = object.child("metadata").raw("annotations").get(INGRESS_CLASS).and_then(Value::as_str);
    if let (None, Some(annotation), Some(class)) = (old, annotation, spec.given("ingressClassName"))
        && annotation != class
    {
        let path = Path::new("annotations").child(INGRESS_CLASS);
        errors.invalid(&path, annotation, "must match `ingressClassName` when both are specified");
    }
}

/// `ValidateIngressSpec`
pub(in crate::registry) fn validate_ingress_spec(errors: &mut Errors, spec: &Node, options: IngressOptions) {
    let backend = spec.get("defaultBackend");
    if spec.len("rules") == 0 && backend.is_none() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        errors.invalid_value(&spec.here(), spec.raw("rules"), detail);
    }
    if let Some(backend) = backend {
        validate_ingress_backend(errors, &backend, options);
    }
    for rule in spec.items("rules") {
        validate_ingress_rule(errors, &rule, options);
    }
    for tls in spec.items("tls") {
        for (index, host) in tls.texts("hosts").enumerate() {
            errors.each(|| tls.at("hosts").index(index), host, host_messages(host));
        }
        let secret = tls.text("secretName");
        if !options.invalid_secret_name && !secret.is_empty() {
            errors.each_of(&tls, "secretName", name_is_dns_subdomain(secret, false));
        }
    }
    if let Some(class) = spec.given("ingressClassName") {
        errors.each_of(spec, "ingressClassName", name_is_dns_subdomain(class, false));
    }
}

pub(in crate::registry) fn host_messages(host: &str) -> Vec<String> {
    if host.contains('*') {
        names::is_wildcard_dns1123_subdomain(host)
    } else {
        names::is_dns1123_subdomain(host)
    }
}

/// `validateIngressRules` of one rule.
pub(in crate::registry) fn validate_ingress_rule(errors: &mut Errors, rule: &Node, options: IngressOptions) {
    let host = rule.text("host");
    if !host.is_empty() {
        if parse_ip_sloppy(host).is_some() {
            errors.invalid(&rule.at("host"), host, "must be a DNS name, not an IP address");
        }
        errors.each_of(rule, "host", host_messages(host));
    }
    if !host.contains('*') || !options.invalid_wildcard_host {
        validate_ingress_rule_value(errors, rule, options);
    }
}

/// `validateIngressRuleValue`
pub(in crate::registry) fn validate_ingress_rule_value(
    errors: &mut Errors,
    rule: &Node,
    options: IngressOptions,
) {
    let Some(http) = rule.get("http") else { return };
    if http.len("paths") == 0 {
        errors.required(&http.at("paths"), "");
    }
    for path in http.items("paths") {
        validate_http_ingress_path(errors, &path, options);
    }
}

/// `validateHTTPIngressPath`
pub(in crate::registry) fn validate_http_ingress_path(
    errors: &mut Errors,
    path: &Node,
    options: IngressOptions,
) {
    let text = path.text("path");
    let not_absolute = !text.starts_with('/');
    match path.given("pathType") {
        None => return errors.required(&path.at("pathType"), "pathType must be specified"),
        Some("Exact" | "Prefix") => {
            if not_absolute {
                errors.invalid(&path.at("path"), text, "must be an absolute path");
            }
            for sequence in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(sequence) {
                    errors.invalid(&path.at("path"), text, format!("must not contain '{sequence}'"));
                }
            }
            for suffix in ["/..", "/."] {
                if text.ends_with(suffix) {
                    errors.invalid(&path.at("path"), text, format!("cannot end with '{suffix}'"));
                }
            }
        }
        Some("ImplementationSpecific") => {
            if !text.is_empty() && not_absolute {
                errors.invalid(&path.at("path"), text, "must be an absolute path");
            }
        }
        Some(other) => {
            errors.not_supported(&path.at("pathType"), other, &["Exact", "ImplementationSpecific", "Prefix"]);
        }
    }
    validate_ingress_backend(errors, &path.child("backend"), options);
}

/// `validateIngressBackend`
pub(in crate::registry) fn validate_ingress_backend(
    errors: &mut Errors,
    backend: &Node,
    options: IngressOptions,
) {
    match (backend.get("resource"), backend.get("service")) {
        (Some(_), Some(_)) => {
            errors.invalid(&backend.here(), "", "cannot set both resource and service backends");
        }
        (Some(resource), None) => validate_typed_reference(errors, &resource),
        (None, Some(service)) => {
            if errors.require_text(&service, "name") {
                let rule =
                    if options.relaxed_service_name { name_is_dns_label } else { name_is_dns1035_label };
                errors.each_of(&service, "name", rule(service.text("name"), false));
            }
            let port = service.child("port");
            match (port.text("name"), port.int("number")) {
                ("", 0) => errors.required(&backend.here(), "port name or number is required"),
                ("", _) => validate_port_number(errors, &port, "number"),
                (name, 0) => errors.each_of(&port, "name", names::is_valid_port_name(name)),
                _ => errors.invalid(&backend.here(), "", "cannot set both port name & port number"),
            }
        }
        (None, None) => errors.invalid(&backend.here(), "", "resource or service backend is required"),
    }
}

/// `validateIngressTypedLocalObjectReference`
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

/// `IsDomainPrefixedPath`
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

/// `ValidateIngressClass`, and `ValidateIngressClassUpdate` where there is an old one.
pub(in crate::registry) fn validate_ingress_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if spec.text("controller") != old.child("spec").text("controller") {
            errors.invalid(&spec.at("controller"), spec.text("controller"), IMMUTABLE);
        }
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    if spec.text("controller").len() > 250 {
        errors.too_long(&spec.at("controller"), 250);
    }
    is_domain_prefixed_path(errors, &spec, "controller");
    let Some(parameters) = spec.get("parameters") else { return };
    validate_typed_reference(errors, &parameters);
    match parameters.given("scope") {
        None => errors.required(&parameters.at("scope"), ""),
        Some("Namespace") => match parameters.given("namespace") {
            None => {
                let detail = "`parameters.scope` is set to 'Namespace'";
                errors.required(&parameters.at("namespace"), detail);
            }
            Some(namespace) => errors.each_of(&parameters, "namespace", names::is_dns1123_label(namespace)),
        },
        Some("Cluster") => {
            if parameters.has("namespace") {
                errors.forbidden(&parameters.at("namespace"), "`parameters.scope` is set to 'Cluster'");
            }
        }
        Some(other) => errors.not_supported(&parameters.at("scope"), other, &["Cluster", "Namespace"]),
    }
}

/// `ValidateNetworkPolicy`, and `ValidateNetworkPolicyUpdate` where there is an old one.
pub(in crate::registry) fn validate_network_policy(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    match old {
        None => validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
    let before = old.map(|old| old.child("spec"));
    let lenient = before.as_ref().is_some_and(|before| has_invalid_label_selector(before, "podSelector"));
    let kept: Vec<&str> = before.as_ref().map(ranges_of).unwrap_or_default();
    let spec = object.child("spec");
    validate_label_selector(errors, &spec, "podSelector", lenient);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.items(direction) {
            for port in rule.items("ports") {
                validate_network_policy_port(errors, &port);
            }
            for peer in rule.items(peers) {
                validate_network_policy_peer(errors, &peer, lenient, &kept, features);
            }
        }
    }
    if spec.len("policyTypes") > 2 {
        let detail = "may not specify more than two policyTypes";
        errors.invalid_value(&spec.at("policyTypes"), spec.raw("policyTypes"), detail);
        return;
    }
    for (index, kind) in spec.texts("policyTypes").enumerate() {
        if !["Ingress", "Egress"].contains(&kind) {
            errors.not_supported(&spec.at("policyTypes").index(index), kind, &["Ingress", "Egress"]);
        }
    }
}

/// The ranges of a policy that is stored, valid or not.
pub(in crate::registry) fn ranges_of<'a>(spec: &Node<'a>) -> Vec<&'a str> {
    let mut ranges = Vec::new();
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for block in
            spec.items(direction).flat_map(|rule| rule.items(peers)).filter_map(|peer| peer.get("ipBlock"))
        {
            ranges.push(block.text("cidr"));
            ranges.extend(block.texts("except"));
        }
    }
    ranges
}

/// `ValidateNetworkPolicyPort`
pub(in crate::registry) fn validate_network_policy_port(errors: &mut Errors, port: &Node) {
    errors.optional_one_of(port, "protocol", &["TCP", "UDP", "SCTP"]);
    let end = port.number("endPort");
    match (port.raw("port"), end) {
        (Value::Null, Some(end)) => {
            errors.invalid_int(&port.at("endPort"), end, "may not be specified when `port` is not specified");
        }
        (Value::Null, None) => {}
        (Value::String(name), end) => {
            if let Some(end) = end {
                errors.invalid_int(
                    &port.at("endPort"),
                    end,
                    "may not be specified when `port` is non-numeric",
                );
            }
            errors.each_of(port, "port", names::is_valid_port_name(name));
        }
        (_, end) => {
            validate_port_number(errors, port, "port");
            if let Some(end) = end {
                if end < port.int("port") {
                    let detail = "must be greater than or equal to `port`";
                    errors.invalid_int(&port.at("endPort"), port.int("port"), detail);
                }
                validate_port_number(errors, port, "endPort");
            }
        }
    }
}

/// `ValidateNetworkPolicyPeer`
pub(in crate::registry) fn validate_network_policy_peer(
    errors: &mut Errors,
    peer: &Node,
    lenient: bool,
    kept: &[&str],
    features: &FeatureGates,
) {
    validate_label_selector(errors, peer, "podSelector", lenient);
    validate_label_selector(errors, peer, "namespaceSelector", lenient);
    let selects = peer.has("podSelector") || peer.has("namespaceSelector");
    let block = peer.get("ipBlock");
    if let Some(block) = &block {
        validate_ip_block(errors, block, kept, features);
    }
    if !selects && block.is_none() {
        errors.required(&peer.here(), "must specify a peer");
    } else if selects && block.is_some() {
        errors.forbidden(&peer.here(), "may not specify both ipBlock and another peer");
    }
}

/// `ValidateIPBlock`
pub(in crate::registry) fn validate_ip_block(
    errors: &mut Errors,
    block: &Node,
    kept: &[&str],
    features: &FeatureGates,
) {
    let range = block.text("cidr");
    if !errors.require_text(block, "cidr") {
        return;
    }
    is_valid_cidr_for_legacy_field(errors, || block.at("cidr"), range, features, kept.iter().copied());
    let Some(range) = parse_cidr_sloppy(range) else { return };
    for (index, text) in block.texts("except").enumerate() {
        let path = || block.at("except").index(index);
        is_valid_cidr_for_legacy_field(errors, path, text, features, kept.iter().copied());
        let Some(except) = parse_cidr_sloppy(text) else { continue };
        if !range.contains(except.address) || range.prefix >= except.prefix {
            errors.invalid(&path(), text, "must be a strict subset of `cidr`");
        }
    }
}

/// `ValidateIPAddress`, and `ValidateIPAddressUpdate` where there is an old one.
pub(in crate::registry) fn validate_ip_address(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if spec.raw("parentRef") != old.child("spec").raw("parentRef") {
            errors.invalid_value(&spec.at("parentRef"), spec.raw("parentRef"), IMMUTABLE);
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Cluster, |name, _| is_valid_ip(name));
    let Some(parent) = spec.get("parentRef") else {
        return errors.required(&spec.at("parentRef"), "");
    };
    if !parent.text("group").is_empty() {
        errors.each_of(&parent, "group", names::is_dns1123_subdomain(parent.text("group")));
    }
    for field in ["resource", "name"] {
        if parent.text(field).is_empty() {
            errors.required(&parent.at(field), "");
        } else {
            errors.each_of(&parent, field, names::is_path_segment_name(parent.text(field)));
        }
    }
    if !parent.text("namespace").is_empty() {
        errors.each_of(&parent, "namespace", names::is_path_segment_name(parent.text("namespace")));
    }
}

/// `ValidateServiceCIDR`, and `ValidateServiceCIDRUpdate` where there is an old one.
pub(in crate::registry) fn validate_service_cidr(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    let Some(old) = old else {
        validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
        return validate_service_cidr_spec(errors, &spec);
    };
    validate_object_meta_update(errors, object, old);
    let before = old.child("spec");
    let (now, then) = (spec.list("cidrs"), before.list("cidrs"));
    let grows = then.len() == 1 && now.len() == 2;
    if now.len() == then.len() || grows {
        for (index, (now, then)) in now.iter().zip(then).enumerate() {
            if now != then {
                errors.invalid_value(&spec.at("cidrs").index(index), now, IMMUTABLE);
            }
        }
        if grows {
            validate_service_cidr_spec(errors, &spec);
        }
    } else {
        errors.invalid_value(&spec.at("cidrs"), spec.raw("cidrs"), IMMUTABLE);
    }
}

/// `validateServiceCIDRSpec`
pub(in crate::registry) fn validate_service_cidr_spec(errors: &mut Errors, spec: &Node) {
    let ranges: Vec<&str> = spec.texts("cidrs").collect();
    if ranges.is_empty() {
        return errors.required(&spec.at("cidrs"), "at least one CIDR required");
    }
    if ranges.len() > 2 {
        let detail = "may only hold up to 2 values";
        return errors.invalid_typed(&spec.at("cidrs"), "internal.ServiceCIDRSpec", spec.value(), detail);
    }
    for (index, range) in ranges.iter().enumerate() {
        errors.each(|| spec.at("cidrs").index(index), range, is_valid_cidr(range));
    }
    if let [first, second] = ranges.as_slice() {
        let family = |range: &str| parse_cidr_sloppy(range).map(|range| range.is_v6());
        if family(first).is_some() && family(first) == family(second) {
            let detail =
                "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
            errors.invalid_value(&spec.at("cidrs"), spec.raw("cidrs"), detail);
        }
    }
}
