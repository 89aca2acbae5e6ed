//! Fills in a policy's defaults.
//!
//! Source: `MutatePod`, `mutateContainer` of `pkg/security/podsecuritypolicy/provider.go`.

use crate::plugin::removed::pod_security_policy::provider::{LISTS, Provider};
use crate::plugin::removed::pod_security_policy::seccomp;
use crate::plugin::security_context::{POD_SECCOMP, RunAsUser, effective, fill_pod, generated_capabilities};
use kube_api::{Object, Value};

pub(super) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const APP_ARMOR_DEFAULT: &str = "apparmor.security.beta.kubernetes.io/defaultProfileName";

/// Returns `pod` with the policy's defaults.
pub(super) fn pod(provider: &Provider, pod: &Object) -> Object {
    let mut pod = pod.clone();
    let groups = [provider.supplemental_groups.generated(), provider.fs_groups.generated()];
    fill_pod(&mut pod, groups, provider.se_linux.as_ref());
    if let Some(profile) = seccomp::generated(provider, &pod)
        && pod.annotation(POD_SECCOMP) != Some(&profile)
    {
        pod.set(["metadata", "annotations", POD_SECCOMP], profile);
    }
    if pod.at(["spec", "runtimeClassName"]).is_none()
        && let Some(class) = provider.policy.at(["spec", "runtimeClass", "defaultRuntimeClassName"])
    {
        pod.set(["spec", "runtimeClassName"], class.clone());
    }
    for list in LISTS {
        for index in 0..pod.list(["spec", list]).len() {
            container(provider, &mut pod, list, index);
        }
    }
    pod
}

fn container(provider: &Provider, pod: &mut Object, list: &'static str, index: usize) {
    let Some(given) = pod.list(["spec", list]).get(index).cloned() else { return };
    let key = format!("{APP_ARMOR}{}", given.text("name"));
    if pod.annotation(&key).unwrap_or_default().is_empty()
        && let Some(profile) =
            provider.policy.annotation(APP_ARMOR_DEFAULT).filter(|profile| !profile.is_empty())
    {
        let profile = profile.to_owned();
        pod.set(["metadata", "annotations", &key], profile);
    }
    let context = context(provider, pod, &given);
    if context.is_empty() {
        return;
    }
    if let Some(container) = pod.at_mut(["spec", list]).and_then(|list| list.get_mut(index)) {
        for (field, value) in context {
            container["securityContext"][field] = value;
        }
    }
}

/// Returns the completed security context of a container.
fn context(provider: &Provider, pod: &Object, container: &Value) -> Vec<(&'static str, Value)> {
    let mut set = Vec::new();
    let own = |field: &str| container.at(["securityContext", field]);
    let rules = provider.rules();
    let has_user = effective(pod, container, "runAsUser").is_some();
    if !has_user && let Some(user) = provider.users.generated() {
        set.push(("runAsUser", Value::from(user)));
    }
    if effective(pod, container, "runAsGroup").is_none()
        && let Some(group) = provider.run_as_groups.generated()
    {
        set.push(("runAsGroup", Value::from(group)));
    }
    if effective(pod, container, "seLinuxOptions").is_none()
        && let Some(options) = &provider.se_linux
    {
        set.push(("seLinuxOptions", options.clone()));
    }
    if provider.users == RunAsUser::NonRoot
        && !has_user
        && effective(pod, container, "runAsNonRoot").is_none()
    {
        set.push(("runAsNonRoot", Value::Bool(true)));
    }
    if let Some(capabilities) = generated_capabilities(rules, own("capabilities")) {
        set.push(("capabilities", capabilities));
    }
    if rules.allows("readOnlyRootFilesystem") && own("readOnlyRootFilesystem").is_none() {
        set.push(("readOnlyRootFilesystem", Value::Bool(true)));
    }
    if own("allowPrivilegeEscalation").is_none() {
        let forbidden = (!rules.allows("allowPrivilegeEscalation")).then_some(false);
        if let Some(allowed) = rules.flag("defaultAllowPrivilegeEscalation").or(forbidden) {
            set.push(("allowPrivilegeEscalation", Value::Bool(allowed)));
        }
    }
    set
}
