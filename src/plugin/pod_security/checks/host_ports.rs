//! Containers must not open ports of their node.
//!
//! - since v1.0: any container port with a `hostPort` other than 0 fails. With `hostNetwork: true` API defaulting
//!   has set it to the container's port. Ports are listed in the order of their digits.

use super::findings::{Findings, below, plural};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "hostPorts",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for container in pod.containers() {
        for (index, port) in container.list("ports").iter().enumerate() {
            let host_port = port.int("hostPort");
            if host_port != 0 {
                let path = below(container.path(), &["ports"]).index(index).child("hostPort");
                findings.add_container(container, path);
                findings.add_value(host_port.to_string());
            }
        }
    }
    findings.into_violation("hostPort", |found| {
        let ports: Vec<&str> = found.values().iter().map(AsRef::as_ref).collect();
        format!(
            "{} {} {} {}",
            found.containers(),
            plural("uses", "use", found.container_names().count()),
            plural("hostPort", "hostPorts", ports.len()),
            ports.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_host_ports() {
        let spec = json!({"containers": [
            {"name": "a", "ports": [{"containerPort": 1, "hostPort": 443}, {"containerPort": 2, "hostPort": 10250}]},
            {"name": "b", "ports": [{"containerPort": 3}]},
        ]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "hostPort (container \"a\" uses hostPorts 10250, 443)\n\
             spec.containers[0].ports[0].hostPort\nspec.containers[0].ports[1].hostPort"
        );
        let port = json!([{"containerPort": 1, "hostPort": 80}]);
        let spec = json!({"initContainers": [{"name": "a", "ports": port}], "containers": [{"name": "b", "ports": port}]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "hostPort (containers \"a\", \"b\" use hostPort 80)\n\
             spec.initContainers[0].ports[0].hostPort\nspec.containers[0].ports[0].hostPort"
        );
    }

    #[test]
    fn admits_zero() {
        let spec = json!({"containers": [{"name": "a", "ports": [{"containerPort": 1, "hostPort": 0}]}]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
    }
}
