//! What Services and Ingresses show.

use std::collections::BTreeSet;

use crate::serve::table::built_in::{NONE, or, some};
use kube_api::{Object, Value};

pub(super) fn cluster_ip(service: &Object) -> Value {
    let first = service.list(["spec", "clusterIPs"]).first().and_then(Value::as_str);
    or(first.unwrap_or_else(|| service.text(["spec", "clusterIP"])), NONE)
}

/// Source: `getServiceExternalIP`
pub(super) fn external_ip(service: &Object) -> String {
    let given = service.list(["spec", "externalIPs"]).iter().filter_map(Value::as_str);
    let given: Vec<&str> = given.collect();
    match service.text(["spec", "type"]) {
        "ExternalName" => service.text(["spec", "externalName"]).to_owned(),
        "LoadBalancer" => match [balancers(service), given].concat() {
            all if all.is_empty() => "<pending>".to_owned(),
            all => all.join(","),
        },
        _ if given.is_empty() => NONE.to_owned(),
        _ => given.join(","),
    }
}

/// Returns the addresses of load balancers, in order.
pub(super) fn balancers(object: &Object) -> Vec<&str> {
    let addresses =
        object.items(["status", "loadBalancer", "ingress"]).map(|balancer| match balancer.text("ip") {
            "" => balancer.text("hostname"),
            address => address,
        });
    addresses.filter(|address| !address.is_empty()).collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn ports(service: &Object) -> Value {
    let ports = service.items(["spec", "ports"]).map(|port| {
        let (number, node, protocol) = (port.int("port"), port.int("nodePort"), port.text("protocol"));
        if node > 0 { format!("{number}:{node}/{protocol}") } else { format!("{number}/{protocol}") }
    });
    or(&ports.collect::<Vec<_>>().join(","), NONE)
}

/// Source: `formatHosts`
pub(super) fn hosts(ingress: &Object) -> Value {
    const MAX: usize = 3;
    let hosts = ingress.items(["spec", "rules"]).map(|rule| rule.text("host"));
    let hosts: Vec<String> = hosts.filter(|host| !host.is_empty()).map(str::to_owned).collect();
    or(&some(&hosts, MAX, ","), "*")
}

/// Returns the parameters of an `IngressClass`.
pub(super) fn parameters(class: &Object) -> Value {
    let text = |field| class.text(["spec", "parameters", field]);
    match (text("kind"), text("apiGroup")) {
        ("", _) => NONE.into(),
        (kind, "") => format!("{kind}/{}", text("name")).into(),
        (kind, group) => format!("{kind}.{group}/{}", text("name")).into(),
    }
}
