//! Services.
//!
//! Source: `ValidateServiceCreate`, `ValidateServiceUpdate`, `ValidateServiceStatusUpdate`.

use std::collections::BTreeSet;

use crate::core::service::ADDRESSES_ARE_ACCESS;
use crate::validation::address::{
    is_valid_cidr_for_legacy_field, is_valid_ip_for_legacy_field, validate_endpoint_ip,
};
use crate::validation::metadata::{
    Scope, name_is_dns_label, name_is_dns1035_label, validate_labels, validate_object_meta,
    validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{PORT_PROTOCOLS, validate_port_num_or_name, validate_port_number};
use gotext::names;
use gotext::net::parse_ip_sloppy;
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::{Error, Path, Rule};
use kube_api::server_profile::ServerProfile;

const LOAD_BALANCER_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
const SET_ONCE: &str = "may not change once set";
const ADDRESSES: &str = "core/v1.ServiceSpec#clusterIPs";
const FAMILIES: &str = "core/v1.ServiceSpec#ipFamilies";

/// Implements `ValidateServiceCreate`.
pub(crate) fn validate_service_create(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    if !validate_before_allocation(errors, &object.child("spec"), None, profile) {
        return;
    }
    let relaxed = profile.enabled(Feature::RelaxedServiceNameValidation);
    let rule = if relaxed { name_is_dns_label } else { name_is_dns1035_label };
    validate_object_meta(errors, object, Scope::Namespaced, rule);
    validate_service(errors, object, None, profile);
}

/// Implements `ValidateServiceUpdate`.
pub(crate) fn validate_service_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    let (spec, before) = (object.child("spec"), old.child("spec"));
    if !validate_before_allocation(errors, &spec, Some(&before), profile) {
        return;
    }
    validate_object_meta_update(errors, object, old);
    if spec.text("type") != "ExternalName" && before.text("type") != "ExternalName" {
        validate_upgrade_downgrade_cluster_ips(errors, &spec, &before);
        validate_upgrade_downgrade_ip_families(errors, &spec, &before);
    }
    validate_load_balancer_class(errors, &spec, Some(&before));
    if needs_health_check(&spec)
        && needs_health_check(&before)
        && spec.int("healthCheckNodePort") != before.int("healthCheckNodePort")
    {
        errors.forbidden(&spec.at("healthCheckNodePort"), "field is immutable");
    }
    if !errors.since(34) {
        validate_object_meta(errors, object, Scope::Namespaced, name_is_dns1035_label);
    }
    validate_service(errors, object, Some(old), profile);
}

/// Validates what the allocation, `initIPFamilyFields`, checks before all else; returns whether that is valid.
fn validate_before_allocation(
    errors: &mut Errors,
    spec: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) -> bool {
    let others = errors.len();
    validate_cluster_ips(errors, spec, old, profile);
    errors.len() == others
}

/// Whether the Service is headless. Before the server has copied `clusterIP` to `clusterIPs`, the former alone counts.
pub(crate) fn is_headless(spec: &Node) -> bool {
    match spec.list("clusterIPs") {
        [] => spec.text("clusterIP") == "None",
        [only] => only == "None",
        _ => false,
    }
}

/// Implements `NeedsHealthCheck`.
fn needs_health_check(spec: &Node) -> bool {
    spec.text("type") == "LoadBalancer" && spec.text("externalTrafficPolicy") == "Local"
}

