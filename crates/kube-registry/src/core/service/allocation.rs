//! The addresses and node ports that a Service names: the server must have them in its ranges, and they must be free.
//!
//! Those that the server chooses itself are in `choice`.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go`, `…/ipallocator`, `…/portallocator`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::core::service::network::{self, IpFamily, ServiceNetwork};
use crate::core::service::{preparation, validation};
use crate::validation::node::{Errors, Node};
use gotext::net::parse_ip_sloppy;
use kube_api::features::Feature;
use kube_api::field::{self, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::child_or_insert;
use kube_api::version::Version;
use kube_api::{Map, Object, Value};

const TAKEN: &str = "provided IP is already allocated";
const NO_NETWORK: &str = "the provided network does not match the current range";

/// The first release whose Services have families.
pub(super) const FAMILIES: Version = Version::minor(20);

/// The first release that says `failed to allocate IP`.
const TYPO_FIXED: Version = Version::minor(22);

/// The first release whose dry runs look at ranges, and that names the address that is out of range.
const DRY_ALLOCATION: Version = Version::minor(23);

/// The allocations of existing Services.
#[derive(Debug, Default)]
pub struct Allocated {
    addresses: BTreeMap<IpAddr, Holder>,
    ports: BTreeMap<i64, Holder>,
}

/// The Service that has an address or port; empty if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// The namespace of the Service.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Allocated {
    /// Collects the allocations of `services`, and the `addresses` that exist as `IPAddress`.
    pub fn of<'a>(
        services: impl Iterator<Item = &'a Object>,
        addresses: impl Iterator<Item = &'a str>,
    ) -> Self {
        let addresses = addresses.filter_map(parse_ip_sloppy).map(|address| (address, Holder::default()));
        let mut allocated = Self { addresses: addresses.collect(), ports: BTreeMap::new() };
        for service in services {
            let Value::Object(map) = &service.value else { continue };
            let Some(spec) = map.child("spec") else { continue };
            let holder =
                || Holder { namespace: service.namespace().to_owned(), name: service.name().to_owned() };
            allocated.addresses.extend(addresses_of(spec).map(|address| (address, holder())));
            let ports = spec.items("ports").map(|port| port.int("nodePort"));
            let ports = ports.chain([spec.int("healthCheckNodePort")]);
            allocated.ports.extend(ports.map(|port| (port, holder())));
        }
        allocated
    }

    pub(super) fn has_address(&self, address: IpAddr) -> bool {
        self.addresses.contains_key(&address)
    }

    pub(super) fn has_port(&self, port: i64) -> bool {
        self.ports.contains_key(&port)
    }

    pub(super) fn take_address(&mut self, address: IpAddr) {
        self.addresses.insert(address, Holder::default());
    }

    pub(super) fn take_ports(&mut self, ports: impl IntoIterator<Item = i64>) {
        self.ports.extend(ports.into_iter().map(|port| (port, Holder::default())));
    }
}

/// Returns the cluster IPs of a Service.
pub(super) fn addresses_of(spec: &Map) -> impl Iterator<Item = IpAddr> + use<'_> {
    let first = Some(spec.text("clusterIP"));
    let all = spec.list("clusterIPs").iter().filter_map(Value::as_str);
    first.into_iter().chain(all).filter_map(parse_ip_sloppy)
}

/// The server's error about the addresses and ports of a Service.
#[derive(Debug, PartialEq)]
pub enum AllocationError {
    /// The object is invalid; the value may belong to another Service.
    Invalid(Vec<field::Error>, Option<Holder>),
    /// The server reports an internal error.
    Internal(String),
    /// No address or port is free, which is an internal error as well.
    Full(String),
    /// The server passes on a plain error.
    Plain(String),
}

/// The reason that an allocation fails, and the owner of the value.
type Taken = (String, Option<Holder>);

impl Holder {
    fn known(&self) -> Option<Self> {
        (!self.name.is_empty()).then(|| self.clone())
    }
}

pub(super) type Result = std::result::Result<(), AllocationError>;

