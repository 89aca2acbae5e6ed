//! The network of Services: the families and ranges of addresses that a server allocates, and its node ports.
//!
//! Source: `k8s.io/kubernetes/cmd/kube-apiserver/app/options`, `k8s.io/apimachinery/pkg/util/net/port_range.go`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gotext::net::{Cidr, parse_cidr_sloppy};
use gotext::quote;
use kube_api::{Object, Value};

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IpFamily {
    /// IPv4
    V4,
    /// IPv6
    V6,
}

impl IpFamily {
    /// Returns the family of `address`.
    pub(super) fn of(address: IpAddr) -> Self {
        if address.is_ipv6() { Self::V6 } else { Self::V4 }
    }

    /// Returns the other family.
    pub(super) fn other(self) -> Self {
        match self {
            Self::V4 => Self::V6,
            Self::V6 => Self::V4,
        }
    }

    /// Returns the family of this name in `ipFamilies`.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::V4, Self::V6].into_iter().find(|family| family.as_str() == name)
    }

    /// Returns its name in `ipFamilies`.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        }
    }
}

/// A range of ports, inclusive at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    first: i64,
    last: i64,
}

impl PortRange {
    /// The server's default for `--service-node-port-range`.
    pub const DEFAULT: Self = Self { first: 30000, last: 32767 };

    /// Reads `80`, `30000-32767` or `30000+2767`.
    ///
    /// # Errors
    ///
    /// The server's error about any other text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::DEFAULT);
        }
        let number = |text: &str| {
            text.parse::<i64>().map_err(|_| format!("strconv.Atoi: parsing {}: invalid syntax", quote(text)))
        };
        let (first, last) = match (text.split_once('-'), text.split_once('+')) {
            (None, None) => (number(text)?, number(text)?),
            (Some((first, last)), None) => (number(first)?, number(last)?),
            (None, Some((first, offset))) => {
                let (first, offset) = (number(first)?, number(offset)?);
                (first, first.saturating_add(offset))
            }
            (Some(_), Some(_)) => return Err(format!("unable to parse port range: {text}")),
        };
        if first > 65535 || last > 65535 {
            return Err(format!("the port range cannot be greater than 65535: {text}"));
        }
        if last < first {
            return Err(format!("end port cannot be less than start port: {text}"));
        }
        Ok(Self { first, last })
    }

    pub(super) fn all(self) -> impl Iterator<Item = i64> {
        self.first..=self.last
    }

    pub(super) fn contains(self, port: i64) -> bool {
        (self.first..=self.last).contains(&port)
    }
}

impl Default for PortRange {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.first, self.last)
    }
}

/// The addresses and ports that a server allocates to Services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceNetwork {
    /// The default family first.
    families: Vec<IpFamily>,
    /// None if they are unknown.
    ranges: Vec<Cidr>,
    /// The address of the server itself, that of the Service `kubernetes`.
    own_address: Option<IpAddr>,
    node_ports: PortRange,
}

impl Default for ServiceNetwork {
    /// Returns a server with only IPv4 addresses, out of an unknown range.
    fn default() -> Self {
        Self {
            families: vec![IpFamily::V4],
            ranges: Vec::new(),
            own_address: None,
            node_ports: PortRange::DEFAULT,
        }
    }
}

