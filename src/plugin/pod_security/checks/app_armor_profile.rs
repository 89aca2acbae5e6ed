//! The `AppArmor` profile of the container runtime must not be disabled.
//!
//! - since v1.0: `appArmorProfile.type` of the pod or a container other than `RuntimeDefault` and `Localhost`
//!   fails, and so does an annotation `container.apparmor.security.beta.kubernetes.io/<container>` that is neither
//!   empty nor `runtime/default` nor `localhost/…`.

use std::collections::BTreeSet;

use super::findings::{Findings, plural, quoted, security_contexts};
use super::{Check, Level, Revision, Violation};
use crate::admission::Change;
use gotext::quote;
use kube_api::field::Segment;
use kube_api::pairs;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "appArmorProfile",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

const DEFAULT_ANNOTATION: &str = "runtime/default";
const ANNOTATION_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    for context in security_contexts(pod) {
        let Some(profile) = context.at("appArmorProfile") else { continue };
        let profile_type = profile.get("type").and_then(|value| value.as_str()).unwrap_or_default();
        if !matches!(profile_type, "RuntimeDefault" | "Localhost") {
            findings.add(context, &["appArmorProfile", "type"]);
            findings.add_value(profile_type);
        }
    }
    let mut annotations = BTreeSet::new();
    for (key, value) in pairs(pod.value.at(["metadata", "annotations"])) {
        if key.starts_with(ANNOTATION_PREFIX) && !is_allowed_annotation(value) {
            annotations.insert(format!("{key}={}", quote(value)));
            findings.add_field(pod.metadata_path().child("annotations").key(key));
        }
    }
    let count = findings.values().len() + annotations.len();
    let reason = plural("forbidden AppArmor profile", "forbidden AppArmor profiles", count);
    let violation = findings.into_violation(reason, |found| {
        let mut setters = vec![found.setters()];
        if !annotations.is_empty() {
            setters.push(plural("annotation", "annotations", annotations.len()).to_owned());
        }
        setters.retain(|setter| !setter.is_empty());
        let values = found.values().iter().map(AsRef::as_ref).chain(annotations.iter().map(String::as_str));
        format!("{} must not set AppArmor profile type to {}", setters.join(" and "), quoted(values))
    });
    Some(violation?.changing(|field| {
        let is_annotation = matches!(field.segments().last(), Some(Segment::Key(_)));
        let default = if is_annotation { DEFAULT_ANNOTATION } else { "RuntimeDefault" };
        Some(Change::set(field.clone(), default))
    }))
}

fn is_allowed_annotation(value: &str) -> bool {
    value.is_empty() || value == DEFAULT_ANNOTATION || value.starts_with("localhost/")
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::{check, check_spec};
    use super::CHECK;

    #[test]
    fn rejects_other_profiles_of_pod_containers_and_annotations() {
        let unconfined = json!({"appArmorProfile": {"type": "Unconfined"}});
        let pod = json!({
            "metadata": {"annotations": {
                "container.apparmor.security.beta.kubernetes.io/a": "unconfined",
                "container.apparmor.security.beta.kubernetes.io/b": "runtime/default",
            }},
            "spec": {
                "securityContext": unconfined,
                "containers": [{"name": "a", "securityContext": unconfined}, {"name": "b"}],
            },
        });
        assert_eq!(
            check(&CHECK, 35, pod),
            "forbidden AppArmor profiles (pod and container \"a\" and annotation must not set AppArmor profile type to \
             \"Unconfined\", \"container.apparmor.security.beta.kubernetes.io/a=\"unconfined\"\")\n\
             spec.securityContext.appArmorProfile.type\n\
             spec.containers[0].securityContext.appArmorProfile.type\n\
             metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]"
        );
        assert_eq!(
            check_spec(&CHECK, 0, json!({"securityContext": unconfined})),
            "forbidden AppArmor profile (pod must not set AppArmor profile type to \"Unconfined\")\n\
             spec.securityContext.appArmorProfile.type"
        );
    }

    #[test]
    fn admits_the_default_and_local_profiles() {
        let pod = json!({
            "metadata": {"annotations": {
                "container.apparmor.security.beta.kubernetes.io/a": "localhost/strict",
                "container.apparmor.security.beta.kubernetes.io/b": "",
                "example.com/other": "unconfined",
            }},
            "spec": {
                "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}},
                "containers": [
                    {"name": "a", "securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x"}}},
                ],
            },
        });
        assert_eq!(check(&CHECK, 35, pod), "");
    }
}