/// Allocates the values that Services name.
pub struct Allocator<'a> {
    /// The ranges of the server.
    pub network: &'a ServiceNetwork,
    /// Returns the existing allocations.
    pub allocated: &'a dyn Fn() -> Allocated,
    /// The gates of the server.
    pub profile: &'a ServerProfile,
    /// Whether nothing is stored: the server then checks less.
    pub dry_run: bool,
}

impl Allocator<'_> {
    /// Fills in the fields of `service` that depend on the network and checks those that it names; `old` is the Service
    /// that it replaces. Assumptions are added to `notes`.
    ///
    /// # Errors
    ///
    /// The server's error.
    pub fn begin(&self, service: &mut Object, old: Option<&Object>, notes: &mut Vec<String>) -> Result {
        let before = old.and_then(spec_of).map(|spec| preparation::as_read(spec, self.network));
        if let Value::Object(map) = &mut service.value {
            let spec = child_or_insert(map, "spec");
            match &before {
                None => preparation::sync_new_addresses(spec),
                Some(before) => preparation::keep_and_sync(spec, before),
            }
        }
        self.init_family_fields(service, before.as_ref(), notes)?;
        let Some(spec) = spec_of(service) else { return Ok(()) };
        let is_own = (service.namespace(), service.name()) == ("default", "kubernetes");
        let lookup = Lookup { allocator: self, allocated: None, is_own };
        match &before {
            None => lookup.create(spec, notes),
            Some(before) => lookup.update(spec, before, notes),
        }
    }

    /// Source: `initIPFamilyFields`
    fn init_family_fields(
        &self,
        service: &mut Object,
        before: Option<&Map>,
        notes: &mut Vec<String>,
    ) -> Result {
        if self.profile.release() < FAMILIES {
            return Ok(());
        }
        let Value::Object(map) = &mut service.value else { return Ok(()) };
        let spec = child_or_insert(map, "spec");
        if preparation::has_no_family_fields_to_init(spec, before) {
            return Ok(());
        }
        preparation::default_family_policy(spec, before);
        let mut errors = Errors::default();
        let old = before.map(|before| Value::Object(before.clone()));
        let old = old.as_ref().map(|old| Node::new(Path::new("spec"), old));
        let object = Node::root(&service.value);
        validation::validate_cluster_ips(&mut errors, &object.child("spec"), old.as_ref(), self.profile);
        if !errors.is_empty() {
            return Err(AllocationError::Invalid(errors.0, None));
        }
        let Value::Object(map) = &mut service.value else { return Ok(()) };
        preparation::init_families(child_or_insert(map, "spec"), before, self.network).map_err(|errors| {
            let is_of_network = errors.iter().any(|error| error.detail.contains("this cluster"));
            if is_of_network && !self.network.is_known() {
                let families = self.network.in_words();
                notes.push(format!(
                    "assumed that the server gives Services {families} (--service-cluster-ip-range names its ranges)"
                ));
            }
            AllocationError::Invalid(errors, None)
        })
    }
}

fn spec_of(service: &Object) -> Option<&Map> {
    match &service.value {
        Value::Object(map) => map.child("spec"),
        _ => None,
    }
}

/// One allocation, which looks up existing ones on demand.
struct Lookup<'a> {
    allocator: &'a Allocator<'a>,
    allocated: Option<Allocated>,
    /// Whether the Service is that of the server itself.
    is_own: bool,
}

