//! Windows containers must not be processes of their node.
//!
//! - since v1.0: `securityContext.windowsOptions.hostProcess: true` of the pod or of a container fails.

use super::findings::{Findings, security_contexts};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "windowsHostProcess",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

const FIELD: &[&str] = &["windowsOptions", "hostProcess"];

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in security_contexts(pod) {
        if context.flag(FIELD) == Some(true) {
            findings.add(context, FIELD);
        }
    }
    findings.into_violation("hostProcess", |found| {
        format!("{} must not set securityContext.windowsOptions.hostProcess=true", found.setters())
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_pod_and_containers() {
        let yes = json!({"windowsOptions": {"hostProcess": true}});
        let spec = json!({"securityContext": yes, "containers": [{"name": "a", "securityContext": yes}, {"name": "b"}]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "hostProcess (pod and container \"a\" must not set securityContext.windowsOptions.hostProcess=true)\n\
             spec.securityContext.windowsOptions.hostProcess\n\
             spec.containers[0].securityContext.windowsOptions.hostProcess"
        );
    }

    #[test]
    fn admits_what_is_false() {
        assert_eq!(
            check_spec(&CHECK, 35, json!({"securityContext": {"windowsOptions": {"hostProcess": false}}})),
            ""
        );
    }
}
