//! Applies a constraint to a pod: fills in the security contexts, then checks them.
//!
//! Source: `AssignSecurityContext`, `sccmatching/provider.go`.

use std::collections::BTreeSet;

use crate::plugin::openshift::scc::check::{self, CONTAINER_SECCOMP, POD_SECCOMP, annotation_of};
use crate::plugin::openshift::scc::provider::{Provider, RunAsUser};
use crate::plugin::security_context::{effective, names};
use kube_api::field::{self, Path};
use kube_api::{Map, Object, Value};

const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Returns `pod` with the contexts that the constraint sets, or the violations.
pub(super) fn apply(provider: &Provider, pod: &Object) -> Result<Object, Vec<field::Error>> {
    let mut pod = pod.clone();
    let root = Path::named(format!("provider {}: ", provider.name()));
    fill_pod(provider, &mut pod);
    let mut errors = check::pod(provider, &pod, &root.child("spec"));
    for list in LISTS {
        for index in 0..pod.list(["spec", list]).len() {
            if let Some(context) = container_context(provider, &pod, list, index) {
                set_context(&mut pod, list, index, context);
            }
            errors.extend(check::container(provider, &pod, list, index, &root.child(list).index(index)));
        }
    }
    if errors.is_empty() { Ok(pod) } else { Err(errors) }
}

/// Implements `CreatePodSecurityContext`.
fn fill_pod(provider: &Provider, pod: &mut Object) {
    let has = |pod: &Object, field: &str| {
        let path = ["spec", "securityContext", field];
        pod.at(path).is_some_and(|value| !value.is_null()) || pod.was_given_empty(&path)
    };
    let first = |ranges: &Option<Vec<(i64, i64)>>| Some(ranges.as_ref()?.first()?.0);
    if !has(pod, "supplementalGroups")
        && let Some(group) = first(&provider.supplemental_groups)
    {
        pod.set(["spec", "securityContext", "supplementalGroups"], vec![group]);
    }
    if !has(pod, "fsGroup")
        && let Some(group) = first(&provider.fs_group)
    {
        pod.set(["spec", "securityContext", "fsGroup"], group);
    }
    if !has(pod, "seLinuxOptions")
        && let Some(options) = &provider.se_linux
    {
        pod.set(["spec", "securityContext", "seLinuxOptions"], options.clone());
    }
    let annotated = pod.annotation(POD_SECCOMP).unwrap_or_default().to_owned();
    let profile = if !annotated.is_empty() {
        annotated
    } else if let Some(profile) = pod.at(["spec", "securityContext", "seccompProfile"]) {
        annotation_of(profile)
    } else {
        provider.texts("seccompProfiles").find(|profile| *profile != "*").unwrap_or_default().to_owned()
    };
    if !profile.is_empty() {
        pod.set(["metadata", "annotations", POD_SECCOMP], profile.as_str());
        match field_of(&profile) {
            Some(field) => pod.set(["spec", "securityContext", "seccompProfile"], field),
            None => drop(pod.remove(["spec", "securityContext", "seccompProfile"])),
        }
    }
}

/// Returns the field that corresponds to an annotation.
fn field_of(annotation: &str) -> Option<Value> {
    let (kind, path) = match annotation {
        "unconfined" => ("Unconfined", None),
        "runtime/default" | "docker/default" => ("RuntimeDefault", None),
        other => ("Localhost", Some(other.strip_prefix("localhost/").filter(|path| !path.is_empty())?)),
    };
    let mut profile = Map::new();
    profile.insert("type".to_owned(), kind.into());
    profile.extend(path.map(|path| ("localhostProfile", Value::from(path))));
    Some(Value::Object(profile))
}