impl Lookup<'_> {
    fn create(mut self, spec: &Map, notes: &mut Vec<String>) -> Result {
        self.take_addresses(spec, 0, notes)?;
        self.init_node_ports(spec)?;
        if preparation::needs_health_check_port(spec) { self.take_health_check_port(spec) } else { Ok(()) }
    }

    /// Source: `allocateUpdate`
    fn update(mut self, spec: &Map, before: &Map, notes: &mut Vec<String>) -> Result {
        if !preparation::has_no_family_fields_to_init(spec, Some(before)) {
            let families = |spec: &Map| spec.list("ipFamilies").len();
            if before.text("type") == "ExternalName" {
                self.take_addresses(spec, 0, notes)?;
            } else if !is_headless(before) && families(before) == 1 && families(spec) == 2 {
                self.take_addresses(spec, 1, notes)?;
            }
        }
        self.update_node_ports(spec, before)?;
        let needs = preparation::needs_health_check_port;
        if needs(spec) && !needs(before) { self.take_health_check_port(spec) } else { Ok(()) }
    }

    fn allocated(&mut self) -> &mut Allocated {
        self.allocated.get_or_insert_with(self.allocator.allocated)
    }

    /// Allocates the addresses from the `first` on.
    ///
    /// Source: `allocClusterIPs`, `allocIPs`
    fn take_addresses(&mut self, spec: &Map, first: usize, notes: &mut Vec<String>) -> Result {
        if spec.text("type") == "ExternalName" || is_headless(spec) {
            return Ok(());
        }
        let mut printed = spec.list("clusterIPs").to_vec();
        let families = spec.list("ipFamilies").len();
        if families > printed.len() {
            // An address that the server has yet to choose.
            printed.resize(families, Value::from(""));
        }
        for (index, text) in printed.iter().enumerate().skip(first) {
            let Some(text) = text.as_str().filter(|text| !text.is_empty()) else { continue };
            let Some(address) = parse_ip_sloppy(text) else { continue };
            if let Err((reason, holder)) = self.take_address(address, spec) {
                let error = self.address_error(text, &printed, &reason);
                return Err(AllocationError::Invalid(vec![error], holder));
            }
            if !self.allocator.network.is_known() && index < 2 {
                notes.push(format!(
                    "assumed that {text} is in the server's range of cluster IPs (--service-cluster-ip-range names it)"
                ));
            }
        }
        Ok(())
    }

    /// Returns the error about the address `text` of those that are `printed`.
    fn address_error(&self, text: &str, printed: &[Value], reason: &str) -> field::Error {
        let (spec, release) = (Path::new("spec"), self.allocator.profile.release());
        if release < FAMILIES {
            return field::Error::invalid_text(&spec.child("clusterIP"), text, reason.to_owned());
        }
        let detail = if release < TYPO_FIXED {
            format!("failed to allocated ip:{text} with error:{reason}")
        } else {
            format!("failed to allocate IP {text}: {reason}")
        };
        field::Error::invalid(&spec.child("clusterIPs"), &Value::from(printed.to_vec()), detail)
    }

    /// Returns the family of the range that the address of a Service is out of. Without families it is that of the
    /// server, unless the alpha field has another one.
    ///
    /// Source: `getAllocatorBySpec` of 1.16 to 1.19
    fn family_for(&self, address: IpAddr, spec: &Map) -> IpFamily {
        let Allocator { network, profile, .. } = *self.allocator;
        if profile.release() >= FAMILIES {
            return IpFamily::of(address);
        }
        let named = profile.enabled(Feature::IPv6DualStack).then(|| IpFamily::named(spec.text("ipFamily")));
        named.flatten().filter(|family| network.has(*family)).unwrap_or(network.first_family())
    }

    fn take_address(&mut self, address: IpAddr, spec: &Map) -> std::result::Result<(), Taken> {
        let Allocator { network, profile, dry_run, .. } = *self.allocator;
        let release = profile.release();
        if dry_run && release < DRY_ALLOCATION {
            return Ok(());
        }
        let mut ranges = network.ranges_of(self.family_for(address, spec));
        if network.is_known() {
            let found = ranges.clone().any(|range| network::can_be_given(range, address));
            // A server whose ranges are objects looks for the range first; a dry run gets one of them.
            let looks_for_range = profile.enabled(Feature::MultiCIDRServiceAllocator) && !dry_run;
            let range = ranges.next().filter(|_| !looks_for_range);
            match range {
                _ if found => {}
                Some(range) => {
                    let range = network::text(range);
                    let provided = if release < DRY_ALLOCATION {
                        "provided IP".to_owned()
                    } else {
                        format!("the provided IP ({address})")
                    };
                    let reason =
                        format!("{provided} is not in the valid range. The range of valid IPs is {range}");
                    return Err((reason, None));
                }
                None => return Err((NO_NETWORK.to_owned(), None)),
            }
        }
        if dry_run {
            return Ok(());
        }
        if let Some(holder) = self.allocated().addresses.get(&address) {
            return Err((TAKEN.to_owned(), holder.known()));
        }
        self.allocated().addresses.insert(address, Holder::default());
        let is_of_server = network.own_address() == Some(address) && !self.is_own;
        if is_of_server { Err((TAKEN.to_owned(), None)) } else { Ok(()) }
    }

    /// Ports with the same number share a node port.
    ///
    /// Source: `initNodePorts`
    fn init_node_ports(&mut self, spec: &Map) -> Result {
        if !has_node_ports(spec) {
            return Ok(());
        }
        let chooses = preparation::needs_node_port(spec);
        let mut taken: BTreeMap<i64, i64> = BTreeMap::new();
        for (index, port) in spec.items("ports").enumerate() {
            let (own, named) = (port.int("port"), port.int("nodePort"));
            if named == 0 && !chooses {
                continue;
            }
            if let Some(shared) = taken.get(&own) {
                if named != 0 && named != *shared {
                    self.take_node_port(index, named)?;
                }
                continue;
            }
            let same = spec.items("ports").filter(|other| other.int("port") == own);
            let wanted = same.map(|other| other.int("nodePort")).find(|wanted| *wanted != 0);
            if let Some(wanted) = wanted {
                self.take_node_port(index, wanted)?;
                taken.insert(own, wanted);
            }
        }
        Ok(())
    }

    /// Source: `updateNodePorts`
    fn update_node_ports(&mut self, spec: &Map, before: &Map) -> Result {
        if !has_node_ports(spec) {
            return Ok(());
        }
        let old: BTreeSet<i64> = before.items("ports").map(|port| port.int("nodePort")).collect();
        let mut taken = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for (index, port) in spec.items("ports").enumerate() {
            let named = port.int("nodePort");
            if named == 0 {
                continue;
            }
            if !old.contains(&named) && taken.insert(named) {
                self.take_node_port(index, named)?;
            }
            let protocol = port.text("protocol");
            if !seen.insert((protocol, named)) {
                return Err(AllocationError::Plain(format!("duplicate nodePort: {{{protocol} {named}}}")));
            }
        }
        Ok(())
    }

    fn take_node_port(&mut self, index: usize, port: i64) -> Result {
        self.take_port(port).map_err(|(reason, holder)| {
            let path = Path::new("spec").child("ports").index(index).child("nodePort");
            let error = field::Error::invalid(&path, &Value::from(port), reason);
            AllocationError::Invalid(vec![error], holder)
        })
    }

    /// Source: `allocHealthCheckNodePort`
    fn take_health_check_port(&mut self, spec: &Map) -> Result {
        let port = spec.int("healthCheckNodePort");
        if port == 0 {
            return Ok(());
        }
        self.take_port(port).map_err(|(reason, _)| {
            AllocationError::Internal(format!(
                "failed to allocate requested HealthCheck NodePort {port}: {reason}"
            ))
        })
    }

    /// Takes a port out of the range, as a dry run does too.
    ///
    /// Source: `PortAllocationOperation.Allocate`
    fn take_port(&mut self, port: i64) -> std::result::Result<(), Taken> {
        let range = self.allocator.network.node_ports();
        let is_in_range = range.contains(port);
        if !is_in_range && !self.allocator.dry_run {
            let reason =
                format!("provided port is not in the valid range. The range of valid ports is {range}");
            return Err((reason, None));
        }
        if let Some(holder) = self.allocated().ports.get(&port) {
            return Err(("provided port is already allocated".to_owned(), holder.known()));
        }
        self.allocated().ports.insert(port, Holder::default());
        Ok(())
    }
}

pub(super) fn is_headless(spec: &Map) -> bool {
    spec.list("clusterIPs").first().is_some_and(|first| first == "None")
}

pub(super) fn has_node_ports(spec: &Map) -> bool {
    matches!(spec.text("type"), "NodePort" | "LoadBalancer")
}

#[cfg(test)]
mod tests;
