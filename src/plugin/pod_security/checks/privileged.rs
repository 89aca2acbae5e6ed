//! Containers must not be privileged: that disables nearly everything that isolates them from their node.
//!
//! - since v1.0: a container with `securityContext.privileged: true` fails.

use super::findings::{Findings, container_contexts};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "privileged",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in container_contexts(pod) {
        if context.flag("privileged") == Some(true) {
            findings.add(context, &["privileged"]);
        }
    }
    findings.into_violation("privileged", |found| {
        format!("{} must not set securityContext.privileged=true", found.containers())
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_init_main_and_ephemeral_containers_in_this_order() {
        let privileged = json!({"privileged": true});
        let spec = json!({
            "containers": [{"name": "web", "securityContext": privileged}],
            "ephemeralContainers": [{"name": "debug", "securityContext": privileged}],
            "initContainers": [{"name": "setup", "securityContext": privileged}],
        });
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "privileged (containers \"setup\", \"web\", \"debug\" must not set securityContext.privileged=true)\n\
             spec.initContainers[0].securityContext.privileged\n\
             spec.containers[0].securityContext.privileged\n\
             spec.ephemeralContainers[0].securityContext.privileged"
        );
    }

    #[test]
    fn admits_what_is_false_or_unset() {
        let spec = json!({"containers": [
            {"name": "a", "securityContext": {"privileged": false}},
            {"name": "b", "securityContext": null},
        ]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
    }
}
