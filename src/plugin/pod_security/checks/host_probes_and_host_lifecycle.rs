//! Probes and lifecycle hooks must not make the kubelet send requests to another host than the pod.
//!
//! - since v1.34: a `host` that is not empty in `httpGet` or `tcpSocket` of a container's `livenessProbe`,
//!   `readinessProbe`, `startupProbe`, `lifecycle.postStart` or `lifecycle.preStop` fails.

use std::collections::BTreeSet;

use super::findings::{Findings, below, named_containers, plural};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "hostProbesAndHostLifecycle",
    level: Level::Baseline,
    revisions: &[Revision::since(34, check_pod)],
    overrides: None,
};

/// The handlers that the kubelet runs for a container.
const HANDLERS: [&[&str]; 5] = [
    &["livenessProbe"],
    &["readinessProbe"],
    &["startupProbe"],
    &["lifecycle", "postStart"],
    &["lifecycle", "preStop"],
];

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for container in pod.containers() {
        for place in HANDLERS {
            let Some(handler) = container.at(place) else { continue };
            for action in ["httpGet", "tcpSocket"] {
                let host = handler.get(action).and_then(|action| action.get("host")?.as_str());
                if let Some(host) = host.filter(|host| !host.is_empty()) {
                    let path = below(below(container.path(), place), &[action, "host"]);
                    findings.add_container(container, path);
                    findings.add_value(host);
                }
            }
        }
    }
    findings.into_violation("probe or lifecycle host", |found| {
        let containers: BTreeSet<&str> = found.container_names().collect();
        let containers: Vec<&str> = containers.into_iter().collect();
        format!(
            "{} {} {} {}",
            named_containers(&containers),
            plural("uses", "use", containers.len()),
            plural("probe or lifecycle host", "probe or lifecycle hosts", found.values().len()),
            found.quoted_values()
        )
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_hosts_and_sorts_the_containers() {
        let spec = json!({"containers": [
            {"name": "web", "livenessProbe": {"httpGet": {"host": "localhost", "port": 80}}},
            {
                "name": "api",
                "lifecycle": {"preStop": {"httpGet": {"host": "10.0.0.1", "port": 80}}},
                "readinessProbe": {"tcpSocket": {"host": "localhost", "port": 80}},
            },
        ]});
        assert_eq!(
            check_spec(&CHECK, 34, spec.clone()),
            "probe or lifecycle host (containers \"api\", \"web\" use probe or lifecycle hosts \"10.0.0.1\", \"localhost\")\n\
             spec.containers[0].livenessProbe.httpGet.host\n\
             spec.containers[1].readinessProbe.tcpSocket.host\n\
             spec.containers[1].lifecycle.preStop.httpGet.host"
        );
        assert_eq!(check_spec(&CHECK, 33, spec), "");
    }

    #[test]
    fn rejects_one_host() {
        let spec =
            json!({"containers": [{"name": "a", "startupProbe": {"tcpSocket": {"host": "b", "port": 1}}}]});
        assert_eq!(
            check_spec(&CHECK, 35, spec),
            "probe or lifecycle host (container \"a\" uses probe or lifecycle host \"b\")\n\
             spec.containers[0].startupProbe.tcpSocket.host"
        );
    }

    #[test]
    fn admits_probes_of_the_pod_itself() {
        let spec = json!({"containers": [{
            "name": "a",
            "livenessProbe": {"httpGet": {"host": "", "port": 1}},
            "lifecycle": {"postStart": {"exec": {"command": ["true"]}}},
        }]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
    }
}
