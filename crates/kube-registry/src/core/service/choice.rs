//! The addresses and node ports that a server chooses for Services that do not name any.
//!
//! A server chooses at random; the lowest free one is chosen here, so that two runs are the same.
//!
//! Source: `allocClusterIPs`, `initNodePorts` of `k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go`

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::core::service::allocation::{
    Allocated, AllocationError, Allocator, FAMILIES, Result, has_node_ports, is_headless,
};
use crate::core::service::network::{self, IpFamily, ServiceNetwork, next};
use crate::core::service::preparation;
use gotext::net::{Cidr, parse_cidr_sloppy};
use kube_api::tree::{child_mut, items_mut};
use kube_api::version::Version;
use kube_api::{Map, Object, Value};

/// The ranges of a cluster of kubeadm, if no flag names others.
const USUAL: [(IpFamily, &str); 2] = [(IpFamily::V4, "10.96.0.0/12"), (IpFamily::V6, "fd00:10:96::/112")];

/// The addresses of a range that are tried.
const MAX_TRIED: u128 = 1 << 20;

impl Allocator<'_> {
    /// Fills in the addresses and ports that `service` needs and does not name.
    ///
    /// # Errors
    ///
    /// The server's error if none is free.
    pub fn choose(&self, service: &mut Object) -> Result {
        let Some(spec) = service.value.as_object_mut().and_then(|map| child_mut(map, "spec")) else {
            return Ok(());
        };
        let mut free = Free { allocator: self, allocated: None };
        if spec.text("type") != "ExternalName" && !is_headless(spec) && spec.text("clusterIP") != "None" {
            free.choose_addresses(spec)?;
        }
        if has_node_ports(spec) && preparation::needs_node_port(spec) {
            free.choose_node_ports(spec)?;
        }
        if preparation::needs_health_check_port(spec) && spec.int("healthCheckNodePort") == 0 {
            let port = free.port().ok_or_else(|| full("HealthCheck NodePort "))?;
            spec.insert("healthCheckNodePort", port.into());
        }
        Ok(())
    }

    fn ranges(&self, family: IpFamily) -> Vec<Cidr> {
        if self.network.is_known() {
            return self.network.ranges_of(family).copied().collect();
        }
        let usual = USUAL.into_iter().filter(|(own, _)| *own == family);
        usual.filter_map(|(_, range)| parse_cidr_sloppy(range)).collect()
    }
}

impl ServiceNetwork {
    /// Gives the Service of the server itself its address, which is the first one.
    ///
    /// Source: `CreateOrUpdateMasterServiceIfNeeded`
    pub fn give_own_address(&self, service: &mut Object, release: Version) {
        let usual = USUAL.into_iter().find(|(family, _)| *family == self.first_family());
        let usual = usual.and_then(|(_, range)| parse_cidr_sloppy(range)).map(|range| next(range.address));
        let Some(address) = self.own_address().or(usual) else { return };
        service.set(["spec", "clusterIP"], address.to_string());
        if release >= FAMILIES {
            let family = if address.is_ipv4() { "IPv4" } else { "IPv6" };
            service.set(["spec", "clusterIPs"], vec![Value::from(address.to_string())]);
            service.set(["spec", "ipFamilies"], vec![Value::from(family)]);
            service.set(["spec", "ipFamilyPolicy"], "SingleStack");
        }
    }
}

/// What is free, looked up on demand.
struct Free<'a> {
    allocator: &'a Allocator<'a>,
    allocated: Option<Allocated>,
}

