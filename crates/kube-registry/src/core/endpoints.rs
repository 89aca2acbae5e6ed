//! The addresses of a Service, in the form that `EndpointSlices` replace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Scope, Strategy};
use crate::validation::address::{is_valid_ip_for_legacy_field, validate_endpoint_ip};
use crate::validation::core::validate_both_metas;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{PORT_PROTOCOLS, validate_port_number};
use crate::warnings;
use gotext::names;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{items_mut, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `Endpoints`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        validate_endpoints(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    ..Strategy::new("", "Endpoints")
};

pub(crate) fn warnings(object: &Object, _: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    warnings::address::endpoints(object, map, &mut warnings);
    warnings
}

/// Sets the defaults of `Endpoints`.
fn set_defaults(endpoints: &mut Map) {
    for subset in items_mut(endpoints, "subsets") {
        items_mut(subset, "ports").for_each(|port| set_if_zero(port, "protocol", "TCP"));
    }
}

/// Runs `ValidateEndpoints`, and `ValidateEndpointsUpdate` if there is an old object.
fn validate_endpoints(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_both_metas(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    if old.is_some_and(|old| plainly_equal(old.raw("subsets"), object.raw("subsets"))) {
        return;
    }
    for subset in object.items("subsets") {
        if subset.len("addresses") + subset.len("notReadyAddresses") == 0 {
            errors.required(&subset.here(), "must specify `addresses` or `notReadyAddresses`");
        }
        for list in ["addresses", "notReadyAddresses"] {
            for address in subset.items(list) {
                let ip = address.text("ip");
                is_valid_ip_for_legacy_field(errors, || address.at("ip"), ip, profile, std::iter::empty());
                if !address.text("hostname").is_empty() {
                    errors.each_of(&address, "hostname", names::is_dns1123_label(address.text("hostname")));
                }
                if let Some(node) = address.given("nodeName") {
                    errors.each_of(&address, "nodeName", name_is_dns_subdomain(node, false));
                }
                validate_endpoint_ip(errors, ip, || address.at("ip"));
            }
        }
        for port in subset.items("ports") {
            if port.text("name").is_empty() {
                if subset.len("ports") > 1 {
                    errors.required(&port.at("name"), "");
                }
            } else {
                errors.each_of(&port, "name", names::is_dns1123_label(port.text("name")));
            }
            validate_port_number(errors, &port, "port");
            errors.require_one_of(&port, "protocol", &PORT_PROTOCOLS);
            if let Some(protocol) = port.given("appProtocol") {
                errors.each_of(&port, "appProtocol", names::is_qualified_name(protocol));
            }
        }
    }
}
