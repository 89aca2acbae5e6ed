//! Seccomp profiles, which a pod has in annotations and since 1.19 in fields.
//!
//! Source: `pkg/security/podsecuritypolicy/seccomp`.

use crate::plugin::removed::pod_security_policy::provider::Provider;
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{Object, Value};

pub(super) const OF_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const DEFAULT: &str = "seccomp.security.alpha.kubernetes.io/defaultProfileName";
const ALLOWED: &str = "seccomp.security.alpha.kubernetes.io/allowedProfileNames";

/// The first release with fields, and with two equivalent names of one profile.
const FIELDS: Version = Version::minor(19);

/// Returns the profile that a pod gets: its own, that of its field, or that of the policy.
pub(super) fn generated(provider: &Provider, pod: &Object) -> Option<String> {
    let own = pod.annotation(OF_POD).unwrap_or_default();
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
    let annotation = pod.annotation(OF_POD).unwrap_or_default();
    let field = || of_field(provider, pod.at(["spec", "securityContext", "seccompProfile"]));
    let profile = if annotation.is_empty() { field() } else { annotation.to_owned() };
    check(errors, provider, OF_POD, &profile);
}

/// Checks the profile of a container: its own, else that of the pod; fields before annotations.
pub(super) fn check_container(
    errors: &mut Vec<field::Error>,
    provider: &Provider,
    pod: &Object,
    container: &Value,
) {
    let key = format!("{OF_CONTAINER}{}", container.text("name"));
    let fields = |profile: Option<&Value>| {
        profile.filter(|_| provider.release >= FIELDS).map(|profile| of_field(provider, Some(profile)))
    };
    let profile = fields(container.at(["securityContext", "seccompProfile"]))
        .or_else(|| pod.annotation(&key).map(str::to_owned))
        .or_else(|| fields(pod.at(["spec", "securityContext", "seccompProfile"])))
        .or_else(|| pod.annotation(OF_POD).map(str::to_owned));
    check(errors, provider, &key, &profile.unwrap_or_default());
}

fn check(errors: &mut Vec<field::Error>, provider: &Provider, annotation: &str, profile: &str) {
    let path = || Path::new("pod").child("metadata").child("annotations").key(annotation.to_owned());
    let written = provider.policy.annotation(ALLOWED);
    let allowed: Vec<&str> = written.map(|written| written.split(',').collect()).unwrap_or_default();
    if allowed.contains(&"*") {
        return;
    }
    if allowed.is_empty() {
        if !profile.is_empty() {
            errors.push(field::Error::forbidden(&path(), "seccomp may not be set"));
        }
        return;
    }
    let is_default = |profile: &str| ["docker/default", "runtime/default"].contains(&profile);
    let is_allowed = |allowed: &&str| {
        *allowed == profile || provider.release >= FIELDS && is_default(allowed) && is_default(profile)
    };
    if !allowed.iter().any(is_allowed) {
        let written = written.unwrap_or_default();
        let detail = format!("{profile} is not an allowed seccomp profile. Valid values are {written}");
        errors.push(field::Error::forbidden(&path(), detail));
    }
}

/// Returns the profile of a field in the format of an annotation.
fn of_field(provider: &Provider, profile: Option<&Value>) -> String {
    let Some(profile) = profile.filter(|_| provider.release >= FIELDS) else { return String::new() };
    match profile.text("type") {
        "Unconfined" => "unconfined".to_owned(),
        "RuntimeDefault" => "runtime/default".to_owned(),
        "Localhost" => profile
            .at("localhostProfile")
            .and_then(Value::as_str)
            .map_or_else(String::new, |path| format!("localhost/{path}")),
        _ => String::new(),
    }
}
