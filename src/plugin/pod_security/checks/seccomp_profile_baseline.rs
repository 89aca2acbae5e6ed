//! The seccomp profile must not be disabled.
//!
//! - since v1.0: an annotation `seccomp.security.alpha.kubernetes.io/pod` or
//!   `container.seccomp.security.alpha.kubernetes.io/<container>` that is neither `runtime/default` nor
//!   `docker/default` nor `localhost/…` fails.
//! - since v1.19 (the release that has the field): `seccompProfile.type` of the pod or of a container other than
//!   `RuntimeDefault` and `Localhost` fails; annotations no longer have an effect.

use std::collections::BTreeSet;

use super::findings::{Findings, plural, security_contexts};
use super::{Check, Level, Revision, Violation};
use gotext::quote;
use kube_api::Value;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "seccompProfile_baseline",
    level: Level::Baseline,
    revisions: &[Revision::since(0, annotations), Revision::since(19, fields)],
    overrides: None,
};

/// The profile that every runtime has.
pub(super) const DEFAULT: &str = "RuntimeDefault";

const POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const CONTAINER_ANNOTATION_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";

fn annotations(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    let mut forbidden = BTreeSet::new();
    let annotations = pod.value.child(["metadata", "annotations"])?;
    for (key, value) in annotations {
        let is_read = key == POD_ANNOTATION
            || key
                .strip_prefix(CONTAINER_ANNOTATION_PREFIX)
                .is_some_and(|name| pod.containers().any(|container| container.name() == name));
        let value = value.as_str().unwrap_or_default();
        if is_read && !is_allowed_annotation(value) {
            forbidden.insert(format!("{key}={}", quote(value)));
            findings.add_field(pod.metadata_path().child("annotations").key(key.as_str()));
        }
    }
    findings.into_violation("seccompProfile", |_| {
        let texts: Vec<&str> = forbidden.iter().map(String::as_str).collect();
        format!("forbidden {} {}", plural("annotation", "annotations", texts.len()), texts.join(", "))
    })
}

fn is_allowed_annotation(value: &str) -> bool {
    matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/")
}

fn fields(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in security_contexts(pod) {
        let Some(profile) = context.at("seccompProfile") else { continue };
        if let Some(forbidden) = forbidden_type(profile) {
            findings.add(context, &["seccompProfile", "type"]);
            findings.add_value(forbidden);
        }
    }
    explicit_violation(findings)
}

/// Returns the type of `profile` if it may not be set.
pub(super) fn forbidden_type(profile: &Value) -> Option<&str> {
    let profile_type = profile.text("type");
    (!matches!(profile_type, "RuntimeDefault" | "Localhost")).then_some(profile_type)
}

/// Returns the violation about forbidden types.
pub(super) fn explicit_violation(findings: Findings<'_>) -> Option<Violation> {
    let violation = findings.into_violation("seccompProfile", |found| {
        format!(
            "{} must not set securityContext.seccompProfile.type to {}",
            found.setters(),
            found.quoted_values()
        )
    });
    Some(violation?.setting(DEFAULT))
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::{check, check_spec};
    use super::CHECK;

    #[test]
    fn rejects_annotations_until_1_18() {
        let pod = json!({
            "metadata": {"annotations": {
                "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
                "container.seccomp.security.alpha.kubernetes.io/a": "",
                "container.seccomp.security.alpha.kubernetes.io/b": "localhost/strict",
                "container.seccomp.security.alpha.kubernetes.io/nobody": "unconfined",
            }},
            "spec": {"containers": [{"name": "a"}, {"name": "b"}]},
        });
        assert_eq!(
            check(&CHECK, 18, pod.clone()),
            "seccompProfile (forbidden annotations container.seccomp.security.alpha.kubernetes.io/a=\"\", \
             seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")\n\
             metadata.annotations[container.seccomp.security.alpha.kubernetes.io/a]\n\
             metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]"
        );
        assert_eq!(check(&CHECK, 19, pod), "");
        let annotations = json!({"seccomp.security.alpha.kubernetes.io/pod": "unconfined"});
        assert_eq!(
            check(&CHECK, 0, json!({"metadata": {"annotations": annotations}, "spec": {}})),
            "seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")\n\
             metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]"
        );
    }

    #[test]
    fn rejects_fields_since_1_19() {
        let unconfined = json!({"seccompProfile": {"type": "Unconfined"}});
        let spec = json!({
            "securityContext": unconfined,
            "containers": [{"name": "a", "securityContext": unconfined}, {"name": "b", "securityContext": unconfined}],
        });
        assert_eq!(
            check_spec(&CHECK, 19, spec.clone()),
            "seccompProfile (pod and containers \"a\", \"b\" must not set securityContext.seccompProfile.type to \"Unconfined\")\n\
             spec.securityContext.seccompProfile.type\n\
             spec.containers[0].securityContext.seccompProfile.type\n\
             spec.containers[1].securityContext.seccompProfile.type"
        );
        assert_eq!(check_spec(&CHECK, 18, spec), "");
    }

    #[test]
    fn admits_default_local_and_no_profiles() {
        let annotations = json!({"seccomp.security.alpha.kubernetes.io/pod": "docker/default"});
        assert_eq!(check(&CHECK, 0, json!({"metadata": {"annotations": annotations}, "spec": {}})), "");
        let spec = json!({
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [{"name": "a", "securityContext": {"seccompProfile": {"type": "Localhost"}}}, {"name": "b"}],
        });
        assert_eq!(check_spec(&CHECK, 35, spec), "");
    }
}
