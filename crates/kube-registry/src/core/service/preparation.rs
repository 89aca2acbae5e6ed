//! Services: the fields that depend on each other, on the type, and on the network of the cluster. Addresses and ports
//! in a request are allocated; none is generated.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/service`.

use std::net::IpAddr;

use crate::core::service::network::{IpFamily, ServiceNetwork};
use gotext::net::parse_ip_sloppy;
use gotext::value::json;
use kube_api::field::{self, Path};
use kube_api::tree::{child_mut, child_or_insert, copy, items_mut, set};
use kube_api::{Map, Value};

/// Prepares a new Service for an unknown network; for a known one, the allocation has already done so.
pub(crate) fn for_create(service: &mut Map) {
    let spec = child_or_insert(service, "spec");
    sync_new_addresses(spec);
    init_family_fields_of_usual_server(spec, None);
}

/// Source: `beginUpdate`, `dropTypeDependentFields`
pub(crate) fn for_update(service: &mut Map, old: &Map) {
    copy(service, old, "status");
    let empty = Map::new();
    let network = ServiceNetwork::default();
    let old = &as_read(old.child("spec").unwrap_or(&empty), &network);
    let spec = child_or_insert(service, "spec");
    keep_and_sync(spec, old);
    init_family_fields_of_usual_server(spec, Some(old));
    drop_what_the_type_has_not(spec, old);
    if spec.text("type") != "LoadBalancer"
        && let Some(status) = child_mut(service, "status")
    {
        set(status, "loadBalancer", Map::new());
    }
}

fn init_family_fields_of_usual_server(spec: &mut Map, old: Option<&Map>) {
    if !has_no_family_fields_to_init(spec, old) {
        default_family_policy(spec, old);
        // The server's errors about the fields are reported by the allocation.
        let _ = init_families(spec, old, &ServiceNetwork::default());
    }
}

/// A client that knows only `clusterIP` fills in the first of `clusterIPs` too.
///
/// Source: `normalizeClusterIPs`
pub(super) fn sync_new_addresses(spec: &mut Map) {
    if !spec.is_zero("clusterIP") && spec.is_zero("clusterIPs") {
        let addresses = json!([spec.text("clusterIP")]);
        set(spec, "clusterIPs", addresses);
    }
}

/// Source: `patchAllocatedValues`, `normalizeClusterIPs`
pub(super) fn keep_and_sync(spec: &mut Map, old: &Map) {
    keep_allocated(spec, old);
    normalize_cluster_ips(spec, old);
}

/// Returns the spec of a stored Service as the server reads it.
///
/// Source: `defaultOnReadService`
pub(super) fn as_read(spec: &Map, network: &ServiceNetwork) -> Map {
    let mut spec = spec.clone();
    sync_new_addresses(&mut spec);
    if !needs_cluster_ip(&spec) || !spec.is_zero("ipFamilies") {
        return spec;
    }
    let default = network.default_family();
    let (families, policy) = if spec.text("clusterIP") == "None" {
        if spec.is_zero("selector") {
            (vec![default, default.other()], "RequireDualStack")
        } else {
            (vec![default], "SingleStack")
        }
    } else {
        let families: Vec<IpFamily> = addresses(&spec).map(IpFamily::of).collect();
        let policy = if families.len() == 2 { "RequireDualStack" } else { "SingleStack" };
        (families, policy)
    };
    // A Service of a fixture may have no address.
    if !families.is_empty() {
        set_families(&mut spec, &families);
        set(&mut spec, "ipFamilyPolicy", policy);
    }
    spec
}

/// Source: the early returns of `initIPFamilyFields`
pub(super) fn has_no_family_fields_to_init(spec: &Map, old: Option<&Map>) -> bool {
    spec.text("type") == "ExternalName" || old.is_some_and(|old| is_matching_prefer_dual_stack(spec, old))
}

