//! Containers must not add capabilities beyond those that container runtimes grant by default.
//!
//! - since v1.0: any name in a container's `securityContext.capabilities.add` that is not in the default set fails.
//!   Names are compared as they are written; `CAP_CHOWN` and `chown` are not `CHOWN`.

use super::findings::{Findings, container_contexts};
use super::{Check, Level, Revision, Violation};
use kube_api::pod_security::BASELINE_CAPABILITIES;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "capabilities_baseline",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    adding_beyond(pod, &BASELINE_CAPABILITIES, "non-default capabilities")
}

/// Returns the violation, with `reason`, of containers that add capabilities which are not `allowed`.
pub(super) fn adding_beyond(
    pod: PodTemplate<'_>,
    allowed: &[&str],
    reason: &'static str,
) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in container_contexts(pod) {
        for (index, capability) in context.texts(&["capabilities", "add"]).enumerate() {
            if !allowed.contains(&capability) {
                findings.add_at(context, context.path(&["capabilities", "add"]).index(index));
                findings.add_value(capability);
            }
        }
    }
    findings.into_violation(reason, |found| {
        format!(
            "{} must not include {} in securityContext.capabilities.add",
            found.containers(),
            found.quoted_values()
        )
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::{BASELINE_CAPABILITIES, CHECK};

    #[test]
    fn rejects_capabilities_beyond_the_default_set() {
        let spec = json!({
            "initContainers": [{"name": "setup", "securityContext": {"capabilities": {"add": ["SYS_ADMIN", "CHOWN"]}}}],
            "containers": [{"name": "web", "securityContext": {"capabilities": {"add": ["NET_RAW", "CAP_KILL"]}}}],
        });
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "non-default capabilities (containers \"setup\", \"web\" must not include \"CAP_KILL\", \"NET_RAW\", \"SYS_ADMIN\" \
             in securityContext.capabilities.add)\n\
             spec.initContainers[0].securityContext.capabilities.add[0]\n\
             spec.containers[0].securityContext.capabilities.add[0]\n\
             spec.containers[0].securityContext.capabilities.add[1]"
        );
    }

    #[test]
    fn admits_the_default_set_and_whatever_is_dropped() {
        let capabilities = json!({"add": BASELINE_CAPABILITIES, "drop": ["NET_RAW"]});
        let spec = json!({"containers": [
            {"name": "web", "securityContext": {"capabilities": capabilities}},
            {"name": "bare"},
        ]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
    }
}
