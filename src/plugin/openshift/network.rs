//! Networks as configurations name them.
//!
//! Source: `net.ParseCIDR` as Kubernetes keeps it: leading zeros are tolerated.

use std::net::IpAddr;

use crate::plugin::FactoryError;

/// A network: the addresses with the same leading bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads a network such as `10.128.0.0/14`.
    pub(super) fn parse(text: &str) -> Result<Self, FactoryError> {
        let refuse = || FactoryError::Configuration(format!("invalid CIDR address: {text}"));
        let (address, bits) = text.split_once('/').ok_or_else(refuse)?;
        let address = Self::address(address).ok_or_else(refuse)?;
        let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits: u32 = bits.parse().ok().filter(|_| is_number).ok_or_else(refuse)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        if bits > most { Err(refuse()) } else { Ok(Self { address, bits }) }
    }

    /// Reads an address; leading zeros of its parts do not matter.
    pub(super) fn address(text: &str) -> Option<IpAddr> {
        if text.contains(':') {
            let address: IpAddr = text.parse().ok()?;
            return Some(match address {
                IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
                IpAddr::V4(_) => address,
            });
        }
        let mut parts = Vec::new();
        for part in text.split('.') {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let digits = part.trim_start_matches('0');
            parts.push(if digits.is_empty() { 0 } else { digits.parse::<u8>().ok()? });
        }
        let parts: [u8; 4] = parts.try_into().ok()?;
        Some(IpAddr::from(parts))
    }

    /// Whether `address` is in the network.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let number = |address: IpAddr| match address {
            IpAddr::V4(four) => (u128::from(u32::from(four)), 32),
            IpAddr::V6(six) => (u128::from(six), 128),
        };
        let ((own, width), (other, other_width)) = (number(self.address), number(address));
        let shift = width - self.bits;
        width == other_width && (shift >= 128 || own >> shift == other >> shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_addresses_inside_and_outside() {
        let network = Network::parse("10.128.0.0/14").unwrap();
        assert!(network.contains(Network::address("10.131.255.255").unwrap()));
        assert!(!network.contains(Network::address("10.132.0.0").unwrap()));
        assert!(!network.contains(Network::address("fd01::1").unwrap()));
        assert!(Network::parse("::/0").unwrap().contains(Network::address("fd01::1").unwrap()));
    }

    #[test]
    fn rejects_what_is_no_network() {
        let error = Network::parse(" 1.2.3.0/24").unwrap_err();
        assert_eq!(error.to_string(), "invalid CIDR address:  1.2.3.0/24");
        assert!(Network::parse("10.0.0.0").is_err());
    }
}