/// Returns the context of a container with the constraint's additions; nothing if there are none.
///
/// Source: `CreateContainerSecurityContext`.
fn container_context(provider: &Provider, pod: &Object, list: &str, index: usize) -> Option<Map> {
    let container = pod.list(["spec", list]).get(index)?;
    let given = container.child("securityContext").cloned();
    let mut context = given.clone().unwrap_or_default();
    let mut set = |field: &str, value: Value| drop(context.insert(field.to_owned(), value));
    let number = |field| effective(pod, container, field).and_then(Value::as_i64);

    let generated = match provider.run_as_user {
        RunAsUser::Uid(uid) | RunAsUser::Range((uid, _)) => Some(uid),
        RunAsUser::Any | RunAsUser::NonRoot => None,
    };
    let run_as_user = number("runAsUser").or(generated);
    if let (None, Some(uid)) = (number("runAsUser"), generated) {
        set("runAsUser", uid.into());
    }
    if let (None, Some(options)) = (effective(pod, container, "seLinuxOptions"), &provider.se_linux) {
        set("seLinuxOptions", options.clone());
    }
    if effective(pod, container, "runAsNonRoot").is_none() {
        let is_non_root = match run_as_user {
            None => provider.run_as_user == RunAsUser::NonRoot,
            Some(uid) => uid > 0,
        };
        if is_non_root {
            set("runAsNonRoot", true.into());
        }
    }
    let own = |field: &str| container.at(["securityContext", field]).filter(|value| !value.is_null());
    let capabilities = capabilities(provider, own("capabilities"));
    if let Some(capabilities) = &capabilities {
        set("capabilities", capabilities.clone());
    }
    if provider.allows("readOnlyRootFilesystem") && own("readOnlyRootFilesystem").is_none() {
        set("readOnlyRootFilesystem", true.into());
    }
    let annotation = format!("{CONTAINER_SECCOMP}{}", container.text("name"));
    if let Some(profile) = pod.annotation(&annotation) {
        match field_of(profile) {
            Some(field) => set("seccompProfile", field),
            None => drop(context.remove("seccompProfile")),
        }
    }
    let mut set = |field: &str, value: bool| drop(context.insert(field.to_owned(), value.into()));
    let mut escalation = own("allowPrivilegeEscalation").and_then(Value::as_bool);
    let is_privileged = own("privileged").and_then(Value::as_bool) == Some(true);
    let added = capabilities.as_ref().or(own("capabilities"));
    let adds_admin = added.is_some_and(|added| names(added, "add").contains("CAP_SYS_ADMIN"));
    if let (None, Some(default), false) =
        (escalation, provider.flag("defaultAllowPrivilegeEscalation"), is_privileged || adds_admin)
    {
        set("allowPrivilegeEscalation", default);
        escalation = Some(default);
    }
    if let (None, Some(false)) = (escalation, provider.flag("allowPrivilegeEscalation")) {
        set("allowPrivilegeEscalation", false);
    }
    let is_changed = given.map_or(!context.is_empty(), |given| given != context);
    is_changed.then_some(context)
}

/// Returns the capabilities of a container with those that the constraint adds and drops; nothing if that changes
/// nothing.
///
/// Source: `defaultCapabilities.Generate`.
fn capabilities(provider: &Provider, given: Option<&Value>) -> Option<Value> {
    let of = |field| given.map(|given| names(given, field)).unwrap_or_default();
    let (added, dropped) = (of("add"), of("drop"));
    let mut add: BTreeSet<&str> =
        provider.texts("defaultAddCapabilities").filter(|name| !dropped.contains(name)).collect();
    add.extend(&added);
    let mut drop: BTreeSet<&str> = provider.texts("requiredDropCapabilities").collect();
    drop.extend(&dropped);
    if add.len() == added.len() && drop.len() == dropped.len() {
        return None;
    }
    let mut capabilities = Map::new();
    for (field, names) in [("add", add), ("drop", drop)] {
        if !names.is_empty() {
            let names: Vec<Value> = names.into_iter().map(Value::from).collect();
            capabilities.insert(field.to_owned(), names.into());
        }
    }
    Some(Value::Object(capabilities))
}

fn set_context(pod: &mut Object, list: &str, index: usize, context: Map) {
    let containers = pod.at_mut(["spec", list]).and_then(Value::as_array_mut);
    if let Some(Value::Object(container)) = containers.and_then(|containers| containers.get_mut(index)) {
        container.insert("securityContext".to_owned(), Value::Object(context));
    }
}
