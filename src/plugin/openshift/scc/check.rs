//! Checks a pod with completed contexts against a constraint.
//!
//! Source: `ValidatePodSecurityContext`, `ValidateContainerSecurityContext`.

use crate::plugin::openshift::scc::provider::Provider;
use crate::plugin::openshift::scc::volume;
use crate::plugin::security_context::{
    self, CONTAINER_SECCOMP, Capabilities, POD_SECCOMP, Range, check_capabilities, check_seccomp, effective,
    is_within, se_linux, seccomp_annotation,
};
use kube_api::field::{self, Path, Segment};
use kube_api::{Object, Value};

type Errors = Vec<field::Error>;

/// Sysctls that do not affect other pods on the node.
const SAFE_SYSCTLS: [&str; 12] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    // These depend on the kernel of the API server, which is assumed to be recent.
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
];

/// Host namespaces: the field that allows one, the field of the pod, and the message.
const HOST_NAMESPACES: [(&str, &str, &str); 3] = [
    ("allowHostNetwork", "hostNetwork", "Host network is not allowed to be used"),
    ("allowHostPID", "hostPID", "Host PID is not allowed to be used"),
    ("allowHostIPC", "hostIPC", "Host IPC is not allowed to be used"),
];

/// Returns the errors in the pod besides its containers.
pub(super) fn pod(provider: &Provider, pod: &Object, spec: &Path) -> Errors {
    let mut errors = Errors::new();
    let path = spec.child("securityContext");
    let context = |field: &str| pod.at(["spec", "securityContext", field]);
    let fs_groups: Vec<i64> = context("fsGroup").and_then(Value::as_i64).into_iter().collect();
    groups(&mut errors, &path.child("fsGroup"), provider.fs_group.as_deref(), &fs_groups, false);
    let listed = context("supplementalGroups").and_then(Value::as_array);
    let supplemental: Vec<i64> = listed.into_iter().flatten().filter_map(Value::as_i64).collect();
    let is_nil = context("supplementalGroups").is_none()
        && !pod.was_given_empty(&["spec", "securityContext", "supplementalGroups"]);
    let allowed = provider.supplemental_groups.as_deref();
    groups(&mut errors, &path.child("supplementalGroups"), allowed, &supplemental, is_nil);
    let annotated = pod.annotation(POD_SECCOMP).filter(|profile| !profile.is_empty());
    let profile = annotated
        .map(str::to_owned)
        .or_else(|| context("seccompProfile").map(seccomp_annotation))
        .unwrap_or_default();
    seccomp(&mut errors, provider, POD_SECCOMP, &profile);
    se_linux(
        &mut errors,
        provider.se_linux.as_ref(),
        &path.child("seLinuxOptions"),
        context("seLinuxOptions"),
    );
    for (allowance, field, detail) in HOST_NAMESPACES {
        host_namespace(&mut errors, provider, pod, (allowance, field, detail), spec);
    }
    let host_users = pod.at(["spec", "hostUsers"]).and_then(Value::as_bool);
    if provider.text("userNamespaceLevel") == "RequirePodLevel" && host_users != Some(false) {
        let value = host_users.map_or(Value::Null, Value::Bool);
        let detail = "Host Users must be set to false";
        errors.push(field::Error::invalid(&spec.child("hostUsers"), &value, detail));
    }
    sysctls(&mut errors, provider, pod);
    volumes(&mut errors, provider, pod, &spec.child("volumes"));
    errors
}

