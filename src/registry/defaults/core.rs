//! The core group, without Pods and volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`.

use crate::value::Text;
use crate::value::json;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::resources;
use crate::api::tree::{
    child, child_mut, descend, has, is_zero, items_mut, list, made, number, set, set_if_absent, set_if_zero,
    text,
};
use crate::api::{Map, Value};

/// `Secret`: `stringData` is written over `data` and does not stay.
pub(super) fn secret(secret: &mut Map) {
    set_if_zero(secret, "type", "Opaque");
    if let Some(Value::Object(texts)) = secret.remove("stringData")
        && !texts.is_empty()
    {
        let encoded = |text: Value| Value::from(STANDARD.encode(text.as_str().unwrap_or_default()));
        made(secret, "data").extend(texts.into_iter().map(|(key, text)| (key, encoded(text))));
    }
}

/// `Namespace`: carries its name as a label, once it has one.
pub(super) fn namespace(namespace: &mut Map) {
    label_namespace(namespace);
    set_if_zero(made(namespace, "status"), "phase", "Active");
}

/// Labels a namespace with its name, which may have been generated.
pub(crate) fn label_namespace(namespace: &mut Map) {
    const NAME_LABEL: &str = "kubernetes.io/metadata.name";
    let Some(metadata) = child_mut(namespace, "metadata") else { return };
    let name = text(metadata, "name");
    if !name.is_empty() && child(metadata, "labels").is_none_or(|labels| text(labels, NAME_LABEL) != name) {
        let name = name.to_owned();
        set(made(metadata, "labels"), NAME_LABEL, name);
    }
}

/// `Node`
pub(super) fn node(node: &mut Map) {
    if let Some(spec) = child_mut(node, "spec") {
        pod_networks(spec);
    }
    if let Some(status) = child_mut(node, "status") {
        if !has(status, "allocatable") && !is_zero(status, "capacity") {
            let capacity = status["capacity"].clone();
            set(status, "allocatable", capacity);
        }
        resources::round_up(status, "capacity");
        resources::round_up(status, "allocatable");
    }
}

/// `podCIDR` is the first of `podCIDRs`, and wins over it for the sake of older clients.
fn pod_networks(spec: &mut Map) {
    let only = text(spec, "podCIDR");
    let first = list(spec, "podCIDRs").first().and_then(Value::as_str).unwrap_or_default();
    if !only.is_empty() && only != first {
        let networks = json!([only]);
        set(spec, "podCIDRs", networks);
    } else if only.is_empty() && !first.is_empty() {
        let first = first.to_owned();
        set(spec, "podCIDR", first);
    }
}

/// `Service`
pub(super) fn service(service: &mut Map) {
    let spec = made(service, "spec");
    set_if_zero(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let client = descend(spec, &["sessionAffinityConfig", "clientIP"]);
            if !client.is_some_and(|client| has(client, "timeoutSeconds")) {
                set(spec, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}}));
            }
        }
        _ => {}
    }
    set_if_zero(spec, "type", "ClusterIP");
    for port in items_mut(spec, "ports") {
        set_if_zero(port, "protocol", "TCP");
        if is_zero(port, "targetPort") {
            let number = number(port, "port");
            set(port, "targetPort", number);
        }
    }
    let (cluster_ip, node_port, load_balancer) = match text(spec, "type") {
        "ClusterIP" => (true, false, false),
        "NodePort" => (false, true, false),
        "LoadBalancer" => (false, false, true),
        _ => (false, false, false),
    };
    if load_balancer || node_port || cluster_ip && !is_zero(spec, "externalIPs") {
        set_if_zero(spec, "externalTrafficPolicy", "Cluster");
    }
    if load_balancer || node_port || cluster_ip {
        set_if_absent(spec, "internalTrafficPolicy", "Cluster");
    }
    if load_balancer {
        set_if_absent(spec, "allocateLoadBalancerNodePorts", true);
        let balancer = child_mut(service, "status").and_then(|status| child_mut(status, "loadBalancer"));
        for ingress in balancer.into_iter().flat_map(|balancer| items_mut(balancer, "ingress")) {
            if !is_zero(ingress, "ip") {
                set_if_absent(ingress, "ipMode", "VIP");
            }
        }
    }
}

/// `Endpoints`
pub(super) fn endpoints(endpoints: &mut Map) {
    for subset in items_mut(endpoints, "subsets") {
        items_mut(subset, "ports").for_each(|port| set_if_zero(port, "protocol", "TCP"));
    }
}

/// `LimitRange`: what a container may have at most is its default, and its default is what it requests.
pub(super) fn limit_range(range: &mut Map) {
    let Some(spec) = child_mut(range, "spec") else { return };
    for item in items_mut(spec, "limits") {
        if text(item, "type") == "Container" {
            fill(item, "default", "max");
            fill(item, "defaultRequest", "default");
            fill(item, "defaultRequest", "min");
        }
        for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            resources::round_up(item, list);
        }
    }
}

