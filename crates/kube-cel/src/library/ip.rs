//! IP addresses and ranges of them, read as Go's `net/netip` reads them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use gotext::{netip, quote};

/// An address without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(IpAddr);

/// An address and the number of its network bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    address: IpAddr,
    bits: u8,
}

/// Implements `parseIPAddr`.
pub(super) fn parse(text: &str) -> Result<Address, String> {
    let quoted = quote(text);
    let (address, zone) = netip::parse_addr(text)
        .map_err(|error| format!("IP Address {quoted} parse error during conversion from string: {error}"))?;
    if zone {
        return Err(format!("IP address {quoted} with zone value is not allowed"));
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {quoted} is not allowed"));
    }
    Ok(Address(address))
}

/// Implements `parseCIDR`.
pub(super) fn parse_prefix(text: &str) -> Result<Prefix, String> {
    let (address, bits) = netip::parse_prefix(text)
        .map_err(|error| format!("network address parse error during conversion from string: {error}"))?;
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
    }
    Ok(Prefix { address, bits })
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl Address {
    pub(crate) fn size(self) -> u64 {
        u64::from(width(self.0) / 8)
    }

    pub(super) fn family(self) -> i64 {
        if self.0.is_ipv4() { 4 } else { 6 }
    }

    pub(super) fn is_unspecified(self) -> bool {
        self.0.is_unspecified()
    }

    pub(super) fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }

    pub(super) fn is_link_local_multicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
            IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
        }
    }

    pub(super) fn is_link_local_unicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
    }

    pub(super) fn is_global_unicast(self) -> bool {
        !self.is_unspecified()
            && self.0 != IpAddr::V4(Ipv4Addr::BROADCAST)
            && !self.is_loopback()
            && !self.0.is_multicast()
            && !self.is_link_local_unicast()
    }
}

impl Prefix {
    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }

    pub(super) fn bits(self) -> i64 {
        self.bits.into()
    }

    pub(super) fn address(self) -> Address {
        Address(self.address)
    }

    pub(super) fn masked(self) -> Self {
        let address = netip::masked(self.address, self.bits);
        Self { address, ..self }
    }

    pub(super) fn contains(self, address: Address) -> bool {
        address.0.is_ipv4() == self.address.is_ipv4()
            && Self { address: address.0, ..self }.masked() == self.masked()
    }

    pub(super) fn contains_prefix(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(Address(other.address))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.bits)
    }
}
