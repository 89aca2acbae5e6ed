//! Containers must not see the parts of `/proc` that runtimes mask.
//!
//! - since v1.0: a container whose `securityContext.procMount` is set to anything but `Default` fails.
//! - since v1.35: pods in a user namespace (`spec.hostUsers: false`) pass, because root in there is unprivileged on the
//!   node (KEP-127).

use super::findings::{Findings, container_contexts};
use super::{Check, Level, Revision, Violation, has_own_users};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "procMount",
    level: Level::Baseline,
    revisions: &[Revision::since(0, every_pod), Revision::since(35, every_pod_of_the_host_users)],
    overrides: None,
};

pub(super) fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in container_contexts(pod) {
        if let Some(proc_mount) = context.text("procMount").filter(|proc_mount| *proc_mount != "Default") {
            findings.add(context, &["procMount"]);
            findings.add_value(proc_mount);
        }
    }
    findings.into_violation("procMount", |found| {
        format!("{} must not set securityContext.procMount to {}", found.containers(), found.quoted_values())
    })
}

fn every_pod_of_the_host_users(pod: PodTemplate<'_>) -> Option<Violation> {
    if has_own_users(pod) { None } else { every_pod(pod) }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    const MESSAGE: &str = "procMount (containers \"a\", \"b\" must not set securityContext.procMount to \"Odd\", \"Unmasked\")\n\
                           spec.containers[0].securityContext.procMount\n\
                           spec.containers[1].securityContext.procMount";

    #[test]
    fn rejects_unmasked_except_in_a_user_namespace_since_1_35() {
        let containers = json!([
            {"name": "a", "securityContext": {"procMount": "Unmasked"}},
            {"name": "b", "securityContext": {"procMount": "Odd"}},
        ]);
        let own_users = json!({"hostUsers": false, "containers": containers});
        assert_eq!(check_spec(&CHECK, 34, own_users.clone()), MESSAGE);
        assert_eq!(check_spec(&CHECK, 35, own_users), "");
        assert_eq!(check_spec(&CHECK, 35, json!({"hostUsers": true, "containers": containers})), MESSAGE);
        assert_eq!(check_spec(&CHECK, 35, json!({"containers": containers})), MESSAGE);
    }

    #[test]
    fn admits_the_default() {
        let spec = json!({"containers": [{"name": "a", "securityContext": {"procMount": "Default"}}, {"name": "b"}]});
        assert_eq!(check_spec(&CHECK, 0, spec), "");
    }
}