impl ServiceNetwork {
    /// Reads the value of `--service-cluster-ip-range`: one range, or two of different families. An empty value leaves
    /// the ranges unknown.
    ///
    /// # Errors
    ///
    /// The server's error about a value with which it does not start.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let texts: Vec<&str> = text.split(',').collect();
        let first = parse_cidr_sloppy(texts[0]).ok_or("service-cluster-ip-range[0] is not a valid cidr")?;
        if host_bits(first) < 3 {
            let reason = "the service cluster IP range must be at least 8 IP addresses";
            return Err(format!("error determining service IP ranges for primary service cidr: {reason}"));
        }
        let mut ranges = vec![first];
        if let Some(text) = texts.get(1) {
            ranges.push(parse_cidr_sloppy(text).ok_or("service-cluster-ip-range[1] is not an ip net")?);
        }
        if texts.len() > 2 {
            return Err("--service-cluster-ip-range must not contain more than two entries".to_owned());
        }
        if ranges.len() == 2 && ranges[0].is_v6() == ranges[1].is_v6() {
            return Err(
                "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP \
                        family"
                    .to_owned(),
            );
        }
        let families = ranges.iter().map(|range| IpFamily::of(range.address)).collect();
        let own_address = Some(next(ranges[0].address));
        Ok(Self { families, ranges, own_address, ..Self::default() })
    }

    /// Returns the same network with another range of ports.
    #[must_use]
    pub fn with_node_ports(self, node_ports: PortRange) -> Self {
        Self { node_ports, ..self }
    }

    /// Whether the ranges of addresses are known.
    pub fn is_known(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Returns the network as far as existing Services show it, if nothing else is known: `own` is the address of the
    /// Service `kubernetes`.
    #[must_use]
    pub fn guessed(self, own: Option<IpAddr>, others: impl Iterator<Item = IpAddr>) -> Self {
        if self.is_known() {
            return self;
        }
        let mut families: Vec<IpFamily> = own.map(IpFamily::of).into_iter().collect();
        for family in others.map(IpFamily::of) {
            if !families.contains(&family) {
                families.push(family);
            }
        }
        if own.is_none() {
            families.sort_by_key(|family| *family == IpFamily::V6);
        }
        if families.is_empty() { self } else { Self { families, ..self } }
    }

    /// Returns the network with the ranges of the existing `ServiceCIDR`s. If no flag sets ranges, those of
    /// `kubernetes`, which the server creates from its flag, are used.
    #[must_use]
    pub fn with_service_cidrs<'a>(&self, objects: impl Iterator<Item = &'a Object> + Clone) -> Self {
        let ranges_of = |object: &Object| -> Vec<Cidr> {
            let texts = object.list(["spec", "cidrs"]).iter().filter_map(Value::as_str);
            texts.filter_map(parse_cidr_sloppy).collect()
        };
        let mut network = self.clone();
        if !self.is_known()
            && let Some(default) = objects.clone().find(|object| object.name() == "kubernetes")
        {
            network.ranges = ranges_of(default);
            if let Some(first) = network.ranges.first() {
                network.families = network.ranges.iter().map(|range| IpFamily::of(range.address)).collect();
                network.families.dedup();
                network.own_address = Some(next(first.address));
            }
        }
        if network.is_known() {
            let more = objects.filter(|object| is_ready(object)).flat_map(ranges_of);
            for range in more {
                let is_served = network.families.contains(&IpFamily::of(range.address));
                if is_served && !network.ranges.contains(&range) {
                    network.ranges.push(range);
                }
            }
        }
        network
    }

    pub(super) fn default_family(&self) -> IpFamily {
        self.families[0]
    }

    pub(super) fn has(&self, family: IpFamily) -> bool {
        self.families.contains(&family)
    }

    pub(super) fn is_dual_stack(&self) -> bool {
        self.families.len() > 1
    }

    /// Describes the addresses that Services get.
    pub(super) fn in_words(&self) -> &'static str {
        match self.families[..] {
            [IpFamily::V4] => "IPv4 addresses alone",
            [IpFamily::V6] => "IPv6 addresses alone",
            _ => "addresses of both families",
        }
    }

    /// Returns the default family.
    pub(super) fn first_family(&self) -> IpFamily {
        self.families.first().copied().unwrap_or(IpFamily::V4)
    }

    pub(super) fn ranges_of(&self, family: IpFamily) -> impl Iterator<Item = &Cidr> + Clone {
        self.ranges.iter().filter(move |range| IpFamily::of(range.address) == family)
    }

    pub(super) fn own_address(&self) -> Option<IpAddr> {
        self.own_address
    }

    /// Returns the node ports that Services can have.
    pub fn node_ports(&self) -> PortRange {
        self.node_ports
    }
}

/// Whether addresses are allocated from a `ServiceCIDR`.
fn is_ready(object: &Object) -> bool {
    let conditions = object.list(["status", "conditions"]);
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    object.text(["metadata", "deletionTimestamp"]).is_empty()
        && ready.is_none_or(|condition| condition["status"] == "True")
}

fn host_bits(range: Cidr) -> u8 {
    if range.is_v6() { 128 - range.prefix } else { 32 - range.prefix }
}

