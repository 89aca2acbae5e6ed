//! Addresses of a Service.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/discovery`.

use crate::strategy::{Scope, Strategy};
use crate::validation::address::{is_valid_ip, is_valid_ip_for_legacy_field, validate_endpoint_ip};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_immutable_text, validate_object_meta};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::PORT_PROTOCOLS;
use crate::warnings::Warnings;
use crate::warnings::address;
use gotext::names;
use gotext::net::parse_ip_sloppy;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{items_mut, set_if_absent};
use kube_api::{Map, Object, Value};

/// The strategy of `EndpointSlice`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    prepare_for_create: Some(|slice, _, _| drop_topology(slice)),
    prepare_for_update: Some(|slice, old, _| {
        if slice.get("endpoints") != old.get("endpoints") {
            drop_topology(slice);
        }
    }),
    validate: Some(|errors, object, old, context| {
        validate_endpoint_slice(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    ..Strategy::new("discovery.k8s.io", "EndpointSlice")
};

fn warnings(slice: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &slice.value else { return };
    if old.is_none() && map.text("addressType") == "FQDN" && warnings.since(27) {
        warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    endpoint_slice(slice, map, warnings);
}

/// Sets the defaults of `EndpointSlice`.
fn set_defaults(slice: &mut Map) {
    for port in items_mut(slice, "ports") {
        set_if_absent(port, "name", "");
        set_if_absent(port, "protocol", "TCP");
    }
}

/// Drops a field of endpoints that the version does not have.
fn drop_topology(slice: &mut Map) {
    items_mut(slice, "endpoints").for_each(|endpoint| drop(endpoint.remove("deprecatedTopology")));
}

const MAX_ADDRESSES: usize = 100;

const MAX_ENDPOINTS: usize = 1000;

const MAX_HINTS: usize = 8;

const MAX_PORTS: usize = 20_000;

/// Runs `ValidateEndpointSliceCreate`, and `ValidateEndpointSliceUpdate` if there is an old object.
fn validate_endpoint_slice(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    errors.require_one_of(object, "addressType", &["FQDN", "IPv4", "IPv6"]);
    validate_ports(errors, object);
    // Older releases accepted endpoints that are refused today: unchanged ones are not checked.
    if !errors.since(33)
        || old.is_none_or(|old| !plainly_equal(old.raw("endpoints"), object.raw("endpoints")))
    {
        validate_endpoints(errors, object, profile);
    }
    if let Some(old) = old {
        validate_immutable_text(errors, object, old, "addressType");
    }
}

/// Implements `validatePorts`.
fn validate_ports(errors: &mut Errors, object: &Node) {
    if object.len("ports") > MAX_PORTS {
        errors.too_many(&object.at("ports"), object.len("ports"), MAX_PORTS);
        return;
    }
    let mut seen = Vec::new();
    for port in object.items("ports") {
        let name = port.text("name");
        if !name.is_empty() {
            errors.each_of(&port, "name", names::is_dns1123_label(name));
        }
        if seen.contains(&name) {
            errors.duplicate(&port.at("name"), name);
        } else {
            seen.push(name);
        }
        if port.has("protocol") {
            errors.one_of(&port, "protocol", &PORT_PROTOCOLS);
        } else {
            errors.required(&port.at("protocol"), "");
        }
        if let Some(protocol) = port.given("appProtocol") {
            errors.each_of(&port, "appProtocol", names::is_qualified_name(protocol));
        }
    }
}

/// Implements `validateEndpoints`; the deprecated topology was dropped earlier.
fn validate_endpoints(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    if object.len("endpoints") > MAX_ENDPOINTS {
        errors.too_many(&object.at("endpoints"), object.len("endpoints"), MAX_ENDPOINTS);
        return;
    }
    for endpoint in object.items("endpoints") {
        match endpoint.len("addresses") {
            0 => errors.required(&endpoint.at("addresses"), "must contain at least 1 address"),
            count if count > MAX_ADDRESSES => {
                errors.too_many(&endpoint.at("addresses"), count, MAX_ADDRESSES);
            }
            _ => {}
        }
        for (index, address) in endpoint.texts("addresses").enumerate() {
            let path = || endpoint.at("addresses").index(index);
            validate_address(errors, &endpoint, object.text("addressType"), address, path, profile);
        }
        if let Some(node) = endpoint.given("nodeName") {
            errors.each_of(&endpoint, "nodeName", name_is_dns_subdomain(node, false));
        }
        if let Some(hostname) = endpoint.given("hostname") {
            errors.each_of(&endpoint, "hostname", names::is_dns1123_label(hostname));
        }
        if let Some(hints) = endpoint.get("hints") {
            validate_hints(errors, &hints);
        }
    }
}

fn validate_address(
    errors: &mut Errors,
    endpoint: &Node,
    address_type: &str,
    address: &str,
    path: impl Fn() -> Path,
    profile: &ServerProfile,
) {
    if matches!(address_type, "IPv4" | "IPv6") && !errors.since(33) {
        let is_of_type = parse_ip_sloppy(address)
            .is_some_and(|ip| ip.to_canonical().is_ipv4() == (address_type == "IPv4"));
        if !is_of_type {
            errors.invalid(&path(), address, format!("must be a valid {address_type} address"));
        }
        return validate_endpoint_ip(errors, address, path);
    }
    let before = errors.len();
    match address_type {
        "IPv4" => {
            is_valid_ip_for_legacy_field(errors, &path, address, profile, std::iter::empty());
        }
        "IPv6" => errors.each(&path, address, is_valid_ip(address)),
        "FQDN" => return is_fully_qualified_domain_name(errors, &path(), address),
        _ => return,
    }
    if errors.len() > before {
        return;
    }
    if parse_ip_sloppy(address).is_some_and(|ip| ip.to_canonical().is_ipv4() != (address_type == "IPv4")) {
        errors.invalid(&endpoint.at("addresses"), address, format!("must be an {address_type} address"));
    }
    validate_endpoint_ip(errors, address, path);
}

/// Implements `IsFullyQualifiedDomainName`.
fn is_fully_qualified_domain_name(errors: &mut Errors, path: &Path, name: &str) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let messages = names::is_dns1123_subdomain(name);
    if !messages.is_empty() {
        errors.invalid(path, name, messages.join(","));
    } else if !name.contains('.') {
        errors.invalid(path, name, "should be a domain with at least two segments separated by dots");
    } else if let Some(label) = name.split('.').find(|label| !names::is_dns1123_label(label).is_empty()) {
        errors.invalid(path, label, names::is_dns1123_label(label).join(","));
    }
}

/// Implements `validateHints`.
fn validate_hints(errors: &mut Errors, hints: &Node) {
    for list in ["forZones", "forNodes"] {
        if hints.len(list) > MAX_HINTS {
            errors.too_many(&hints.at(list), hints.len(list), MAX_HINTS);
            return;
        }
        let mut seen = Vec::new();
        for hint in hints.items(list) {
            let name = hint.text("name");
            if seen.contains(&name) {
                errors.duplicate(&hint.at("name"), name);
            } else {
                seen.push(name);
            }
            let messages = if list == "forZones" {
                names::is_valid_label_value(name)
            } else {
                name_is_dns_subdomain(name, false)
            };
            errors.each_of(&hint, "name", messages);
        }
    }
}

/// Warns about the addresses of an `EndpointSlice` that no controller has written.
fn endpoint_slice(object: &Object, map: &Map, warnings: &mut Warnings<'_>) {
    const CONTROLLERS: [&str; 2] =
        ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
    let manager = object.label("endpointslice.kubernetes.io/managed-by").unwrap_or_default();
    if CONTROLLERS.contains(&manager) || !warnings.since(address::EVERYWHERE) {
        return;
    }
    for (index, endpoint) in map.items("endpoints").enumerate() {
        let path = Path::new("endpoints").index(index).child("addresses");
        for (index, address) in endpoint.list("addresses").iter().filter_map(Value::as_str).enumerate() {
            address::ip(&path.index(index), address, warnings);
        }
    }
}