fn host_namespace(
    errors: &mut Errors,
    provider: &Provider,
    pod: &Object,
    (allowance, field, detail): (&str, &'static str, &str),
    path: &Path,
) {
    if !provider.rules().allows(allowance) && pod.at(["spec", field]) == Some(&Value::Bool(true)) {
        errors.push(field::Error::invalid(&path.child(field), &Value::Bool(true), detail));
    }
}

fn groups(errors: &mut Errors, path: &Path, allowed: Option<&[Range]>, groups: &[i64], is_nil: bool) {
    let Some(allowed) = allowed else { return };
    let value = if is_nil { Value::Null } else { Value::from(groups.to_vec()) };
    if groups.is_empty() && !allowed.is_empty() {
        let detail = "unable to validate empty groups against required ranges";
        errors.push(field::Error::invalid(path, &value, detail));
    }
    for group in groups {
        if !is_within(allowed, *group) {
            errors.push(field::Error::invalid(path, &value, format!("{group} is not an allowed group")));
        }
    }
}

fn seccomp(errors: &mut Errors, provider: &Provider, annotation: &str, profile: &str) {
    let path = || Path::new("metadata.annotations").key(annotation);
    let allowed: Vec<&str> = provider.rules().texts("seccompProfiles").collect();
    check_seccomp(errors, path, profile, (&allowed, &format!("[{}]", allowed.join(" "))), true);
}

fn sysctls(errors: &mut Errors, provider: &Provider, pod: &Object) {
    let texts = |list| provider.rules().texts(list).collect::<Vec<_>>();
    let (forbidden, allowed) = (texts("forbiddenSysctls"), texts("allowedUnsafeSysctls"));
    let path = Path::new("spec.securityContext.sysctls");
    let is_safe = |name: &str| SAFE_SYSCTLS.contains(&name);
    security_context::sysctls(errors, pod, &path, [&forbidden, &allowed], is_safe);
}

fn volumes(errors: &mut Errors, provider: &Provider, pod: &Object, path: &Path) {
    let allowed: Vec<&str> = provider.rules().texts("volumes").collect();
    let volumes = || pod.list(["spec", "volumes"]).iter().enumerate();
    let allows_all = allowed.contains(&"*");
    for (index, volume) in volumes().filter(|_| !allows_all) {
        let Some(name) = volume::type_of(volume) else { continue };
        if !volume::is_allowed(volume, name, &allowed) {
            let detail = format!("{name} volumes are not allowed to be used");
            errors.push(field::Error::invalid_text(&path.index(index), name, detail));
        }
    }
    let drivers: Vec<&str> = provider.flex_drivers().collect();
    if drivers.is_empty() || !(allows_all || allowed.contains(&"flexVolume")) {
        return;
    }
    for (index, volume) in volumes() {
        let Some(flex) = volume.at("flexVolume").filter(|flex| !flex.is_null()) else { continue };
        let driver = flex.text("driver");
        if !drivers.contains(&driver) {
            let path = path.index(index).child("flexVolume").child("driver");
            errors.push(field::Error::invalid_text(
                &path,
                driver,
                "Flexvolume driver is not allowed to be used",
            ));
        }
    }
}

/// Returns the errors in the container `index` of `list`.
pub(super) fn container(provider: &Provider, pod: &Object, list: &str, index: usize, path: &Path) -> Errors {
    let (mut errors, rules) = (Errors::new(), provider.rules());
    let Some(container) = pod.list(["spec", list]).get(index) else { return errors };
    let own = |field: &str| container.at(["securityContext", field]);
    let flag = |field: &str| own(field).and_then(Value::as_bool);
    errors.extend(provider.run_as_user.check(pod, container, path, printed));
    let options = effective(pod, container, "seLinuxOptions");
    se_linux(&mut errors, provider.se_linux.as_ref(), &path.child("seLinuxOptions"), options);
    let annotation = format!("{CONTAINER_SECCOMP}{}", container.text("name"));
    let profile = own("seccompProfile")
        .map(seccomp_annotation)
        .or_else(|| pod.annotation(&annotation).map(str::to_owned))
        .or_else(|| pod.at(["spec", "securityContext", "seccompProfile"]).map(seccomp_annotation))
        .or_else(|| pod.annotation(POD_SECCOMP).map(str::to_owned))
        .unwrap_or_default();
    seccomp(&mut errors, provider, &annotation, &profile);
    if !rules.allows("allowPrivilegedContainer") && flag("privileged") == Some(true) {
        let detail = "Privileged containers are not allowed";
        errors.push(field::Error::invalid(&path.child("privileged"), &Value::Bool(true), detail));
    }
    let capabilities = path.child("capabilities");
    check_capabilities(&mut errors, rules, own("capabilities"), &capabilities, invalid_capabilities);
    host_namespace(&mut errors, provider, pod, HOST_NAMESPACES[0], path);
    if !rules.allows("allowHostPorts") {
        host_ports(&mut errors, pod, path);
    }
    host_namespace(&mut errors, provider, pod, HOST_NAMESPACES[1], path);
    host_namespace(&mut errors, provider, pod, HOST_NAMESPACES[2], path);
    if rules.allows("readOnlyRootFilesystem") && flag("readOnlyRootFilesystem") == Some(false) {
        let detail = "ReadOnlyRootFilesystem must be set to true";
        errors.push(field::Error::invalid(
            &path.child("readOnlyRootFilesystem"),
            &Value::Bool(false),
            detail,
        ));
    }
    if rules.flag("allowPrivilegeEscalation") == Some(false)
        && flag("allowPrivilegeEscalation") != Some(false)
    {
        let value = flag("allowPrivilegeEscalation").map_or(Value::Null, Value::Bool);
        let detail = "Allowing privilege escalation for containers is not allowed";
        errors.push(field::Error::invalid(&path.child("allowPrivilegeEscalation"), &value, detail));
    }
    errors
}

/// Returns the error about capabilities.
fn invalid_capabilities(path: &Path, capabilities: Capabilities<'_>, detail: String) -> field::Error {
    let value = match capabilities {
        Capabilities::None | Capabilities::Dropped(None) => &Value::Null,
        Capabilities::Dropped(Some(list)) => list,
    };
    field::Error::invalid(path, value, detail)
}

fn printed(ranges: &[Range]) -> String {
    let ranges: Vec<String> = ranges.iter().map(|(min, max)| format!("[{min}, {max}]")).collect();
    ranges.join(" ")
}

/// Checks the ports of every container, independent of the one being checked.
fn host_ports(errors: &mut Errors, pod: &Object, path: &Path) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for (index, container) in pod.list(["spec", list]).iter().enumerate() {
            let ports = container.list("ports").iter();
            for port in ports.filter_map(|port| port.at("hostPort")?.as_i64()).filter(|port| *port > 0) {
                let path = path.child(list).index(index).child("hostPort");
                let detail = "Host ports are not allowed to be used";
                errors.push(field::Error::invalid(&path, &Value::from(port), detail));
            }
        }
    }
}

/// Returns the field of the pod that `error` is about, whose path begins with the name of the constraint.
pub(super) fn place(error: &field::Error) -> Option<Path> {
    let path = error.path.as_ref()?;
    let segments = path.segments();
    let Some(Segment::Field(root)) = segments.first() else { return None };
    if !root.starts_with("provider ") {
        return Some(path.clone());
    }
    let spec = Path::new("spec");
    match &segments[1..] {
        [Segment::Field(name), rest @ ..] if name == "spec" => Some(spec.extended(rest.iter().copied())),
        [Segment::Field(list), Segment::Index(index), rest @ ..] => {
            let container = spec.child(list.clone()).index(*index);
            let rest_of = |path: Path| path.extended(rest.iter().copied());
            Some(match rest {
                [Segment::Field(name)] if name.starts_with("host") => rest_of(spec),
                [Segment::Field(list), Segment::Index(index), ..] => {
                    spec.child(list.clone()).index(*index).child("ports")
                }
                _ => rest_of(container.child("securityContext")),
            })
        }
        _ => None,
    }
}
