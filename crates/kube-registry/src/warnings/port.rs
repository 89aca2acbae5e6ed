//! Ports that containers of a Pod share.
//!
//! Source: `k8s.io/kubernetes/pkg/api/pod`.

use crate::warnings::Warnings;
use std::collections::BTreeMap;
use std::fmt;

use gotext::quote;
use kube_api::Map;
use kube_api::field::Path;

/// The place of a port, which becomes a path in a warning alone.
#[derive(Clone, Copy)]
struct Place<'a> {
    container: &'a Path,
    index: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.ports[{}]", self.container, self.index)
    }
}

/// Warns about ports that are duplicates, might be, or cannot be distinguished by name.
pub(crate) fn ports(containers: &[(&Map, Path)], warnings: &mut Warnings<'_>) {
    if !warnings.since(28) {
        return;
    }
    let mut known: BTreeMap<(i64, &str), Vec<(Place, &Map)>> = BTreeMap::new();
    let mut names: BTreeMap<&str, Place> = BTreeMap::new();
    let mut name_warnings = Vec::new();
    for (container, path) in containers {
        for (index, port) in container.items("ports").enumerate() {
            let path = Place { container: path, index };
            if !port.is_zero("hostIP") && port.is_zero("hostPort") {
                warnings.push(format!("{path}: hostIP set without hostPort: {}", printed(port)));
            }
            let same = known.entry((port.int("containerPort"), port.text("protocol"))).or_default();
            for (other_path, other) in same.iter() {
                if let Some(relation) = relation(port, other) {
                    warnings.push(format!("{path}: {relation} port definition with {other_path}"));
                }
            }
            let name = port.text("name");
            if let Some(other) = names.get(name) {
                name_warnings.push(format!(
                    "{path}: duplicate port name {} with {other}, services and probes that select ports by name will \
                     use {other}",
                    quote(name)
                ));
            } else if !name.is_empty() {
                names.insert(name, path);
            }
            same.push((path, port));
        }
    }
    if warnings.since(33) {
        for warning in name_warnings {
            warnings.push(warning);
        }
    }
}

/// Returns the relation of two ports with the same number and protocol.
fn relation(port: &Map, other: &Map) -> Option<&'static str> {
    let (address, other_address) = (port.text("hostIP"), other.text("hostIP"));
    let (host_port, other_host_port) = (port.int("hostPort"), other.int("hostPort"));
    if address == other_address && host_port == other_host_port {
        Some("duplicate")
    } else if host_port == 0 || other_host_port == 0 {
        Some("overlapping")
    } else if host_port == other_host_port && address.is_empty() != other_address.is_empty() {
        Some("dangerously ambiguous")
    } else {
        None
    }
}

/// Returns the struct as Go prints it.
pub(crate) fn printed(port: &Map) -> String {
    format!(
        "{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}",
        port.text("name"),
        port.int("hostPort"),
        port.int("containerPort"),
        port.text("protocol"),
        port.text("hostIP")
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::{Value, json};

    fn ports(ports: &Value) -> Vec<String> {
        let containers = json!([{"name": "a", "ports": ports}]);
        on_create(
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": containers}}),
        )
    }

    #[test]
    fn ports_that_meet_are_named() {
        let port = |host_port: i32, address: &str| json!({"containerPort": 80, "protocol": "TCP", "hostPort": host_port, "hostIP": address});
        let at = "spec.containers[0].ports";
        assert_eq!(
            ports(&json!([port(0, ""), port(0, "")])),
            [format!("{at}[1]: duplicate port definition with {at}[0]")]
        );
        assert_eq!(
            ports(&json!([port(0, ""), port(90, "")])),
            [format!("{at}[1]: overlapping port definition with {at}[0]")]
        );
        assert_eq!(
            ports(&json!([port(90, "10.0.0.1"), port(90, "")])),
            [format!("{at}[1]: dangerously ambiguous port definition with {at}[0]")]
        );
        assert!(ports(&json!([port(90, "10.0.0.1"), port(90, "10.0.0.2")])).is_empty());
    }

    #[test]
    fn names_and_addresses_are_looked_at() {
        let given = json!([
            {"name": "a", "containerPort": 80, "protocol": "TCP", "hostIP": "10.0.0.1"},
            {"name": "a", "containerPort": 81, "protocol": "TCP"}
        ]);
        let at = "spec.containers[0].ports";
        let printed = "{Name:a HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}";
        assert_eq!(
            ports(&given),
            [
                format!("{at}[0]: hostIP set without hostPort: {printed}"),
                format!(
                    "{at}[1]: duplicate port name \"a\" with {at}[0], services and probes that select ports by name will \
                     use {at}[0]"
                )
            ]
        );
    }
}
