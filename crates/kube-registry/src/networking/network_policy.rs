//! Rules about which Pods may communicate.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::strategy::{Scope, Strategy};
use crate::validation::address::is_valid_cidr_for_legacy_field;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_port_number;
use crate::validation::selector::{has_invalid_label_selector, validate_label_selector};
use crate::warnings::address::cidr;
use gotext::names;
use gotext::net::parse_cidr_sloppy;
use gotext::value::json;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, items_mut, set, set_if_absent};
use kube_api::{Map, Object, Value};

/// The strategy of `NetworkPolicy`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        validate_network_policy(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    ..Strategy::new("networking.k8s.io", "NetworkPolicy")
};

pub(crate) fn warnings(object: &Object, _: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = map.child("spec").unwrap_or(&empty);
    network_policy(spec, &mut warnings);
    warnings
}

/// Sets the defaults of `NetworkPolicy`.
fn set_defaults(policy: &mut Map) {
    let spec = child_or_insert(policy, "spec");
    if spec.is_zero("policyTypes") {
        let types = if spec.is_zero("egress") { json!(["Ingress"]) } else { json!(["Ingress", "Egress"]) };
        set(spec, "policyTypes", types);
    }
    for direction in ["ingress", "egress"] {
        for rule in items_mut(spec, direction) {
            items_mut(rule, "ports").for_each(|port| set_if_absent(port, "protocol", "TCP"));
        }
    }
}

/// Runs `ValidateNetworkPolicy`, and `ValidateNetworkPolicyUpdate` if there is an old object.
fn validate_network_policy(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
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
                validate_network_policy_peer(errors, &peer, lenient, &kept, profile);
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

/// Returns the ranges of a policy that is stored, valid or not.
fn ranges_of<'a>(spec: &Node<'a>) -> Vec<&'a str> {
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

/// Implements `ValidateNetworkPolicyPort`.
fn validate_network_policy_port(errors: &mut Errors, port: &Node) {
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

/// Implements `ValidateNetworkPolicyPeer`.
fn validate_network_policy_peer(
    errors: &mut Errors,
    peer: &Node,
    lenient: bool,
    kept: &[&str],
    profile: &ServerProfile,
) {
    validate_label_selector(errors, peer, "podSelector", lenient);
    validate_label_selector(errors, peer, "namespaceSelector", lenient);
    let selects = peer.has("podSelector") || peer.has("namespaceSelector");
    let block = peer.get("ipBlock");
    if let Some(block) = &block {
        validate_ip_block(errors, block, kept, profile);
    }
    if !selects && block.is_none() {
        errors.required(&peer.here(), "must specify a peer");
    } else if selects && block.is_some() {
        errors.forbidden(&peer.here(), "may not specify both ipBlock and another peer");
    }
}

/// Implements `ValidateIPBlock`.
fn validate_ip_block(errors: &mut Errors, block: &Node, kept: &[&str], profile: &ServerProfile) {
    let range = block.text("cidr");
    if !errors.require_text(block, "cidr") {
        return;
    }
    is_valid_cidr_for_legacy_field(errors, || block.at("cidr"), range, profile, kept.iter().copied());
    let Some(range) = parse_cidr_sloppy(range) else { return };
    for (index, text) in block.texts("except").enumerate() {
        let path = || block.at("except").index(index);
        is_valid_cidr_for_legacy_field(errors, path, text, profile, kept.iter().copied());
        let Some(except) = parse_cidr_sloppy(text) else { continue };
        if !range.contains(except.address) || range.prefix >= except.prefix {
            errors.invalid(&path(), text, "must be a strict subset of `cidr`");
        }
    }
}

/// Warns about the networks of a `NetworkPolicy`.
fn network_policy(spec: &Map, warnings: &mut Vec<String>) {
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for (rule_index, rule) in spec.items(rules).enumerate() {
            for (peer_index, peer) in rule.items(peers).enumerate() {
                let Some(block) = peer.child("ipBlock") else { continue };
                let path = Path::new("spec").child(rules).index(rule_index).child(peers).index(peer_index);
                let path = path.child("ipBlock");
                cidr(&path.child("cidr"), block.text("cidr"), warnings);
                for (index, except) in block.list("except").iter().filter_map(Value::as_str).enumerate() {
                    cidr(&path.child("except").index(index), except, warnings);
                }
            }
        }
    }
}