/// Whether nothing was changed that depends on the cluster's families.
///
/// Source: `isMatchingPreferDualStackClusterIPFields`
fn is_matching_prefer_dual_stack(spec: &Map, old: &Map) -> bool {
    let prefers = |spec: &Map| spec.text("ipFamilyPolicy") == "PreferDualStack";
    spec.has("ipFamilyPolicy")
        && spec.text("type") == old.text("type")
        && needs_cluster_ip(spec)
        && prefers(spec)
        && (!old.has("ipFamilyPolicy") || prefers(old))
        && is_same(spec, old, "clusterIPs")
        && is_same(spec, old, "ipFamilies")
}

fn is_same(spec: &Map, old: &Map, field: &str) -> bool {
    spec.list(field) == old.list(field)
}

pub(super) fn default_family_policy(spec: &mut Map, old: Option<&Map>) {
    if spec.has("ipFamilyPolicy") {
        return;
    }
    let policy = match old.and_then(|old| old.get("ipFamilyPolicy")).and_then(Value::as_str) {
        Some(policy) => policy,
        None if is_headless_without_selector(spec) => "RequireDualStack",
        None => "SingleStack",
    };
    set(spec, "ipFamilyPolicy", policy);
}

fn is_headless_without_selector(spec: &Map) -> bool {
    spec.text("clusterIP") == "None" && spec.is_zero("selector")
}

