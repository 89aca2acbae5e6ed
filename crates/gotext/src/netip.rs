//! IP addresses and ranges as Go's newer parser reads them.
//!
//! Source: `net/netip`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::quote;

/// Implements `netip.ParsePrefix`: the address, and the number of its network bits.
///
/// # Errors
///
/// Returns Go's error.
pub fn parse_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    read_prefix(text).map_err(|error| format!("netip.ParsePrefix({}): {error}", quote(text)))
}

fn read_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, zone) = parse_addr(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quote(bits));
    if bits.len() > 1 && !bits.starts_with(|first| matches!(first, '1'..='9')) {
        return Err(bad());
    }
    let number: i64 = bits.parse().map_err(|_| bad())?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(bits) if bits <= width => Ok((address, bits)),
        _ => Err("prefix length out of range".to_owned()),
    }
}

/// Returns the first address of the range of `address` in which `bits` are fixed.
pub fn masked(address: IpAddr, bits: u8) -> IpAddr {
    let bits = u32::from(bits);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
    }
}

/// The error in an address, and the rest of the text that it is about.
struct Misfit<'a>(&'static str, &'a str);

/// Implements `netip.ParseAddr`: the address, and whether it has a zone.
///
/// # Errors
///
/// Returns Go's error.
pub fn parse_addr(text: &str) -> Result<(IpAddr, bool), String> {
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
