//! Addresses and networks that are not in canonical form.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation`, `k8s.io/utils/net`.

use crate::warnings::Warnings;
use gotext::{netip, quote};
use kube_api::field::Path;
use kube_api::{Map, Object, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The minor of the first release that warns about addresses of all kinds; before, those of Services alone, with the
/// errors of Go's parser.
pub(crate) const EVERYWHERE: u32 = 33;

/// The minor of the first release that refuses new addresses with warnings about them.
const REFUSES: u32 = 36;

/// Warns about an address with leading zeros, in IPv6 notation of IPv4, or not in the canonical form. Invalid addresses
/// are left to validation.
pub(crate) fn ip(path: &Path, value: &str, warnings: &mut Warnings<'_>) {
    let quoted = quote(value);
    if !warnings.since(EVERYWHERE) {
        // Services have no addresses with a zone.
        let parsed = netip::parse_addr(value).map(|(address, _)| (address, address.to_string()));
        return warn_as_parsed(
            &format!("{path}: IP address"),
            &format!("{path}: IPv6 address"),
            value,
            parsed,
            warnings,
        );
    }
    let Some((address, is_strict)) = parse_ip(value) else { return };
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let canonical = address.to_string();
            if canonical != value {
                warnings.push(format!(
                    "{path}: IPv6 address {quoted} should be in RFC 5952 canonical format (\"{canonical}\")"
                ));
            }
        }
        IpAddr::V4(_) if is_strict => {}
        other => {
            let address = other.to_canonical();
            let fate = fate(warnings);
            warnings.push(format!("{path}: non-standard IP address {quoted} {fate}: use \"{address}\""));
        }
    }
}

/// Warns about an address or network of a Service as the releases before [`EVERYWHERE`] do: if the parser of Go refuses
/// it, or writes it in another way.
fn warn_as_parsed(
    any: &str,
    v6: &str,
    value: &str,
    parsed: Result<(IpAddr, String), String>,
    warnings: &mut Warnings<'_>,
) {
    match parsed {
        Err(error) => warnings
            .push(format!("{any} was accepted, but will be invalid in a future Kubernetes release: {error}")),
        Ok((address, canonical)) if address.is_ipv6() && canonical != value => warnings.push(format!(
            "{v6} {} is not in RFC 5952 canonical format ({}), which may cause controller apply-loops",
            quote(value),
            quote(&canonical)
        )),
        Ok(_) => {}
    }
}

/// Returns what becomes of addresses that are accepted for the sake of old objects.
fn fate(warnings: &Warnings<'_>) -> &'static str {
    if warnings.since(REFUSES) {
        "is invalid"
    } else {
        "will be considered invalid in a future Kubernetes release"
    }
}

/// Warns about a network with bits after the prefix, or not in the canonical form.
pub(crate) fn cidr(path: &Path, value: &str, warnings: &mut Warnings<'_>) {
    if !warnings.since(EVERYWHERE) {
        let parsed = netip::parse_prefix(value).map(|(address, bits)| (address, format!("{address}/{bits}")));
        return warn_as_parsed(
            &format!("{path}: IP prefix"),
            &format!("{path}: IPv6 prefix"),
            value,
            parsed,
            warnings,
        );
    }
    let Some((address, length)) = value.split_once('/') else { return };
    let Some((address, is_strict_address)) = parse_ip(address) else { return };
    let width = if address.is_ipv4() { 32 } else { 128 };
    if length.is_empty() || length.len() > 5 || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return;
    }
    let Some(bits) = length.parse::<u32>().ok().filter(|bits| *bits <= width) else { return };
    let (network, bits_shown) = masked(address, bits);
    let network_text = format!("{network}/{bits_shown}");
    let quoted = quote(value);
    let before = warnings.len();
    if network != address.to_canonical() {
        let single = format!("{}/{width}", address.to_canonical());
        warnings.push(format!(
            "{path}: CIDR value {quoted} is ambiguous in this context (should be \"{network_text}\" or \"{single}\"?)"
        ));
    }
    let is_mapped = matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
    let is_strict = is_strict_address && (length == "0" || !length.starts_with('0'));
    if !is_strict || is_mapped {
        let fate = fate(warnings);
        warnings.push(format!("{path}: non-standard CIDR value {quoted} {fate}: use \"{network_text}\""));
    }
    let canonical = format!("{address}/{bits}");
    if warnings.len() == before && address.is_ipv6() && canonical != value {
        warnings.push(format!(
            "{path}: IPv6 CIDR value {quoted} should be in RFC 5952 canonical format (\"{canonical}\")"
        ));
    }
}

