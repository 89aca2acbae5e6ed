//! IP addresses and ranges of them, read as Go's `net/netip` reads them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gotext::quote;

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
    let (address, zone) = parse_address(text)
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
    let prefix = read_prefix(text).map_err(|error| {
        let quoted = quote(text);
        format!(
            "network address parse error during conversion from string: netip.ParsePrefix({quoted}): {error}"
        )
    })?;
    if is_mapped(prefix.address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
    }
    Ok(prefix)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

fn read_prefix(text: &str) -> Result<Prefix, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, zone) = parse_address(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quote(bits));
    if bits.len() > 1 && !bits.starts_with(|first| matches!(first, '1'..='9')) {
        return Err(bad());
    }
    let number: i64 = bits.parse().map_err(|_| bad())?;
    match u8::try_from(number) {
        Ok(bits) if bits <= width(address) => Ok(Prefix { address, bits }),
        _ => Err("prefix length out of range".to_owned()),
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The error in an address, and the rest of the text that it is about.
struct Misfit<'a>(&'static str, &'a str);

/// Implements `netip.ParseAddr`: the address, and whether it has a zone.
pub(super) fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
    let parsed = match text.bytes().find(|byte| b".:%".contains(byte)) {
        Some(b'.') => parse_v4(text).map(|octets| (IpAddr::V4(Ipv4Addr::from(octets)), false)),
        Some(b':') => parse_v6(text),
        Some(_) => Err(Misfit("missing IPv6 address", "")),
        None => Err(Misfit("unable to parse IP", "")),
    };
    parsed.map_err(|Misfit(message, at)| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        format!("ParseAddr({}): {message}{at}", quote(text))
    })
}

fn parse_v4(text: &str) -> Result<[u8; 4], Misfit<'_>> {
    let bytes = text.as_bytes();
    let mut octets = [0; 4];
    let (mut value, mut position, mut digits) = (0_u16, 0, 0);
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(Misfit("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u16::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(Misfit("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if index == 0 || index + 1 == bytes.len() || bytes[index - 1] == b'.' {
                    return Err(Misfit("IPv4 field must have at least one digit", &text[index..]));
                }
                if position == 3 {
                    return Err(Misfit("IPv4 address too long", ""));
                }
                octets[position] = value.to_le_bytes()[0];
                (position, value, digits) = (position + 1, 0, 0);
            }
            _ => return Err(Misfit("unexpected character", text.get(index..).unwrap_or_default())),
        }
    }
    if position < 3 {
        return Err(Misfit("IPv4 address too short", ""));
    }
    octets[3] = value.to_le_bytes()[0];
    Ok(octets)
}

fn parse_v6(text: &str) -> Result<(IpAddr, bool), Misfit<'_>> {
    let (mut rest, zone) = match text.split_once('%') {
        Some((_, "")) => return Err(Misfit("zone must be a non-empty string", "")),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    let address = |octets: [u8; 16]| Ok((IpAddr::V6(Ipv6Addr::from(octets)), zone));
    let mut octets = [0_u8; 16];
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        (ellipsis, rest) = (Some(0), after);
        if rest.is_empty() {
            return address(octets);
        }
    }
    let mut position = 0;
    while position < 16 {
        let length = rest.bytes().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(rest.len());
        if length > 4 {
            return Err(Misfit("each group must have 4 or fewer digits", rest));
        }
        if length == 0 {
            return Err(Misfit("each colon-separated field must have at least one digit", rest));
        }
        if rest.as_bytes().get(length) == Some(&b'.') {
            if ellipsis.is_none() && position != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(Misfit(message, rest));
            }
            if position + 4 > 16 {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(Misfit(message, rest));
            }
            octets[position..position + 4].copy_from_slice(&parse_v4(rest)?);
            (rest, position) = ("", position + 4);
            break;
        }
        let group = u16::from_str_radix(&rest[..length], 16).unwrap_or_default();
        octets[position..position + 2].copy_from_slice(&group.to_be_bytes());
        position += 2;
        rest = &rest[length..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(Misfit("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(Misfit("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(Misfit("multiple :: in address", rest));
            }
            (ellipsis, rest) = (Some(position), after);
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(Misfit("trailing garbage after address", rest));
    }
    match ellipsis {
        None if position < 16 => Err(Misfit("address string too short", "")),
        Some(_) if position == 16 => Err(Misfit("the :: must expand to at least one field of zeros", "")),
        Some(start) => {
            let added = 16 - position;
            octets.copy_within(start..position, start + added);
            octets[start..start + added].fill(0);
            address(octets)
        }
        None => address(octets),
    }
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
        let address = match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
            }
        };
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