/// Implements `validateService`.
fn validate_service(errors: &mut Errors, object: &Node, whole_old: Option<&Node>, profile: &ServerProfile) {
    let spec = object.child("spec");
    let before = whole_old.map(|old| old.child("spec"));
    let old = before.as_ref();
    let kind = spec.text("type");
    validate_topology_annotations(errors, object);
    if spec.len("ports") == 0 && !is_headless(&spec) && kind != "ExternalName" {
        errors.required(&spec.at("ports"), "");
    }
    match kind {
        "LoadBalancer" | "NodePort" if is_headless(&spec) => {
            let detail = format!("may not be set to 'None' for {kind} services");
            let path = if errors.since(20) { spec.at("clusterIPs").index(0) } else { spec.at("clusterIP") };
            errors.invalid(&path, "None", detail);
        }
        "ExternalName" => validate_external_name(errors, &spec),
        _ => {}
    }
    validate_service_ports(errors, &spec);
    validate_labels(errors, &spec, "selector");
    errors.require_one_of(&spec, "sessionAffinity", &["ClientIP", "None"]);
    validate_session_affinity(errors, &spec);
    validate_cluster_ips(errors, &spec, old, profile);
    let old_ips = || old.map(|old| old.texts("externalIPs")).into_iter().flatten();
    for (index, ip) in spec.texts("externalIPs").enumerate() {
        let path = || spec.at("externalIPs").index(index);
        if is_valid_ip_for_legacy_field(errors, path, ip, profile, old_ips()) {
            validate_endpoint_ip(errors, ip, path);
        }
    }
    errors.require_one_of(&spec, "type", &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
    validate_port_numbers(errors, &spec);
    validate_source_ranges(errors, object, whole_old, profile);
    if spec.has("allocateLoadBalancerNodePorts") && kind != "LoadBalancer" {
        errors.forbidden(&spec.at("allocateLoadBalancerNodePorts"), LOAD_BALANCER_ONLY);
    }
    if kind == "LoadBalancer" && !spec.has("allocateLoadBalancerNodePorts") {
        errors.required(&Path::new("allocateLoadBalancerNodePorts"), "");
    }
    validate_load_balancer_class(errors, &spec, None);
    validate_traffic_policies(errors, &spec, profile);
}

fn validate_topology_annotations(errors: &mut Errors, object: &Node) {
    const MODE: &str = "service.kubernetes.io/topology-mode";
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    let metadata = object.child("metadata");
    let annotation = |key: &str| metadata.raw("annotations").get(key).and_then(Value::as_str);
    if let (Some(mode), Some(hints)) = (annotation(MODE), annotation(HINTS))
        && mode != hints
        && errors.since(27)
    {
        let detail = format!("must match annotations[{HINTS}] when both are specified");
        errors.invalid(&metadata.at("annotations").key(MODE), mode, detail);
    }
}

fn validate_external_name(errors: &mut Errors, spec: &Node) {
    let detail = "may not be set for ExternalName services";
    if spec.len("clusterIPs") > 0 {
        if errors.since(20) {
            errors.forbidden(&spec.at("clusterIPs"), detail);
        } else {
            errors.forbidden(&spec.at("clusterIP"), "must be empty for ExternalName services");
        }
    }
    if spec.len("ipFamilies") > 0 {
        errors.forbidden(&spec.at("ipFamilies"), detail);
    }
    if spec.has("ipFamilyPolicy") {
        errors.forbidden(&spec.at("ipFamilyPolicy"), detail);
    }
    let name = spec.text("externalName");
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() {
        errors.required(&spec.at("externalName"), "");
    } else {
        errors.each(|| spec.at("externalName"), name, names::is_dns1123_subdomain(name));
    }
}

/// Implements `validateServicePort` of all ports.
fn validate_service_ports(errors: &mut Errors, spec: &Node) {
    let mut seen = BTreeSet::new();
    for port in spec.items("ports") {
        let name = port.text("name");
        if name.is_empty() {
            if spec.len("ports") > 1 {
                errors.required(&port.at("name"), "");
            }
        } else {
            errors.each_of(&port, "name", names::is_dns1123_label(name));
            if !seen.insert(name) {
                errors.duplicate(&port.at("name"), name);
            }
        }
        validate_port_number(errors, &port, "port");
        errors.require_one_of(&port, "protocol", &PORT_PROTOCOLS);
        validate_port_num_or_name(errors, &port, "targetPort");
        if let Some(protocol) = port.given("appProtocol") {
            errors.each_of(&port, "appProtocol", names::is_qualified_name(protocol));
        }
    }
}

/// Checks that node ports fit the type, and that numbers are unique.
fn validate_port_numbers(errors: &mut Errors, spec: &Node) {
    if spec.text("type") == "ClusterIP" {
        for port in spec.items("ports") {
            if port.int("nodePort") != 0 {
                errors.forbidden(&port.at("nodePort"), "may not be used when `type` is 'ClusterIP'");
            }
        }
    }
    let mut seen = BTreeSet::new();
    for port in spec.items("ports") {
        let number = port.int("nodePort");
        if number != 0 && !seen.insert((port.text("protocol"), number)) {
            errors.push(Error::duplicate(&port.at("nodePort"), &Value::from(number)));
        }
    }
    let mut seen = BTreeSet::new();
    for port in spec.items("ports") {
        let (protocol, number) = (port.text("protocol"), port.int("port"));
        if !seen.insert((protocol, number)) {
            let printed = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{number},\"TargetPort\":0,\
                 \"NodePort\":0}}",
                Value::from(protocol)
            );
            let error = Error::duplicate_printed(&port.here(), printed);
            let key = gotext::value::json!({"protocol": protocol, "port": number});
            errors.push(error.about(None, &key));
        }
    }
}