/// Sets the families, and reports the server's errors about those that are given. The policy must be set.
///
/// Source: `initIPFamilyFields`, after the first validation
pub(super) fn init_families(
    spec: &mut Map,
    old: Option<&Map>,
    network: &ServiceNetwork,
) -> Result<(), Vec<field::Error>> {
    if families(spec).len() < spec.list("ipFamilies").len() {
        // Validation rejects unknown families.
        return Ok(());
    }
    let mut errors = Vec::new();
    let is_single = spec.text("ipFamilyPolicy") == "SingleStack";
    if let Some(old) = old {
        release_second(spec, old, is_single, &mut errors);
    }
    if is_single {
        for (field, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
            if spec.list(field).len() == 2 {
                let detail = format!(
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                );
                errors.push(wrong_policy(spec, detail));
            }
        }
    }
    infer_families(spec, network, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }

    let mut families = families(spec);
    if is_headless_without_selector(spec) {
        if families.is_empty() {
            families.push(network.default_family());
        }
        if let [only] = families[..]
            && !is_single
        {
            families.push(only.other());
        }
        set_families(spec, &families);
        return Ok(());
    }

    if spec.text("ipFamilyPolicy") == "RequireDualStack" && !network.is_dual_stack() {
        errors.push(wrong_policy(spec, "this cluster is not configured for dual-stack services"));
    }
    for (index, family) in families.iter().enumerate() {
        if !network.has(*family) {
            let path = Path::new("spec").child("ipFamilies").index(index);
            errors.push(field::Error::invalid_text(&path, family.as_str(), "not configured on this cluster"));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if families.is_empty() {
        families.push(network.default_family());
    }
    if let [only] = families[..]
        && !is_single
        && network.is_dual_stack()
    {
        families.push(only.other());
    }
    set_families(spec, &families);
    Ok(())
}

/// Releases the second address and family of a Service that becomes single-stack; any other one must keep them.
fn release_second(spec: &mut Map, old: &Map, is_single: bool, errors: &mut Vec<field::Error>) {
    for (field, what) in [("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")] {
        if is_single {
            if is_same(spec, old, field)
                && let Some(Value::Array(values)) = spec.get_mut(field)
            {
                values.truncate(1);
            }
        } else if !spec.is_zero(field) && spec.list(field).len() < old.list(field).len() {
            let detail = format!("must be 'SingleStack' to release the secondary {what}");
            errors.push(wrong_policy(spec, detail));
        }
    }
}

/// Adds the families of the given addresses without one.
fn infer_families(spec: &mut Map, network: &ServiceNetwork, errors: &mut Vec<field::Error>) {
    let mut families = families(spec);
    for (index, address) in addresses(spec).enumerate() {
        let family = IpFamily::of(address);
        if index < families.len() {
            continue;
        }
        if network.has(family) {
            families.push(family);
        } else {
            let path = Path::new("spec").child("clusterIPs").index(index);
            let detail = format!("{} is not configured on this cluster", family.as_str());
            let all = Value::from(spec.list("clusterIPs").to_vec());
            errors.push(
                field::Error::invalid(&path, &all, detail)
                    .about(Some("core/v1.ServiceSpec#clusterIPs"), &all),
            );
        }
    }
    if !families.is_empty() {
        set_families(spec, &families);
    }
}

fn wrong_policy(spec: &Map, detail: impl Into<String>) -> field::Error {
    let path = Path::new("spec").child("ipFamilyPolicy");
    field::Error::invalid_text(&path, spec.text("ipFamilyPolicy"), detail)
}

/// Returns the addresses before the one that makes the Service headless.
fn addresses(spec: &Map) -> impl Iterator<Item = IpAddr> + use<'_> {
    let texts = spec.list("clusterIPs").iter().filter_map(Value::as_str);
    texts.take_while(|text| *text != "None").filter_map(parse_ip_sloppy)
}

pub(super) fn families(spec: &Map) -> Vec<IpFamily> {
    spec.list("ipFamilies").iter().filter_map(Value::as_str).filter_map(IpFamily::named).collect()
}

fn set_families(spec: &mut Map, families: &[IpFamily]) {
    let names: Vec<&str> = families.iter().map(|family| family.as_str()).collect();
    set(spec, "ipFamilies", json!(names));
}

/// Keeps what was allocated where the new object does not set it.
fn keep_allocated(spec: &mut Map, old: &Map) {
    if needs_cluster_ip(old) && needs_cluster_ip(spec) {
        for field in ["clusterIP", "clusterIPs"] {
            if spec.is_zero(field) {
                copy(spec, old, field);
            }
        }
    }
    if needs_node_port(old) && needs_node_port(spec) {
        let used = |spec: &Map| -> Vec<i64> {
            spec.items("ports").map(|port| port.int("nodePort")).filter(|port| *port != 0).collect()
        };
        let new_ports = used(spec);
        let used: Vec<i64> = used(old).into_iter().filter(|port| new_ports.contains(port)).collect();
        for port in items_mut(spec, "ports") {
            if port.int("nodePort") != 0 {
                continue;
            }
            let same_name = old.items("ports").rfind(|other| other.text("name") == port.text("name"));
            let allocated = same_name.map_or(0, |other| other.int("nodePort"));
            if allocated != 0 && !used.contains(&allocated) {
                set(port, "nodePort", allocated);
            }
        }
    }
    if needs_health_check_port(old) && needs_health_check_port(spec) && spec.is_zero("healthCheckNodePort") {
        copy(spec, old, "healthCheckNodePort");
    }
}

/// Aligns `clusterIP` with the first of `clusterIPs`; a client that knows only one of them changes both.
fn normalize_cluster_ips(spec: &mut Map, old: &Map) {
    let (new_ip, old_ip) = (spec.text("clusterIP"), old.text("clusterIP"));
    if spec.is_zero("clusterIPs") && new_ip == old_ip {
        copy(spec, old, "clusterIPs");
    } else if new_ip != old_ip && spec.list("clusterIPs") == old.list("clusterIPs") {
        if new_ip.is_empty() {
            spec.remove("clusterIPs");
        } else {
            let addresses = json!([new_ip]);
            set(spec, "clusterIPs", addresses);
        }
    }
}

fn drop_what_the_type_has_not(spec: &mut Map, old: &Map) {
    if needs_cluster_ip(old) && !needs_cluster_ip(spec) {
        if spec.text("clusterIP") == old.text("clusterIP")
            && spec.list("clusterIPs") == old.list("clusterIPs")
        {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        remove_if_same(spec, old, "ipFamilies");
        remove_if_same(spec, old, "ipFamilyPolicy");
    }
    if needs_node_port(old) && !needs_node_port(spec) {
        let allocated = |port: i64| old.items("ports").any(|other| other.int("nodePort") == port);
        if spec.items("ports").all(|port| port.is_zero("nodePort") || allocated(port.int("nodePort"))) {
            items_mut(spec, "ports").for_each(|port| drop(port.remove("nodePort")));
        }
    }
    if needs_health_check_port(old) && !needs_health_check_port(spec) {
        remove_if_same(spec, old, "healthCheckNodePort");
    }
    let is_balancer = |spec: &Map| spec.text("type") == "LoadBalancer";
    if is_balancer(old) && !is_balancer(spec) {
        remove_if_same(spec, old, "allocateLoadBalancerNodePorts");
        remove_if_same(spec, old, "loadBalancerClass");
    }
    if is_externally_accessible(old) && !is_externally_accessible(spec) {
        remove_if_same(spec, old, "externalTrafficPolicy");
    }
}

fn remove_if_same(spec: &mut Map, old: &Map, field: &str) {
    if spec.has(field) && spec.get(field) == old.get(field) {
        spec.remove(field);
    }
}

pub(super) fn needs_cluster_ip(spec: &Map) -> bool {
    matches!(spec.text("type"), "ClusterIP" | "NodePort" | "LoadBalancer")
}

/// Source: `needsNodePort`, `shouldAllocateNodePorts`
pub(super) fn needs_node_port(spec: &Map) -> bool {
    match spec.text("type") {
        "NodePort" => true,
        "LoadBalancer" => {
            !spec.has("allocateLoadBalancerNodePorts") || spec.flag("allocateLoadBalancerNodePorts")
        }
        _ => false,
    }
}

pub(super) fn needs_health_check_port(spec: &Map) -> bool {
    spec.text("type") == "LoadBalancer" && spec.text("externalTrafficPolicy") == "Local"
}

fn is_externally_accessible(spec: &Map) -> bool {
    match spec.text("type") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.is_zero("externalIPs"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{created, updated};
    use gotext::value::{Value, json};

    fn service(spec: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Service", "spec": spec})
    }

    #[test]
    fn a_service_is_of_one_family() {
        let spec = created(&service(&json!({})))["spec"].take();
        assert_eq!((&spec["ipFamilies"], &spec["ipFamilyPolicy"]), (&json!(["IPv4"]), &json!("SingleStack")));
        assert_eq!(spec.get("clusterIP"), None);
        let headless = created(&service(&json!({"clusterIP": "None"})))["spec"].take();
        assert_eq!(headless["clusterIPs"], json!(["None"]));
        assert_eq!(headless["ipFamilies"], json!(["IPv4", "IPv6"]));
        assert_eq!(headless["ipFamilyPolicy"], "RequireDualStack");
        let external = created(&service(&json!({"type": "ExternalName"})))["spec"].take();
        assert_eq!(external.get("ipFamilies"), None);
    }

    #[test]
    fn what_was_allocated_stays() {
        let ports = json!([{"name": "a", "port": 80, "nodePort": 30000}]);
        let old = json!({
            "type": "NodePort",
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": ports
        });
        let new = json!({"type": "NodePort", "ports": [{"name": "a", "port": 81}]});
        let spec = updated(&service(&new), &service(&old), "")["spec"].take();
        assert_eq!((&spec["clusterIP"], &spec["clusterIPs"]), (&json!("10.0.0.1"), &json!(["10.0.0.1"])));
        assert_eq!(spec["ports"][0]["nodePort"], 30000);
    }

    #[test]
    fn what_the_type_has_not_goes() {
        let old = json!({
            "type": "LoadBalancer",
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
            "loadBalancerClass": "a",
            "ports": [{"port": 80, "nodePort": 30000}]
        });
        let mut new = old.clone();
        new["type"] = json!("ClusterIP");
        new["externalTrafficPolicy"] = json!("Cluster");
        let spec = updated(&service(&new), &service(&old), "")["spec"].take();
        assert_eq!(spec["ports"][0].get("nodePort"), None);
        for field in ["loadBalancerClass", "externalTrafficPolicy"] {
            assert_eq!(spec.get(field), None, "{field}");
        }
        new["type"] = json!("ExternalName");
        let spec = updated(&service(&new), &service(&old), "")["spec"].take();
        assert_eq!((spec.get("clusterIP"), spec.get("clusterIPs")), (None, None));
    }
}
