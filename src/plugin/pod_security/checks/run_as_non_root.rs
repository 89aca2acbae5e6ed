//! Containers must not run as root.
//!
//! - since v1.0: `securityContext.runAsNonRoot: false` of the pod or of a container fails; without any, a container
//!   that does not set it fails in a pod that does not set it to true.
//! - since v1.35: pods in a user namespace (`spec.hostUsers: false`) pass (KEP-127). In v1.29 to v1.34 a feature gate
//!   that was never on by default did that in every policy version.

use super::findings::{Findings, of_pod, security_contexts};
use super::{Check, Level, Revision, Violation, has_own_users};
use crate::admission::{Change, Remedy};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "runAsNonRoot",
    level: Level::Restricted,
    revisions: &[Revision::since(0, every_pod), Revision::since(35, every_pod_of_the_host_users)],
    overrides: None,
};

const FIELD: &[&str] = &["runAsNonRoot"];

fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut explicit = Findings::default();
    let mut implicit = Findings::default();
    let mut pod_is_non_root = false;
    for context in security_contexts(pod) {
        match context.flag(FIELD) {
            Some(false) => explicit.add(context, FIELD),
            Some(true) if context.is_of_pod() => pod_is_non_root = true,
            None if !context.is_of_pod() && !pod_is_non_root => implicit.add(context, FIELD),
            _ => {}
        }
    }
    let reason = "runAsNonRoot != true";
    let explicit = explicit.into_violation(reason, |found| {
        format!("{} must not set securityContext.runAsNonRoot=false", found.setters())
    });
    if let Some(explicit) = explicit {
        return Some(explicit.setting(true));
    }
    let implicit = implicit.into_violation(reason, |found| {
        format!("pod or {} must set securityContext.runAsNonRoot=true", found.containers())
    });
    Some(Violation { remedies: vec![Remedy::of(Change::set(of_pod(pod, FIELD), true))], ..implicit? })
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
    fn rejects_what_says_no() {
        let no = json!({"runAsNonRoot": false});
        let spec = json!({"securityContext": no, "containers": [
            {"name": "a", "securityContext": no}, {"name": "b"}, {"name": "c", "securityContext": no},
        ]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "runAsNonRoot != true (pod and containers \"a\", \"c\" must not set securityContext.runAsNonRoot=false)\n\
             spec.securityContext.runAsNonRoot\n\
             spec.containers[0].securityContext.runAsNonRoot\n\
             spec.containers[2].securityContext.runAsNonRoot"
        );
        assert_eq!(
            check_spec(&CHECK, 0, json!({"securityContext": no, "containers": []})),
            "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)\n\
             spec.securityContext.runAsNonRoot"
        );
    }

    #[test]
    fn rejects_what_says_nothing() {
        let spec =
            json!({"containers": [{"name": "a", "securityContext": {"runAsNonRoot": true}}, {"name": "b"}]});
        assert_eq!(
            check_spec(&CHECK, 35, spec),
            "runAsNonRoot != true (pod or container \"b\" must set securityContext.runAsNonRoot=true)\n\
             spec.containers[1].securityContext.runAsNonRoot"
        );
    }

    #[test]
    fn admits_non_root_pods_and_since_1_35_user_namespaces() {
        let yes = json!({"runAsNonRoot": true});
        assert_eq!(check_spec(&CHECK, 0, json!({"securityContext": yes, "containers": [{"name": "a"}]})), "");
        assert_eq!(check_spec(&CHECK, 0, json!({"containers": [{"name": "a", "securityContext": yes}]})), "");
        let spec = json!({"hostUsers": false, "containers": [{"name": "a"}]});
        assert_eq!(check_spec(&CHECK, 35, spec.clone()), "");
        assert_ne!(check_spec(&CHECK, 34, spec), "");
    }
}
