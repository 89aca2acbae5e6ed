//! Seccomp profiles, which a pod has in annotations and since 1.19 in fields.
//!
//! Source: `pkg/security/podsecuritypolicy/seccomp`.

use crate::plugin::removed::pod_security_policy::provider::Provider;
use crate::plugin::security_context::{CONTAINER_SECCOMP, POD_SECCOMP, check_seccomp, seccomp_annotation};
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{Object, Value};

const DEFAULT: &str = "seccomp.security.alpha.kubernetes.io/defaultProfileName";
const ALLOWED: &str = "seccomp.security.alpha.kubernetes.io/allowedProfileNames";

/// The first release with fields, and with two equivalent names of one profile.
const FIELDS: Version = Version::minor(19);

/// Returns the profile that a pod gets: its own, that of its field, or that of the policy.
pub(super) fn generated(provider: &Provider, pod: &Object) -> Option<String> {
    let own = pod.annotation(POD_SECCOMP).unwrap_or_default();
    let field = pod.at(["spec", "securityContext", "seccompProfile"]);
    let profile = match field.filter(|_| provider.release >= FIELDS) {
        _ if !own.is_empty() => own.to_owned(),
        // A field without an equivalent counts as well.
        Some(field) => of_field(provider, Some(field)),
        None => provider.policy.annotation(DEFAULT).unwrap_or_default().to_owned(),
    };
    Some(profile).filter(|profile| !profile.is_empty())
}

/// Checks the profile of the pod.
pub(super) fn check_pod(errors: &mut Vec<field::Error>, provider: &Provider, pod: &Object) {
    let annotation = pod.annotation(POD_SECCOMP).unwrap_or_default();
    let field = || of_field(provider, pod.at(["spec", "securityContext", "seccompProfile"]));
    let profile = if annotation.is_empty() { field() } else { annotation.to_owned() };
    check(errors, provider, POD_SECCOMP, &profile);
}

/// Checks the profile of a container: its own, else that of the pod; fields before annotations.
pub(super) fn check_container(
    errors: &mut Vec<field::Error>,
    provider: &Provider,
    pod: &Object,
    container: &Value,
) {
    let key = format!("{CONTAINER_SECCOMP}{}", container.text("name"));
    let fields = |profile: Option<&Value>| {
        profile.filter(|_| provider.release >= FIELDS).map(|profile| of_field(provider, Some(profile)))
    };
    let profile = fields(container.at(["securityContext", "seccompProfile"]))
        .or_else(|| pod.annotation(&key).map(str::to_owned))
        .or_else(|| fields(pod.at(["spec", "securityContext", "seccompProfile"])))
        .or_else(|| pod.annotation(POD_SECCOMP).map(str::to_owned));
    check(errors, provider, &key, &profile.unwrap_or_default());
}

fn check(errors: &mut Vec<field::Error>, provider: &Provider, annotation: &str, profile: &str) {
    let path = || Path::new("pod").child("metadata").child("annotations").key(annotation.to_owned());
    let written = provider.policy.annotation(ALLOWED);
    let allowed: Vec<&str> = written.map(|written| written.split(',').collect()).unwrap_or_default();
    let printed = written.unwrap_or_default();
    check_seccomp(errors, path, profile, (&allowed, printed), provider.release >= FIELDS);
}

/// Returns the profile of a field in the format of an annotation.
fn of_field(provider: &Provider, profile: Option<&Value>) -> String {
    profile.filter(|_| provider.release >= FIELDS).map(seccomp_annotation).unwrap_or_default()
}