fn validate_session_affinity(errors: &mut Errors, spec: &Node) {
    let config = spec.get("sessionAffinityConfig");
    match spec.text("sessionAffinity") {
        "ClientIP" => validate_client_ip_affinity(errors, spec),
        "None" if config.is_some() => {
            let detail = "must not be set when session affinity is None";
            errors.forbidden(&spec.at("sessionAffinityConfig"), detail);
        }
        _ => {}
    }
}

/// Implements `validateClientIPAffinityConfig`.
fn validate_client_ip_affinity(errors: &mut Errors, spec: &Node) {
    let detail = "when session affinity type is ClientIP";
    let Some(config) = spec.get("sessionAffinityConfig") else {
        return errors.required(&spec.at("sessionAffinityConfig"), detail);
    };
    let Some(client) = config.get("clientIP") else {
        return errors.required(&config.at("clientIP"), detail);
    };
    match client.number("timeoutSeconds") {
        None => errors.required(&client.at("timeoutSeconds"), detail),
        Some(seconds) if !(1..=86400).contains(&seconds) => {
            let detail = "must be greater than 0 and less than 86400";
            errors.invalid_int(&client.at("timeoutSeconds"), seconds, detail);
        }
        Some(_) => {}
    }
}

/// Implements `ValidateServiceClusterIPsRelatedFields`.
pub(super) fn validate_cluster_ips(
    errors: &mut Errors,
    spec: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    if spec.text("type") == "ExternalName" {
        return;
    }
    let path = || spec.at("clusterIPs");
    let mut ips: Vec<&str> = spec.texts("clusterIPs").collect();
    let all = spec.raw("clusterIPs");
    let first = spec.text("clusterIP");
    if ips.is_empty() && !first.is_empty() && old.is_none() {
        ips.push(first);
    }
    match (first, ips.first()) {
        ("", None) => {}
        ("", Some(_)) => {
            let detail = if errors.since(23) {
                "must be empty when `clusterIP` is not specified"
            } else {
                "must be empty when clusterIP is empty"
            };
            errors.invalid_value(&path(), all, detail);
        }
        (_, None) => errors.required(&path(), ""),
        (ip, Some(first)) if ip != *first => {
            let detail = if errors.since(23) {
                "first value must match `clusterIP`"
            } else {
                "element [0] must match clusterIP"
            };
            errors.invalid_value(&path(), all, detail);
        }
        _ => {}
    }
    let mut seen = BTreeSet::new();
    for (index, family) in spec.texts("ipFamilies").enumerate() {
        let path = || spec.at("ipFamilies").index(index);
        if !["IPv4", "IPv6"].contains(&family) {
            errors.not_supported(&path(), family, &["IPv4", "IPv6"]);
        }
        if !seen.insert(family) {
            errors.duplicate(&path(), family);
        }
    }
    errors.optional_one_of(spec, "ipFamilyPolicy", &["PreferDualStack", "RequireDualStack", "SingleStack"]);
    let mut valid = true;
    for (index, ip) in ips.iter().enumerate() {
        if index == 0 && *ip == "None" {
            if ips.len() > 1 {
                valid = false;
                errors.invalid_value(&path(), all, "'None' must be the first and only value");
            }
            continue;
        }
        let old_ips = old.map(|old| old.texts("clusterIPs")).into_iter().flatten();
        valid &= is_valid_ip_for_legacy_field(errors, || path().index(index), ip, profile, old_ips);
    }
    if ips.len() > 2 {
        errors.invalid_value(&path(), all, "may only hold up to 2 values");
    }
    if !valid {
        return;
    }
    let is_v6 = |ip: &str| parse_ip_sloppy(ip).is_some_and(|ip| ip.to_canonical().is_ipv6());
    if ips.len() > 1 && !(ips.iter().any(|ip| is_v6(ip)) && ips.iter().any(|ip| !is_v6(ip))) {
        errors.invalid_value(&path(), all, "may specify no more than one IP for each IP family");
    }
    if !is_headless(spec) {
        for (index, (ip, family)) in ips.iter().zip(spec.texts("ipFamilies")).enumerate() {
            if family == "IPv4" && is_v6(ip) || family == "IPv6" && !is_v6(ip) {
                let detail = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
                errors.invalid(&path().index(index), ip, detail);
            }
        }
    }
}

