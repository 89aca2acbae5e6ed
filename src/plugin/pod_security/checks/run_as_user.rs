//! Containers must not request the user ID of root.
//!
//! - since v1.23: `securityContext.runAsUser: 0` of the pod or of a container fails.
//! - since v1.35: pods in a user namespace (`spec.hostUsers: false`) pass (KEP-127). In v1.29 to v1.34 a feature gate
//!   that was never on by default did that in every policy version.

use super::findings::{Findings, security_contexts};
use super::{Check, Level, Revision, Violation, has_own_users};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "runAsUser",
    level: Level::Restricted,
    revisions: &[Revision::since(23, every_pod), Revision::since(35, every_pod_of_the_host_users)],
    overrides: None,
};

fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in security_contexts(pod) {
        if context.at("runAsUser").is_some_and(|user| *user == 0) {
            findings.add(context, &["runAsUser"]);
        }
    }
    findings.into_violation("runAsUser=0", |found| format!("{} must not set runAsUser=0", found.setters()))
}

fn every_pod_of_the_host_users(pod: PodTemplate<'_>) -> Option<Violation> {
    if has_own_users(pod) { None } else { every_pod(pod) }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_root() {
        let root = json!({"runAsUser": 0});
        let spec = json!({"securityContext": root, "containers": [{"name": "a", "securityContext": root}, {"name": "b"}]});
        assert_eq!(
            check_spec(&CHECK, 23, spec.clone()),
            "runAsUser=0 (pod and container \"a\" must not set runAsUser=0)\n\
             spec.securityContext.runAsUser\n\
             spec.containers[0].securityContext.runAsUser"
        );
        assert_eq!(check_spec(&CHECK, 22, spec), "");
    }

    #[test]
    fn admits_others_and_since_1_35_user_namespaces() {
        let spec = json!({"securityContext": {"runAsUser": 1000}, "containers": [{"name": "a"}]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
        let spec = json!({"hostUsers": false, "securityContext": {"runAsUser": 0}});
        assert_eq!(check_spec(&CHECK, 35, spec.clone()), "");
        assert_ne!(check_spec(&CHECK, 34, spec), "");
    }
}
