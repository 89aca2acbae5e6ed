//! IP addresses and CIDR ranges.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/ip.go`, `k8s.io/utils/net`.

use std::net::IpAddr;

use crate::validation::node::Errors;
use gotext::net::{parse_cidr_sloppy, parse_ip_sloppy};
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;

/// Implements `IsValidIPForLegacyField`: what an old object has is accepted as it is.
pub(crate) fn is_valid_ip_for_legacy_field<'a>(
    errors: &mut Errors,
    path: impl FnOnce() -> Path,
    value: &str,
    profile: &ServerProfile,
    mut old: impl Iterator<Item = &'a str>,
) -> bool {
    if old.any(|old| old == value) {
        return true;
    }
    let messages = ip_messages(value, profile.enabled(Feature::StrictIPCIDRValidation));
    let valid = messages.is_empty();
    errors.each(path, value, messages);
    valid
}

fn ip_messages(value: &str, strict: bool) -> Vec<String> {
    let Some(address) = parse_ip_sloppy(value) else {
        return vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()];
    };
    let mut messages = Vec::new();
    if strict {
        if value.parse::<IpAddr>().is_err() {
            messages.push("must not have leading 0s".to_owned());
        } else if is_mapped(address) {
            messages.push("must not be an IPv4-mapped IPv6 address".to_owned());
        }
    }
    messages
}

pub(crate) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// Implements `IsValidIP`: the canonical text of an address.
pub(crate) fn is_valid_ip(value: &str) -> Vec<String> {
    let mut messages = ip_messages(value, true);
    if let (true, Some(address)) = (messages.is_empty(), parse_ip_sloppy(value)) {
        let canonical = address.to_string();
        if canonical != value {
            messages.push(format!("must be in canonical form ({})", quote(&canonical)));
        }
    }
    messages
}

/// Implements `IsValidCIDRForLegacyField`: what an old object has is accepted as it is.
pub(crate) fn is_valid_cidr_for_legacy_field<'a>(
    errors: &mut Errors,
    path: impl FnOnce() -> Path,
    value: &str,
    profile: &ServerProfile,
    mut old: impl Iterator<Item = &'a str>,
) {
    if !old.any(|old| old == value) {
        errors.each(path, value, cidr_messages(value, profile.enabled(Feature::StrictIPCIDRValidation)));
    }
}

fn cidr_messages(value: &str, strict: bool) -> Vec<String> {
    let Some(cidr) = parse_cidr_sloppy(value) else {
        return vec!["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)".to_owned()];
    };
    if !strict {
        return Vec::new();
    }
    let (address, prefix) = value.split_once('/').unwrap_or_default();
    let message = if address.parse::<IpAddr>().is_err() || prefix.len() > 1 && prefix.starts_with('0') {
        "must not have leading 0s in IP or prefix length"
    } else if address.parse().is_ok_and(is_mapped) {
        "must not have an IPv4-mapped IPv6 address"
    } else if cidr.masked {
        "must not have bits set beyond the prefix length"
    } else {
        return Vec::new();
    };
    vec![message.to_owned()]
}

/// Implements `IsValidCIDR`: the canonical text of a range.
pub(crate) fn is_valid_cidr(value: &str) -> Vec<String> {
    let mut messages = cidr_messages(value, true);
    if let (true, Some(cidr)) = (messages.is_empty(), parse_cidr_sloppy(value)) {
        let canonical = format!("{}/{}", cidr.address, cidr.prefix);
        if canonical != value {
            messages.push(format!("must be in canonical form ({})", quote(&canonical)));
        }
    }
    messages
}

/// Implements `ValidateEndpointIP`: an address that does not belong to the machine itself.
pub(crate) fn validate_endpoint_ip(errors: &mut Errors, value: &str, path: impl FnOnce() -> Path) {
    let messages = match parse_ip_sloppy(value) {
        None => vec!["must be a valid IP address".to_owned()],
        Some(address) => endpoint_messages(value, address),
    };
    errors.each(path, value, messages);
}

fn endpoint_messages(value: &str, address: IpAddr) -> Vec<String> {
    let address = match address {
        IpAddr::V6(inner) => inner.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    };
    let (link_local, link_local_multicast) = match address {
        IpAddr::V4(address) => (address.is_link_local(), address.octets()[..3] == [224, 0, 0]),
        IpAddr::V6(address) => (address.is_unicast_link_local(), address.segments()[0] & 0xff0f == 0xff02),
    };
    let mut messages = Vec::new();
    if address.is_unspecified() {
        messages.push(format!("may not be unspecified ({value})"));
    }
    if address.is_loopback() {
        messages.push("may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned());
    }
    if link_local {
        messages.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned());
    }
    if link_local_multicast {
        messages.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned());
    }
    messages
}
