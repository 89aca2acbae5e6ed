//! IP addresses and ranges as Go's earlier parsers accept them.
//!
//! Source: `k8s.io/utils/internal/third_party/forked/golang/net`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::netip::masked;

/// A range of addresses, its host bits cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// The first address; IPv4 where Go treats it as such.
    pub address: IpAddr,
    /// The number of leading bits that are fixed.
    pub prefix: u8,
    /// Whether the text had bits set beyond the prefix.
    pub masked: bool,
}

/// Implements `ParseIPSloppy`: octets may have leading zeros.
pub fn parse_ip_sloppy(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse::<Ipv6Addr>().ok().map(IpAddr::V6).or_else(|| sloppy_embedded(text));
    }
    sloppy_v4(text).map(IpAddr::V4)
}

/// Reads an IPv6 address that ends in dotted IPv4 notation with leading zeros.
fn sloppy_embedded(text: &str) -> Option<IpAddr> {
    let (head, tail) = text.rsplit_once(':')?;
    let tail = sloppy_v4(tail)?;
    format!("{head}:{tail}").parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

/// Reads an IPv4 address whose numbers may begin with zeros, as `netutils.ParseIPSloppy` does.
pub fn sloppy_v4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = part.trim_start_matches('0');
        *octet = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

/// Implements `ParseCIDRSloppy`.
pub fn parse_cidr_sloppy(text: &str) -> Option<Cidr> {
    let (address, prefix) = text.split_once('/')?;
    if prefix.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let prefix: u8 = prefix.parse().ok()?;
    let address = parse_ip_sloppy(address)?;
    let (first, bits) = (masked(address, prefix), if address.is_ipv4() { 32 } else { 128 });
    (prefix <= bits).then_some(Cidr { address: first, prefix, masked: first != address })
}

impl Cidr {
    /// Whether `address` lies in the range.
    pub fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.prefix) == self.address
    }

    /// Whether this is a range of IPv6 addresses.
    pub fn is_v6(&self) -> bool {
        self.address.is_ipv6()
    }
}
