//! Services: the fields that depend on each other, on the type, and on the cluster's networks. The cluster is assumed
//! to have one network, IPv4; addresses and ports are not allocated.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/service`.

use crate::value::json;

use crate::api::tree::{
    child, child_mut, copy, has, is_true, is_zero, items, items_mut, list, made, number, set, set_if_absent,
    text,
};
use crate::api::{Map, Value};

/// Source: `beginCreate`, `initIPFamilyFields`
pub(in crate::registry) fn begin_create(service: &mut Map) {
    let spec = made(service, "spec");
    if !is_zero(spec, "clusterIP") && is_zero(spec, "clusterIPs") {
        let addresses = json!([text(spec, "clusterIP")]);
        set(spec, "clusterIPs", addresses);
    }
    ip_families(spec, None);
}

/// Source: `beginUpdate`, `dropTypeDependentFields`
pub(in crate::registry) fn for_update(service: &mut Map, old: &Map) {
    copy(service, old, "status");
    let empty = Map::new();
    let old = child(old, "spec").unwrap_or(&empty);
    let spec = made(service, "spec");
    keep_allocated(spec, old);
    normalize_cluster_ips(spec, old);
    ip_families(spec, Some(old));
    drop_what_the_type_has_not(spec, old);
    if text(spec, "type") != "LoadBalancer"
        && let Some(status) = child_mut(service, "status")
    {
        set(status, "loadBalancer", Map::new());
    }
}

fn ip_families(spec: &mut Map, old: Option<&Map>) {
    if text(spec, "type") == "ExternalName" {
        return;
    }
    let without_selector = text(spec, "clusterIP") == "None" && is_zero(spec, "selector");
    let policy = match old.and_then(|old| old.get("ipFamilyPolicy")).and_then(Value::as_str) {
        Some(policy) => policy,
        None if without_selector => "RequireDualStack",
        None => "SingleStack",
    };
    set_if_absent(spec, "ipFamilyPolicy", policy);
    if is_zero(spec, "ipFamilies") {
        let of_addresses: Vec<&str> = list(spec, "clusterIPs")
            .iter()
            .filter_map(Value::as_str)
            .take_while(|address| *address != "None")
            .map(|address| if address.contains(':') { "IPv6" } else { "IPv4" })
            .collect();
        let families = if of_addresses.is_empty() { json!(["IPv4"]) } else { json!(of_addresses) };
        set(spec, "ipFamilies", families);
    }
    if without_selector
        && text(spec, "ipFamilyPolicy") != "SingleStack"
        && let Some(Value::Array(families)) = spec.get_mut("ipFamilies")
        && families.len() < 2
    {
        let other = if families.first().is_some_and(|family| family == "IPv6") { "IPv4" } else { "IPv6" };
        families.push(other.into());
    }
}

/// Keeps what was allocated where the new object does not set it.
fn keep_allocated(spec: &mut Map, old: &Map) {
    if needs_cluster_ip(old) && needs_cluster_ip(spec) {
        for field in ["clusterIP", "clusterIPs"] {
            if is_zero(spec, field) {
                copy(spec, old, field);
            }
        }
    }
    if needs_node_port(old) && needs_node_port(spec) {
        let used = |spec: &Map| -> Vec<i64> {
            items(spec, "ports").map(|port| number(port, "nodePort")).filter(|port| *port != 0).collect()
        };
        let new_ports = used(spec);
        let used: Vec<i64> = used(old).into_iter().filter(|port| new_ports.contains(port)).collect();
        for port in items_mut(spec, "ports") {
            if number(port, "nodePort") != 0 {
                continue;
            }
            let same_name =
                items(old, "ports").filter(|other| text(other, "name") == text(port, "name")).last();
            let allocated = same_name.map_or(0, |other| number(other, "nodePort"));
            if allocated != 0 && !used.contains(&allocated) {
                set(port, "nodePort", allocated);
            }
        }
    }
    if needs_health_check_port(old) && needs_health_check_port(spec) && is_zero(spec, "healthCheckNodePort") {
        copy(spec, old, "healthCheckNodePort");
    }
}

/// Aligns `clusterIP` with the first of `clusterIPs`; a client that knows only one of them changes both.
fn normalize_cluster_ips(spec: &mut Map, old: &Map) {
    let (new_ip, old_ip) = (text(spec, "clusterIP"), text(old, "clusterIP"));
    if is_zero(spec, "clusterIPs") && new_ip == old_ip {
        copy(spec, old, "clusterIPs");
    } else if new_ip != old_ip && list(spec, "clusterIPs") == list(old, "clusterIPs") {
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
        if text(spec, "clusterIP") == text(old, "clusterIP")
            && list(spec, "clusterIPs") == list(old, "clusterIPs")
        {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        remove_if_same(spec, old, "ipFamilies");
        remove_if_same(spec, old, "ipFamilyPolicy");
    }
    if needs_node_port(old) && !needs_node_port(spec) {
        let allocated = |port: i64| items(old, "ports").any(|other| number(other, "nodePort") == port);
        if items(spec, "ports").all(|port| is_zero(port, "nodePort") || allocated(number(port, "nodePort"))) {
            items_mut(spec, "ports").for_each(|port| drop(port.remove("nodePort")));
        }
    }
    if needs_health_check_port(old) && !needs_health_check_port(spec) {
        remove_if_same(spec, old, "healthCheckNodePort");
    }
    let is_balancer = |spec: &Map| text(spec, "type") == "LoadBalancer";
    if is_balancer(old) && !is_balancer(spec) {
        remove_if_same(spec, old, "allocateLoadBalancerNodePorts");
        remove_if_same(spec, old, "loadBalancerClass");
    }
    if is_externally_accessible(old) && !is_externally_accessible(spec) {
        remove_if_same(spec, old, "externalTrafficPolicy");
    }
}

fn remove_if_same(spec: &mut Map, old: &Map, field: &str) {
    if has(spec, field) && spec.get(field) == old.get(field) {
        spec.remove(field);
    }
}

fn needs_cluster_ip(spec: &Map) -> bool {
    matches!(text(spec, "type"), "ClusterIP" | "NodePort" | "LoadBalancer")
}

fn needs_node_port(spec: &Map) -> bool {
    match text(spec, "type") {
        "NodePort" => true,
        "LoadBalancer" => {
            !has(spec, "allocateLoadBalancerNodePorts") || is_true(spec, "allocateLoadBalancerNodePorts")
        }
        _ => false,
    }
}

fn needs_health_check_port(spec: &Map) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

fn is_externally_accessible(spec: &Map) -> bool {
    match text(spec, "type") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !is_zero(spec, "externalIPs"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::tests::{created, updated};
    use crate::value::{Value, json};

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
