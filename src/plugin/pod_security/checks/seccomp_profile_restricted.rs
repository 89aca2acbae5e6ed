//! Containers must have a seccomp profile.
//!
//! - since v1.19 (the release that has the field): `seccompProfile.type` of the pod or of a container other than
//!   `RuntimeDefault` and `Localhost` fails; without any, a container without a profile fails in a pod without one.
//!   Replaces the check of the baseline level.
//! - since v1.25: pods with `spec.os.name: windows` pass; API validation forbids them the field.

use super::findings::{Findings, of_pod, security_contexts};
use super::seccomp_profile_baseline::{DEFAULT, explicit_violation, forbidden_type};
use super::{Check, Level, Revision, Violation, is_windows, seccomp_profile_baseline};
use crate::admission::{Change, Remedy};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_restricted",
    level: Level::Restricted,
    revisions: &[Revision::since(19, every_pod), Revision::since(25, every_pod_but_windows)],
    overrides: Some(seccomp_profile_baseline::CHECK.id),
};

const FIELD: &[&str] = &["seccompProfile", "type"];

fn every_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut explicit = Findings::default();
    let mut implicit = Findings::default();
    let mut pod_has_profile = false;
    for context in security_contexts(pod) {
        match context.at("seccompProfile").map(forbidden_type) {
            Some(Some(forbidden)) => {
                explicit.add(context, FIELD);
                explicit.add_value(forbidden);
            }
            Some(None) if context.is_of_pod() => pod_has_profile = true,
            None if !context.is_of_pod() && !pod_has_profile => implicit.add(context, FIELD),
            _ => {}
        }
    }
    if let Some(explicit) = explicit_violation(explicit) {
        return Some(explicit);
    }
    let implicit = implicit.into_violation("seccompProfile", |found| {
        format!(
            "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
            found.containers()
        )
    });
    Some(Violation { remedies: vec![Remedy::of(Change::set(of_pod(pod, FIELD), DEFAULT))], ..implicit? })
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
    fn rejects_containers_without_a_profile() {
        let spec = json!({"containers": [
            {"name": "a"},
            {"name": "b", "securityContext": {"seccompProfile": {"type": "Localhost"}}},
            {"name": "c"},
        ]});
        assert_eq!(
            check_spec(&CHECK, 19, spec.clone()),
            "seccompProfile (pod or containers \"a\", \"c\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")\n\
             spec.containers[0].securityContext.seccompProfile.type\n\
             spec.containers[2].securityContext.seccompProfile.type"
        );
        assert_eq!(check_spec(&CHECK, 18, spec), "");
    }

    #[test]
    fn rejects_other_profiles_before_missing_ones() {
        let spec = json!({"containers": [
            {"name": "a"},
            {"name": "b", "securityContext": {"seccompProfile": {"type": "Unconfined"}}},
        ]});
        assert_eq!(
            check_spec(&CHECK, 35, spec),
            "seccompProfile (container \"b\" must not set securityContext.seccompProfile.type to \"Unconfined\")\n\
             spec.containers[1].securityContext.seccompProfile.type"
        );
    }

    #[test]
    fn admits_the_pods_profile_and_windows_since_1_25() {
        let spec = json!({"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}, "containers": [{"name": "a"}]});
        assert_eq!(check_spec(&CHECK, 35, spec), "");
        let spec = json!({"os": {"name": "windows"}, "containers": [{"name": "a"}]});
        assert_eq!(check_spec(&CHECK, 25, spec.clone()), "");
        assert_ne!(check_spec(&CHECK, 24, spec), "");
    }
}
