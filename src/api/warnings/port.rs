//! Ports that containers of a Pod have in common.
//!
//! Source: `k8s.io/kubernetes/pkg/api/pod`.

use std::collections::BTreeMap;

use crate::api::Map;
use crate::api::field::{Path, go_quote};
use crate::api::tree::{is_zero, items, number, text};

/// Warns about ports that are there twice, might be, or cannot be told apart by name.
pub(super) fn ports(containers: &[(&Map, Path)], warnings: &mut Vec<String>) {
    let mut known: BTreeMap<(i64, &str), Vec<(Path, &Map)>> = BTreeMap::new();
    let mut names: BTreeMap<&str, Path> = BTreeMap::new();
    let mut name_warnings = Vec::new();
    for (container, path) in containers {
        for (index, port) in items(container, "ports").enumerate() {
            let path = path.child("ports").index(index);
            if !is_zero(port, "hostIP") && is_zero(port, "hostPort") {
                warnings.push(format!("{path}: hostIP set without hostPort: {}", printed(port)));
            }
            let same = known.entry((number(port, "containerPort"), text(port, "protocol"))).or_default();
            for (other_path, other) in same.iter() {
                if let Some(relation) = relation(port, other) {
                    warnings.push(format!("{path}: {relation} port definition with {other_path}"));
                }
            }
            let name = text(port, "name");
            if let Some(other) = names.get(name) {
                name_warnings.push(format!(
                    "{path}: duplicate port name {} with {other}, services and probes that select ports by name will \
                     use {other}",
                    go_quote(name)
                ));
            } else if !name.is_empty() {
                names.insert(name, path.clone());
            }
            same.push((path, port));
        }
    }
    warnings.append(&mut name_warnings);
}

/// What two ports of the same number and protocol are to each other.
fn relation(port: &Map, other: &Map) -> Option<&'static str> {
    let (address, other_address) = (text(port, "hostIP"), text(other, "hostIP"));
    let (host_port, other_host_port) = (number(port, "hostPort"), number(other, "hostPort"));
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

/// As Go prints the struct.
fn printed(port: &Map) -> String {
    format!(
        "{{Name:{} HostPort:{} ContainerPort:{} Protocol:{} HostIP:{}}}",
        text(port, "name"),
        number(port, "hostPort"),
        number(port, "containerPort"),
        text(port, "protocol"),
        text(port, "hostIP")
    )
}
