//! The core group, without Pods and volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

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
        let encoded = |text: Value| Value::String(STANDARD.encode(text.as_str().unwrap_or_default()));
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
    let missing: Vec<(String, Value)> = available
        .iter()
        .filter(|(name, _)| present.is_none_or(|present| !present.contains_key(*name)))
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