fn validate_source_ranges(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    const ANNOTATION: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
    let (spec, before) = (object.child("spec"), old.map(|old| old.child("spec")));
    let balances = spec.text("type") == "LoadBalancer";
    if spec.len("loadBalancerSourceRanges") > 0 {
        let path = spec.at("LoadBalancerSourceRanges");
        if !balances {
            errors.forbidden(&path, LOAD_BALANCER_ONLY);
        }
        for (index, range) in spec.texts("loadBalancerSourceRanges").enumerate() {
            let before = before.as_ref().map(|before| before.texts("loadBalancerSourceRanges"));
            let before = before.into_iter().flatten().map(str::trim);
            errors.by(Rule::SourceRange, |errors| {
                is_valid_cidr_for_legacy_field(errors, || path.index(index), range.trim(), profile, before);
            });
        }
        return;
    }
    let metadata = object.child("metadata");
    let Some(ranges) = metadata.raw("annotations").get(ANNOTATION).and_then(Value::as_str) else { return };
    let path = || metadata.at("annotations").key(ANNOTATION);
    if !balances {
        errors.forbidden(&path(), LOAD_BALANCER_ONLY);
    }
    let before = old.and_then(|old| old.child("metadata").raw("annotations").get(ANNOTATION));
    if before.and_then(Value::as_str) != Some(ranges) && !ranges.trim().is_empty() {
        for range in ranges.trim().split(',') {
            errors.by(Rule::SourceRange, |errors| {
                is_valid_cidr_for_legacy_field(errors, path, range.trim(), profile, std::iter::empty());
            });
        }
    }
}

/// Implements `validateLoadBalancerClassField`.
fn validate_load_balancer_class(errors: &mut Errors, spec: &Node, old: Option<&Node>) {
    let balances = spec.text("type") == "LoadBalancer";
    if let Some(old) = old.filter(|old| balances && old.text("type") == "LoadBalancer")
        && spec.raw("loadBalancerClass") != old.raw("loadBalancerClass")
    {
        errors.invalid_value(&spec.at("loadBalancerClass"), spec.raw("loadBalancerClass"), SET_ONCE);
    }
    if let Some(class) = spec.given("loadBalancerClass") {
        if balances {
            errors.each_of(spec, "loadBalancerClass", names::is_qualified_name(class));
        } else {
            errors.forbidden(&spec.at("loadBalancerClass"), LOAD_BALANCER_ONLY);
        }
    }
}