impl Free<'_> {
    fn allocated(&mut self) -> &mut Allocated {
        self.allocated.get_or_insert_with(self.allocator.allocated)
    }

    fn choose_addresses(&mut self, spec: &mut Map) -> Result {
        if self.allocator.profile.release() < FAMILIES {
            if spec.text("clusterIP").is_empty() {
                let address = self.address(self.allocator.network.first_family())?;
                spec.insert("clusterIP", address.to_string().into());
            }
            return Ok(());
        }
        let families = spec.list("ipFamilies").iter().filter_map(|family| IpFamily::named(family.as_str()?));
        let families: Vec<IpFamily> = families.collect();
        let mut addresses = spec.list("clusterIPs").to_vec();
        for family in families.into_iter().skip(addresses.len()) {
            addresses.push(self.address(family)?.to_string().into());
        }
        if let Some(first) = addresses.first().cloned() {
            spec.insert("clusterIP", first);
            spec.insert("clusterIPs", addresses.into());
        }
        Ok(())
    }

    /// Ports with the same number share a node port.
    fn choose_node_ports(&mut self, spec: &mut Map) -> Result {
        let mut shared = BTreeMap::<i64, i64>::new();
        for port in spec.items("ports").filter(|port| port.int("nodePort") != 0) {
            shared.entry(port.int("port")).or_insert(port.int("nodePort"));
        }
        let taken: Vec<i64> = spec.items("ports").map(|port| port.int("nodePort")).collect();
        self.allocated().take_ports(taken);
        let ports = items_mut(spec, "ports").filter(|port| port.int("nodePort") == 0);
        for port in ports {
            let number = port.int("port");
            let chosen = shared.get(&number).copied().or_else(|| self.port());
            let chosen = chosen.ok_or_else(|| full("nodePort"))?;
            shared.insert(number, chosen);
            port.insert("nodePort", chosen.into());
        }
        Ok(())
    }

    fn address(&mut self, family: IpFamily) -> std::result::Result<IpAddr, AllocationError> {
        let ranges = self.allocator.ranges(family);
        // The first address is the server's own.
        let found = ranges.iter().find_map(|range| {
            let all = (2..MAX_TRIED).map_while(|offset| after(range.address, offset));
            let mut all = all.take_while(|address| range.contains(*address));
            let allocated = self.allocated();
            all.find(|address| network::can_be_given(range, *address) && !allocated.has_address(*address))
        });
        let found = found.ok_or_else(|| full("serviceIP"))?;
        self.allocated().take_address(found);
        Ok(found)
    }

    fn port(&mut self) -> Option<i64> {
        let mut all = self.allocator.network.node_ports().all();
        let allocated = self.allocated();
        let found = all.find(|port| !allocated.has_port(*port))?;
        allocated.take_ports([found]);
        Some(found)
    }
}

fn full(what: &str) -> AllocationError {
    AllocationError::Full(format!("failed to allocate a {what}: range is full"))
}

fn after(first: IpAddr, offset: u128) -> Option<IpAddr> {
    match first {
        IpAddr::V4(first) => {
            let offset = u32::try_from(offset).ok()?;
            u32::from(first).checked_add(offset).map(|address| Ipv4Addr::from(address).into())
        }
        IpAddr::V6(first) => {
            u128::from(first).checked_add(offset).map(|address| Ipv6Addr::from(address).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Value};

    use super::*;
    use crate::core::service::network::ServiceNetwork;

    fn chosen(range: &str, spec: &Value, others: &[Value]) -> std::result::Result<Value, AllocationError> {
        let service = |spec: &Value| {
            let value = json!({"metadata": {"name": "a", "namespace": "b"}, "spec": spec});
            Object::new(GroupVersionKind::new("", "v1", "Service"), value)
        };
        let others: Vec<Object> = others.iter().map(service).collect();
        let allocator = Allocator {
            network: &ServiceNetwork::parse(range).unwrap(),
            allocated: &|| Allocated::of(others.iter(), std::iter::empty()),
            profile: &ServerProfile::default(),
            dry_run: false,
        };
        let mut chosen = service(spec);
        allocator.choose(&mut chosen)?;
        Ok(chosen.value["spec"].clone())
    }

    #[test]
    fn the_lowest_free_address_of_each_family_is_chosen() {
        let spec = json!({"type": "ClusterIP", "ipFamilies": ["IPv4", "IPv6"]});
        let other = json!({"clusterIP": "10.0.0.2"});
        let found = chosen("10.0.0.0/24,fd00::/112", &spec, &[other]).unwrap();
        assert_eq!(found["clusterIP"], "10.0.0.3");
        assert_eq!(found["clusterIPs"], json!(["10.0.0.3", "fd00::2"]));
    }

    #[test]
    fn a_full_range_has_no_address() {
        let others: Vec<Value> = (2..7).map(|last| json!({"clusterIP": format!("10.0.0.{last}")})).collect();
        let spec = json!({"type": "ClusterIP", "ipFamilies": ["IPv4"]});
        let error = "failed to allocate a serviceIP: range is full".to_owned();
        assert_eq!(chosen("10.0.0.0/29", &spec, &others), Err(AllocationError::Full(error)));
    }

    #[test]
    fn what_needs_no_address_gets_none() {
        for spec in [json!({"type": "ExternalName"}), json!({"clusterIP": "None", "clusterIPs": ["None"]})] {
            assert_eq!(chosen("", &spec, &[]), Ok(spec));
        }
    }

    #[test]
    fn ports_with_the_same_number_share_a_node_port() {
        let ports = json!([
            {"port": 53, "protocol": "TCP"},
            {"port": 53, "protocol": "UDP"},
            {"port": 80, "nodePort": 30001},
            {"port": 81},
        ]);
        let spec = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": ports});
        let found = chosen("", &spec, &[json!({"ports": [{"port": 1, "nodePort": 30000}]})]).unwrap();
        let numbers: Vec<i64> = found.list("ports").iter().map(|port| port.int("nodePort")).collect();
        assert_eq!(numbers, [30002, 30002, 30001, 30003]);
        assert_eq!(found["healthCheckNodePort"], 30004);
    }
}
