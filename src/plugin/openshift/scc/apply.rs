//! Applies a constraint to a pod: fills in the security contexts, then checks them.
//!
//! Source: `AssignSecurityContext`, `sccmatching/provider.go`.

use crate::plugin::openshift::scc::check;
use crate::plugin::openshift::scc::provider::Provider;
use crate::plugin::security_context::{
    self, CONTAINER_SECCOMP, POD_SECCOMP, Range, RunAsUser, effective, generated_capabilities, names,
    seccomp_annotation,
};
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
    let first = |ranges: &Option<Vec<Range>>| Some(ranges.as_ref()?.first()?.0);
    let groups = [first(&provider.supplemental_groups), first(&provider.fs_group)];
    security_context::fill_pod(pod, groups, provider.se_linux.as_ref());
    let annotated = pod.annotation(POD_SECCOMP).unwrap_or_default().to_owned();
    let profile = if !annotated.is_empty() {
        annotated
    } else if let Some(profile) = pod.at(["spec", "securityContext", "seccompProfile"]) {
        seccomp_annotation(profile)
    } else {
        provider
            .rules()
            .texts("seccompProfiles")
            .find(|profile| *profile != "*")
            .unwrap_or_default()
            .to_owned()
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

    let rules = provider.rules();
    let generated = provider.run_as_user.generated();
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
    let own = |field: &str| container.at(["securityContext", field]);
    let capabilities = generated_capabilities(rules, own("capabilities"));
    if let Some(capabilities) = &capabilities {
        set("capabilities", capabilities.clone());
    }
    if rules.allows("readOnlyRootFilesystem") && own("readOnlyRootFilesystem").is_none() {
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
        (escalation, rules.flag("defaultAllowPrivilegeEscalation"), is_privileged || adds_admin)
    {
        set("allowPrivilegeEscalation", default);
        escalation = Some(default);
    }
    if let (None, Some(false)) = (escalation, rules.flag("allowPrivilegeEscalation")) {
        set("allowPrivilegeEscalation", false);
    }
    let is_changed = given.map_or(!context.is_empty(), |given| given != context);
    is_changed.then_some(context)
}

fn set_context(pod: &mut Object, list: &str, index: usize, context: Map) {
    let containers = pod.at_mut(["spec", list]).and_then(Value::as_array_mut);
    if let Some(Value::Object(container)) = containers.and_then(|containers| containers.get_mut(index)) {
        container.insert("securityContext".to_owned(), Value::Object(context));
    }
}