/// Returns the address after `address`.
pub(super) fn next(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => Ipv4Addr::from(u32::from(address).wrapping_add(1)).into(),
        IpAddr::V6(address) => Ipv6Addr::from(u128::from(address).wrapping_add(1)).into(),
    }
}

/// Whether `address` can be allocated from `range`, excluding its first address and, for IPv4, its last.
///
/// Source: `servicecidr.PrefixContainsIP`
pub(super) fn can_be_given(range: &Cidr, address: IpAddr) -> bool {
    range.contains(address) && address != range.address && !is_broadcast(range, address)
}

fn is_broadcast(range: &Cidr, address: IpAddr) -> bool {
    let (IpAddr::V4(first), IpAddr::V4(address)) = (range.address, address) else { return false };
    let hosts = u32::MAX.checked_shr(u32::from(range.prefix)).unwrap_or(0);
    u32::from(address) == u32::from(first) | hosts
}

/// Writes `range` as Go does.
pub(super) fn text(range: &Cidr) -> String {
    format!("{}/{}", range.address, range.prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges_of_ports_as_the_server_does() {
        let range = |text| PortRange::parse(text).map(|range| range.to_string());
        assert_eq!(range("80"), Ok("80-80".to_owned()));
        assert_eq!(range(" 30000-32767 "), Ok("30000-32767".to_owned()));
        assert_eq!(range("100+10"), Ok("100-110".to_owned()));
        assert_eq!(range(""), Ok("30000-32767".to_owned()));
        let errors = [
            ("a", "strconv.Atoi: parsing \"a\": invalid syntax"),
            ("1-2+3", "unable to parse port range: 1-2+3"),
            ("1-65536", "the port range cannot be greater than 65535: 1-65536"),
            ("2-1", "end port cannot be less than start port: 2-1"),
        ];
        for (text, error) in errors {
            assert_eq!(range(text), Err(error.to_owned()));
        }
    }

    #[test]
    fn reads_ranges_of_addresses_as_the_server_does() {
        let network = ServiceNetwork::parse("10.96.0.0/16,fd00::/112").unwrap();
        assert_eq!(network.families, [IpFamily::V4, IpFamily::V6]);
        assert_eq!(network.own_address, Some("10.96.0.1".parse().unwrap()));
        assert!(!ServiceNetwork::parse("").unwrap().is_known());
        let errors = [
            ("10.96.0.0", "service-cluster-ip-range[0] is not a valid cidr"),
            ("10.96.0.0/16,x", "service-cluster-ip-range[1] is not an ip net"),
            (
                "10.96.0.0/30",
                "error determining service IP ranges for primary service cidr: the service cluster IP range must be at \
                 least 8 IP addresses",
            ),
            (
                "10.96.0.0/16,10.97.0.0/16",
                "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
            ),
            (
                "10.96.0.0/16,fd00::/112,10.97.0.0/16",
                "--service-cluster-ip-range must not contain more than two entries",
            ),
        ];
        for (text, error) in errors {
            assert_eq!(ServiceNetwork::parse(text).unwrap_err(), error);
        }
    }

    #[test]
    fn keeps_the_ends_of_a_range() {
        let range = parse_cidr_sloppy("10.96.0.0/24").unwrap();
        let given = |text: &str| can_be_given(&range, text.parse().unwrap());
        assert_eq!([given("10.96.0.1"), given("10.96.0.0"), given("10.96.0.255")], [true, false, false]);
        let range = parse_cidr_sloppy("fd00::/120").unwrap();
        assert!(can_be_given(&range, "fd00::ff".parse().unwrap()));
        assert!(!can_be_given(&range, "fd00::".parse().unwrap()));
    }

    #[test]
    fn guesses_the_families_from_services() {
        let guessed = |own: Option<&str>, others: &[&str]| {
            let own = own.map(|text| text.parse().unwrap());
            ServiceNetwork::default().guessed(own, others.iter().map(|text| text.parse().unwrap())).families
        };
        assert_eq!(guessed(None, &[]), [IpFamily::V4]);
        assert_eq!(guessed(None, &["fd00::1", "10.0.0.1"]), [IpFamily::V4, IpFamily::V6]);
        assert_eq!(guessed(Some("fd00::1"), &["10.0.0.2"]), [IpFamily::V6, IpFamily::V4]);
    }
}
