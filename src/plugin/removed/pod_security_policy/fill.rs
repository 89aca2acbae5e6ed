//! Fills in a policy's defaults.
//!
//! Source: `MutatePod`, `mutateContainer` of `pkg/security/podsecuritypolicy/provider.go`.

use std::collections::BTreeSet;

use crate::plugin::removed::pod_security_policy::provider::{LISTS, Provider, Users};
use crate::plugin::removed::pod_security_policy::seccomp;
use crate::plugin::security_context::{effective, names};
use kube_api::{Map, Object, Value};

pub(super) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const APP_ARMOR_DEFAULT: &str = "apparmor.security.beta.kubernetes.io/defaultProfileName";

/// Returns `pod` with the policy's defaults.
pub(super) fn pod(provider: &Provider, pod: &Object) -> Object {
    let mut pod = pod.clone();
    let has = |pod: &Object, field: &str| {
        let fields = ["spec", "securityContext", field];
        pod.at(fields).is_some() || pod.was_given_empty(&fields)
    };
    if !has(&pod, "supplementalGroups")
        && let Some(group) = provider.supplemental_groups.generated()
    {
        pod.set(["spec", "securityContext", "supplementalGroups"], vec![group]);
    }
    if !has(&pod, "fsGroup")
        && let Some(group) = provider.fs_groups.generated()
    {
        pod.set(["spec", "securityContext", "fsGroup"], group);
    }
    if !has(&pod, "seLinuxOptions")
        && let Some(options) = &provider.se_linux
    {
        pod.set(["spec", "securityContext", "seLinuxOptions"], options.clone());
    }
    if let Some(profile) = seccomp::generated(provider, &pod)
        && pod.annotation(seccomp::OF_POD) != Some(&profile)
    {
        pod.set(["metadata", "annotations", seccomp::OF_POD], profile);
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
    let mut user = effective(pod, container, "runAsUser").cloned();
    if let (None, Users::Ranges(ranges)) = (&user, &provider.users)
        && let Some((min, _)) = ranges.first()
    {
        user = Some(Value::from(*min));
        set.push(("runAsUser", Value::from(*min)));
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
    if provider.users == Users::NonRoot
        && user.is_none()
        && effective(pod, container, "runAsNonRoot").is_none()
    {
        set.push(("runAsNonRoot", Value::Bool(true)));
    }
    if let Some(capabilities) = capabilities(provider, own("capabilities")) {
        set.push(("capabilities", capabilities));
    }
    if provider.allows("readOnlyRootFilesystem") && own("readOnlyRootFilesystem").is_none() {
        set.push(("readOnlyRootFilesystem", Value::Bool(true)));
    }
    if own("allowPrivilegeEscalation").is_none() {
        let forbidden = (!provider.allows("allowPrivilegeEscalation")).then_some(false);
        if let Some(allowed) = provider.flag("defaultAllowPrivilegeEscalation").or(forbidden) {
            set.push(("allowPrivilegeEscalation", Value::Bool(allowed)));
        }
    }
    set
}

/// Returns the capabilities with those that the policy adds and drops; nothing if there is no change.
fn capabilities(provider: &Provider, given: Option<&Value>) -> Option<Value> {
    let own = |field: &str| given.map(|given| names(given, field)).unwrap_or_default();
    let (added, dropped) = (own("add"), own("drop"));
    let mut all_added: BTreeSet<&str> = provider.texts("defaultAddCapabilities").collect();
    all_added.retain(|name| !dropped.contains(name));
    all_added.extend(&added);
    let mut all_dropped: BTreeSet<&str> = provider.texts("requiredDropCapabilities").collect();
    all_dropped.extend(&dropped);
    if all_added.len() == added.len() && all_dropped.len() == dropped.len() {
        return None;
    }
    let mut capabilities = Map::new();
    for (field, names) in [("add", all_added), ("drop", all_dropped)] {
        if !names.is_empty() {
            capabilities.insert(field, names.into_iter().collect());
        }
    }
    Some(Value::Object(capabilities))
}