/// Implements `validateServiceExternalTrafficPolicy` and the checks after it.
fn validate_traffic_policies(errors: &mut Errors, spec: &Node, profile: &ServerProfile) {
    let kind = spec.text("type");
    let policy = spec.text("externalTrafficPolicy");
    let external = matches!(kind, "LoadBalancer" | "NodePort")
        || kind == "ClusterIP" && spec.len("externalIPs") > 0 && profile.release() >= ADDRESSES_ARE_ACCESS;
    if external {
        errors.require_one_of(spec, "externalTrafficPolicy", &["Cluster", "Local"]);
    } else if !policy.is_empty() {
        let detail = match errors.release().minor {
            ..23 => "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service",
            23..29 => "may only be set when `type` is 'NodePort' or 'LoadBalancer'",
            _ => "may only be set for externally-accessible services",
        };
        errors.invalid(&spec.at("externalTrafficPolicy"), policy, detail);
    }
    let health = spec.int("healthCheckNodePort");
    if !needs_health_check(spec) {
        if health != 0 {
            let detail = if errors.since(23) {
                "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            } else {
                "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local"
            };
            errors.invalid_int(&spec.at("healthCheckNodePort"), health, detail);
        }
    } else if health != 0 {
        // The server has allocated a port by now; one that is not set yet is not missing.
        validate_port_number(errors, spec, "healthCheckNodePort");
    }
    if !spec.has("internalTrafficPolicy") && ["NodePort", "LoadBalancer", "ClusterIP"].contains(&kind) {
        errors.required(&spec.at("internalTrafficPolicy"), "");
    }
    errors.optional_one_of(spec, "internalTrafficPolicy", &["Cluster", "Local"]);
    let distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    let known = if profile.enabled(Feature::PreferSameTrafficDistribution) { 3 } else { 1 };
    errors.optional_one_of(spec, "trafficDistribution", &distributions[..known]);
}

/// Implements `validateUpgradeDowngradeClusterIPs`.
fn validate_upgrade_downgrade_cluster_ips(errors: &mut Errors, spec: &Node, before: &Node) {
    if is_headless(spec) && is_headless(before) {
        return;
    }
    let path = |index: usize| spec.at("clusterIPs").index(index);
    let (now, then) = (spec.list("clusterIPs"), before.list("clusterIPs"));
    let changed = |index: usize, detail: &str| {
        let addresses = spec.raw("clusterIPs");
        Error::invalid(&path(index), addresses, detail).about(Some(ADDRESSES), addresses)
    };
    if now.len() == then.len() {
        for (index, (now, then)) in now.iter().zip(then).enumerate() {
            if now != then {
                errors.push(changed(index, SET_ONCE));
            }
        }
        return;
    }
    if now.len() < then.len() && now.is_empty() {
        errors.push(changed(0, "primary clusterIP can not be unset"));
    }
    if !now.is_empty() && !then.is_empty() && now[0] != then[0] {
        errors.push(changed(0, SET_ONCE));
    }
    if now.len() < then.len() && now.len() == 1 {
        must_be_single_stack(errors, spec, "clusterIP");
    }
}

/// Implements `validateUpgradeDowngradeIPFamilies`.
fn validate_upgrade_downgrade_ip_families(errors: &mut Errors, spec: &Node, before: &Node) {
    if is_headless(spec) || is_headless(before) {
        return;
    }
    let changed = |field: &str, table: &'static str, detail: &str| {
        let path = spec.at("ipFamilies").index(0);
        Error::invalid(&path, spec.raw(field), detail).about(Some(table), spec.raw(field))
    };
    let (now, then) = (spec.list("ipFamilies"), before.list("ipFamilies"));
    if now.len() == then.len() {
        for (now, then) in now.iter().zip(then) {
            if now != then {
                errors.push(changed("ipFamilies", FAMILIES, SET_ONCE));
            }
        }
        return;
    }
    if now.len() < then.len() && spec.len("clusterIPs") == 0 {
        errors.push(changed("ipFamilies", FAMILIES, "primary ipFamily can not be unset"));
    }
    if !now.is_empty() && !then.is_empty() && now[0] != then[0] {
        // Upstream prints the addresses here.
        errors.push(changed("clusterIPs", ADDRESSES, SET_ONCE));
    }
    if now.len() < then.len() && now.len() == 1 {
        must_be_single_stack(errors, spec, "ipFamily");
    }
}

fn must_be_single_stack(errors: &mut Errors, spec: &Node, what: &str) {
    if spec.text("ipFamilyPolicy") != "SingleStack" {
        let detail = format!("must be set to 'SingleStack' when releasing the secondary {what}");
        errors.invalid_value(&spec.at("ipFamilyPolicy"), spec.raw("ipFamilyPolicy"), detail);
    }
}
