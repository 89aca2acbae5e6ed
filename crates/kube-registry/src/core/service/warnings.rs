//! Services.
//!
//! Source: `k8s.io/kubernetes/pkg/api/service`.

use crate::warnings::Warnings;
use crate::warnings::address;
use gotext::quote;
use kube_api::field::Path;
use kube_api::{Map, Object, Value};

pub(crate) fn service(service: &Object, spec: &Map, warnings: &mut Warnings<'_>) {
    const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
    if service.annotation(TOPOLOGY_HINTS).is_some() {
        warnings
            .push(format!("annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"));
    }
    let (kind, cluster_ip) = (spec.text("type"), spec.text("clusterIP"));
    let is_external_name = kind == "ExternalName";
    if !matches!(cluster_ip, "" | "None") {
        addresses(spec, "clusterIPs", address::ip, warnings);
    }
    let is_headless = kind == "ClusterIP" && cluster_ip == "None";
    let has_external_ips = !spec.is_zero("externalIPs");
    if is_headless && warnings.since(34) {
        if !spec.is_zero("loadBalancerIP") {
            warnings.push("spec.loadBalancerIP is ignored for headless services".to_owned());
        }
        if has_external_ips {
            warnings.push("spec.externalIPs is ignored for headless services".to_owned());
        }
        if spec.text("sessionAffinity") != "None" {
            warnings.push("spec.SessionAffinity is ignored for headless services".to_owned());
        }
    }
    addresses(spec, "externalIPs", address::ip, warnings);
    if has_external_ips && !is_headless && !is_external_name && warnings.since(36) {
        warnings.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned(),
        );
    }
    if !spec.is_zero("loadBalancerIP") {
        address::ip(&Path::new("spec.loadBalancerIP"), spec.text("loadBalancerIP"), warnings);
    }
    addresses(spec, "loadBalancerSourceRanges", address::cidr, warnings);
    if is_external_name && has_external_ips && warnings.since(28) {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !is_external_name && !spec.is_zero("externalName") && warnings.since(28) {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    let distribution = spec.text("trafficDistribution");
    if distribution == "PreferClose" && warnings.since(35) {
        warnings.push(format!(
            "spec.trafficDistribution: {} is deprecated; use \"PreferSameZone\"",
            quote(distribution)
        ));
    }
}

pub(crate) fn addresses(
    spec: &Map,
    field: &'static str,
    check: fn(&Path, &str, &mut Warnings<'_>),
    warnings: &mut Warnings<'_>,
) {
    for (index, address) in spec.list(field).iter().filter_map(Value::as_str).enumerate() {
        check(&Path::new("spec").child(field).index(index), address, warnings);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::{Value, json};

    fn service(spec: &Value) -> Vec<String> {
        on_create(json!({"apiVersion": "v1", "kind": "Service", "spec": spec}))
    }

    #[test]
    fn what_is_ignored_is_named() {
        let headless = json!({"type": "ClusterIP", "clusterIP": "None", "loadBalancerIP": "10.0.0.1", "externalIPs": ["::"]});
        assert_eq!(
            service(&headless),
            [
                "spec.loadBalancerIP is ignored for headless services",
                "spec.externalIPs is ignored for headless services",
                "spec.SessionAffinity is ignored for headless services"
            ]
        );
        assert_eq!(
            service(&json!({"type": "ExternalName", "externalIPs": ["10.0.0.1"]})),
            ["spec.externalIPs is ignored when spec.type is \"ExternalName\""]
        );
        assert_eq!(
            service(&json!({"type": "ClusterIP", "externalName": "a"})),
            ["spec.externalName is ignored when spec.type is not \"ExternalName\""]
        );
    }

    #[test]
    fn what_is_deprecated_is_named() {
        assert_eq!(
            service(
                &json!({"type": "NodePort", "externalIPs": ["10.0.0.1"], "trafficDistribution": "PreferClose"})
            ),
            [
                "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
                "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
            ]
        );
    }
}