/// Warns about the addresses that the status of a Pod, a `Service` or an `Ingress` names.
pub(crate) fn status(object: &Object, map: &Map, warnings: &mut Warnings<'_>) {
    let Some(status) = map.child("status").filter(|_| warnings.since(EVERYWHERE)) else { return };
    if object.kind.kind == "Pod" {
        for field in ["podIPs", "hostIPs"] {
            for (index, address) in status.items(field).enumerate() {
                let path = Path::new("status").child(field).index(index).child("ip");
                ip(&path, address.text("ip"), warnings);
            }
        }
    } else if let Some(balancer) = status.child("loadBalancer") {
        for (index, ingress) in balancer.items("ingress").enumerate() {
            ip(&Path::new("status.loadBalancer.ingress").index(index), ingress.text("ip"), warnings);
        }
    }
}

/// Warns about the addresses of `Endpoints` that no controller has written.
pub(crate) fn endpoints(object: &Object, map: &Map, warnings: &mut Warnings<'_>) {
    let is_of_controller = object.label("endpoints.kubernetes.io/managed-by") == Some("endpoint-controller");
    if is_of_controller || !warnings.since(EVERYWHERE) {
        return;
    }
    for (index, subset) in map.items("subsets").enumerate() {
        let path = Path::new("subsets").index(index);
        for field in ["addresses", "notReadyAddresses"] {
            for (index, address) in subset.items(field).enumerate() {
                ip(&path.child(field).index(index).child("ip"), address.text("ip"), warnings);
            }
        }
    }
}

/// Returns the address, and whether it is spelled without leading zeros.
fn parse_ip(value: &str) -> Option<(IpAddr, bool)> {
    if let Ok(address) = value.parse() {
        return Some((address, true));
    }
    if let Some(address) = sloppy_v4(value) {
        return Some((IpAddr::V4(address), false));
    }
    // In IPv6, leading zeros are allowed in an embedded IPv4 address.
    let (prefix, embedded) = value.rsplit_once(':')?;
    let address: Ipv6Addr = format!("{prefix}:{}", sloppy_v4(embedded)?).parse().ok()?;
    Some((IpAddr::V6(address), false))
}

pub(crate) fn sloppy_v4(value: &str) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    let mut parts = value.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = part.trim_start_matches('0');
        *octet = if significant.is_empty() { 0 } else { significant.parse().ok()? };
    }
    parts.next().is_none().then(|| octets.into())
}

/// Returns the network, and the length of its prefix as shown: IPv4 inside of IPv6 is shown as IPv4.
pub(crate) fn masked(address: IpAddr, bits: u32) -> (IpAddr, u32) {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            (IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask)), bits)
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            let network = IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask)).to_canonical();
            (network, if network.is_ipv4() { bits.saturating_sub(96) } else { bits })
        }
    }
}

/// Warns about a status with addresses.
pub(crate) fn of_status(object: &Object, warnings: &mut Warnings<'_>) {
    if let Value::Object(map) = &object.value {
        status(object, map, warnings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::server_profile::ServerProfile;

    fn warnings(check: fn(&Path, &str, &mut Warnings), value: &str) -> Vec<String> {
        Warnings::of(&ServerProfile::default(), |warnings| check(&Path::new("spec.ip"), value, warnings))
    }

    #[test]
    fn standard_addresses_are_fine() {
        for value in ["10.0.0.1", "2001:db8::1", "not an address", "10.0.0.300", ""] {
            assert!(warnings(ip, value).is_empty(), "{value}");
        }
        for value in ["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0", "::/0", "10.0.0.0", "10.0.0.0/40"] {
            assert!(warnings(cidr, value).is_empty(), "{value}");
        }
    }

    #[test]
    fn addresses_are_shown_as_they_should_be() {
        let non_standard = |value: &str, address: &str| {
            vec![format!("spec.ip: non-standard IP address \"{value}\" is invalid: use \"{address}\"")]
        };
        assert_eq!(warnings(ip, "010.000.001.08"), non_standard("010.000.001.08", "10.0.1.8"));
        assert_eq!(warnings(ip, "::ffff:1.2.3.4"), non_standard("::ffff:1.2.3.4", "1.2.3.4"));
        assert_eq!(
            warnings(ip, "2001:DB8:0::1"),
            [
                "spec.ip: IPv6 address \"2001:DB8:0::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")"
            ]
        );
    }

    #[test]
    fn networks_are_shown_as_they_should_be() {
        assert_eq!(
            warnings(cidr, "192.168.0.5/24"),
            [
                "spec.ip: CIDR value \"192.168.0.5/24\" is ambiguous in this context (should be \"192.168.0.0/24\" or \
              \"192.168.0.5/32\"?)"
            ]
        );
        assert_eq!(
            warnings(cidr, "010.0.0.0/8"),
            ["spec.ip: non-standard CIDR value \"010.0.0.0/8\" is invalid: use \"10.0.0.0/8\""]
        );
        assert_eq!(
            warnings(cidr, "2001:DB8::/32"),
            [
                "spec.ip: IPv6 CIDR value \"2001:DB8::/32\" should be in RFC 5952 canonical format (\"2001:db8::/32\")"
            ]
        );
    }
}
