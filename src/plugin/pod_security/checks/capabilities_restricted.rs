//! Containers must drop every capability, and may add back only the one that opens ports below 1024.
//!
//! - since v1.22: a container whose `securityContext.capabilities.drop` lacks `ALL`, or whose `add` names anything but
//!   `NET_BIND_SERVICE`, fails. Replaces the check of the baseline level.
//! - since v1.25: pods with `spec.os.name: windows` pass; API validation forbids them the field.

use super::capabilities_baseline::adding_beyond;
use super::findings::{Findings, container_contexts};
use super::{Check, Level, Revision, Violation, capabilities_baseline, is_windows};
use crate::admission::Change;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "capabilities_restricted",
    level: Level::Restricted,
    revisions: &[Revision::since(22, every_pod), Revision::since(25, every_pod_but_windows)],
    overrides: Some(capabilities_baseline::CHECK.id),
};

const DROP: &[&str] = &["capabilities", "drop"];

fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut keeping = Findings::default();
    for context in container_contexts(pod) {
        if !context.texts(DROP).any(|capability| capability == "ALL") {
            keeping.add(context, DROP);
        }
    }
    let reason = "unrestricted capabilities";
    let keeping = keeping.into_violation(reason, |found| {
        format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", found.containers())
    });
    let keeping = keeping.map(|keeping| keeping.changing(|field| Some(Change::append(field.clone(), "ALL"))));
    let adding = adding_beyond(pod, &["NET_BIND_SERVICE"], reason);
    match (keeping, adding) {
        (Some(mut both), Some(adding)) => {
            both.detail = format!("{}; {}", both.detail, adding.detail);
            both.fields.extend(adding.fields);
            both.remedies.extend(adding.remedies);
            Some(both)
        }
        (keeping, adding) => keeping.or(adding),
    }
}

fn every_pod_but_windows(pod: PodTemplate<'_>) -> Option<Violation> {
    if is_windows(pod) { None } else { every_pod(pod) }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_what_is_kept_and_what_is_added() {
        let spec = json!({"containers": [
            {"name": "bare"},
            {"name": "adds", "securityContext": {"capabilities": {"add": ["CHOWN", "NET_BIND_SERVICE"], "drop": ["ALL"]}}},
            {"name": "keeps", "securityContext": {"capabilities": {"drop": ["KILL"]}}},
        ]});
        assert_eq!(
            check_spec(&CHECK, 22, spec.clone()),
            "unrestricted capabilities (containers \"bare\", \"keeps\" must set securityContext.capabilities.drop=[\"ALL\"]; \
             container \"adds\" must not include \"CHOWN\" in securityContext.capabilities.add)\n\
             spec.containers[0].securityContext.capabilities.drop\n\
             spec.containers[2].securityContext.capabilities.drop\n\
             spec.containers[1].securityContext.capabilities.add[0]"
        );
        assert_eq!(check_spec(&CHECK, 21, spec), "");
    }

    #[test]
    fn rejects_one_of_both() {
        let adds = json!({"add": ["SYS_TIME"], "drop": ["ALL"]});
        assert_eq!(
            check_spec(
                &CHECK,
                35,
                json!({"containers": [{"name": "a", "securityContext": {"capabilities": adds}}]})
            ),
            "unrestricted capabilities (container \"a\" must not include \"SYS_TIME\" in securityContext.capabilities.add)\n\
             spec.containers[0].securityContext.capabilities.add[0]"
        );
    }

    #[test]
    fn admits_one_port_capability_and_windows() {
        let capabilities = json!({"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]});
        let spec = json!({"containers": [{"name": "a", "securityContext": {"capabilities": capabilities}}]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
        let spec = json!({"os": {"name": "windows"}, "containers": [{"name": "a"}]});
        assert_eq!(check_spec(&CHECK, 25, spec.clone()), "");
        assert_ne!(check_spec(&CHECK, 24, spec), "");
    }
}