/// Copies into `target` the quantities of `source` that it lacks.
fn fill(item: &mut Map, target: &'static str, source: &str) {
    let Some(Value::Object(available)) = item.get(source) else { return };
    let present = child(item, target);
    let missing: Vec<(Text, Value)> = available
        .iter()
        .filter(|(name, _)| present.is_none_or(|present| !present.contains_key(name)))
        .map(|(name, quantity)| (name.clone(), quantity.clone()))
        .collect();
    if !missing.is_empty() {
        made(item, target).extend(missing);
    }
}

/// `ResourceQuota`
pub(super) fn resource_quota(quota: &mut Map) {
    if let Some(spec) = child_mut(quota, "spec") {
        resources::round_up(spec, "hard");
    }
    if let Some(status) = child_mut(quota, "status") {
        resources::round_up(status, "hard");
        resources::round_up(status, "used");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::defaulted;
    use crate::value::{Value, json};

    fn service(spec: &Value) -> Value {
        defaulted(json!({"apiVersion": "v1", "kind": "Service", "spec": spec}))["spec"].clone()
    }

    #[test]
    fn texts_of_a_secret_become_data() {
        let secret = json!({"data": {"a": "eA==", "b": "eA=="}, "stringData": {"b": "y"}});
        let mut secret = defaulted({
            let mut value = secret;
            value["apiVersion"] = json!("v1");
            value["kind"] = json!("Secret");
            value
        });
        assert_eq!(secret["data"].take(), json!({"a": "eA==", "b": "eQ=="}));
        assert_eq!(secret["type"], "Opaque");
        assert_eq!(secret.get("stringData"), None);
    }

    #[test]
    fn a_namespace_carries_its_name_once_it_has_one() {
        let namespace = |metadata: Value| {
            defaulted(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}))["metadata"]
                .clone()
        };
        let labels = json!({"kubernetes.io/metadata.name": "a"});
        assert_eq!(namespace(json!({"name": "a"})), json!({"name": "a", "labels": labels}));
        assert_eq!(namespace(json!({"generateName": "a"})), json!({"generateName": "a"}));
    }

    #[test]
    fn services_are_completed_by_type() {
        let ports = json!([{"port": 80}, {"port": 443, "targetPort": "https", "protocol": "UDP"}]);
        let cluster_ip = service(&json!({"ports": ports}));
        assert_eq!(cluster_ip["ports"][0], json!({"port": 80, "targetPort": 80, "protocol": "TCP"}));
        assert_eq!(cluster_ip["ports"][1], ports[1]);
        assert_eq!(cluster_ip["internalTrafficPolicy"], "Cluster");
        assert_eq!(cluster_ip.get("externalTrafficPolicy"), None);
        let balancer = service(&json!({"type": "LoadBalancer"}));
        assert_eq!(balancer["externalTrafficPolicy"], "Cluster");
        assert_eq!(balancer["allocateLoadBalancerNodePorts"], true);
        let external = service(&json!({"type": "ExternalName"}));
        assert_eq!(external, json!({"type": "ExternalName", "sessionAffinity": "None"}));
        assert_eq!(service(&json!({"externalIPs": ["10.0.0.1"]}))["externalTrafficPolicy"], "Cluster");
        let affine = service(&json!({"sessionAffinity": "ClientIP"}));
        assert_eq!(affine["sessionAffinityConfig"], json!({"clientIP": {"timeoutSeconds": 10800}}));
    }

    #[test]
    fn a_container_gets_by_default_what_it_may_have_at_most() {
        let item = json!({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1", "memory": "1Gi"}});
        let pod = json!({"type": "Pod", "max": {"cpu": "2"}});
        let spec = json!({"limits": [item, pod]});
        let range = defaulted(json!({"apiVersion": "v1", "kind": "LimitRange", "spec": spec}));
        assert_eq!(range["spec"]["limits"][0]["default"], json!({"cpu": "2"}));
        assert_eq!(range["spec"]["limits"][0]["defaultRequest"], json!({"cpu": "2", "memory": "1Gi"}));
        assert_eq!(range["spec"]["limits"][1], pod);
    }

    #[test]
    fn a_node_can_allocate_its_capacity() {
        let node = json!({"spec": {"podCIDR": "10.0.0.0/24"}, "status": {"capacity": {"cpu": "4"}}});
        let mut value = json!({"apiVersion": "v1", "kind": "Node"});
        value["spec"] = node["spec"].clone();
        value["status"] = node["status"].clone();
        let node = defaulted(value);
        assert_eq!(node["status"]["allocatable"], json!({"cpu": "4"}));
        assert_eq!(node["spec"]["podCIDRs"], json!(["10.0.0.0/24"]));
    }
}
