//! A process must not gain more privileges than its parent: every container sets `allowPrivilegeEscalation: false`.
//!
//! - since v1.8 (the release that has the field): any container where
//!   `securityContext.allowPrivilegeEscalation` is not set, or true, fails.
//! - since v1.25: pods with `spec.os.name: windows` pass; API validation forbids them the field.

use super::findings::{Findings, container_contexts};
use super::{Check, Level, Revision, Violation, is_windows};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "allowPrivilegeEscalation",
    level: Level::Restricted,
    revisions: &[Revision::since(8, every_pod), Revision::since(25, every_pod_but_windows)],
    overrides: None,
};

const FIELD: &[&str] = &["allowPrivilegeEscalation"];

fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in container_contexts(pod) {
        if context.flag(FIELD) != Some(false) {
            findings.add(context, FIELD);
        }
    }
    let violation = findings.into_violation("allowPrivilegeEscalation != false", |found| {
        format!("{} must set securityContext.allowPrivilegeEscalation=false", found.containers())
    });
    Some(violation?.setting(false))
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
    fn rejects_what_is_unset_or_true() {
        let spec = json!({
            "initContainers": [{"name": "setup"}],
            "containers": [
                {"name": "web", "securityContext": {"allowPrivilegeEscalation": true}},
                {"name": "good", "securityContext": {"allowPrivilegeEscalation": false}},
            ],
        });
        assert_eq!(
            check_spec(&CHECK, 35, spec.clone()),
            "allowPrivilegeEscalation != false (containers \"setup\", \"web\" must set securityContext.allowPrivilegeEscalation=false)\n\
             spec.initContainers[0].securityContext.allowPrivilegeEscalation\n\
             spec.containers[0].securityContext.allowPrivilegeEscalation"
        );
        assert_eq!(check_spec(&CHECK, 7, spec), "");
    }

    #[test]
    fn admits_windows_since_1_25() {
        let spec = json!({"os": {"name": "windows"}, "containers": [{"name": "web"}]});
        assert_eq!(check_spec(&CHECK, 25, spec.clone()), "");
        assert_eq!(
            check_spec(&CHECK, 24, spec),
            "allowPrivilegeEscalation != false (container \"web\" must set securityContext.allowPrivilegeEscalation=false)\n\
             spec.containers[0].securityContext.allowPrivilegeEscalation"
        );
    }
}
