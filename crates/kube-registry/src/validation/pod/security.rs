//! Security contexts of pods and containers, and what an operating system allows in them.
//!
//! Source: `ValidateSecurityContext`, `validatePodSpecSecurityContext`, `validateWindows`.

use std::collections::BTreeSet;

use crate::validation::node::{Errors, Node};
use crate::validation::pod::path::validate_local_descending_path;
use crate::validation::pod::{Options, Pod, containers_of};
use gotext::names;
use kube_api::Value;
use kube_api::field::{Error, Path, Rule};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

const WINDOWS: &str = "cannot be set for a windows pod";

/// Implements `ValidateSecurityContext` of a container.
pub(crate) fn validate_security_context(
    errors: &mut Errors,
    context: &Node,
    host_users: bool,
    profile: &ServerProfile,
) {
    if context.flag("privileged") && !profile.allows_privileged() {
        errors.forbidden(&context.at("privileged"), "disallowed by cluster policy");
    }
    validate_id(errors, context, "runAsUser");
    validate_id(errors, context, "runAsGroup");
    errors.optional_one_of(context, "procMount", &["Default", "Unmasked"]);
    if host_users && context.text("procMount") == "Unmasked" {
        errors.invalid(&context.at("procMount"), "Unmasked", "`hostUsers` must be false to use `Unmasked`");
    }
    validate_seccomp_profile(errors, context);
    if context.truth("allowPrivilegeEscalation") == Some(false) {
        if context.flag("privileged") {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errors.invalid_typed(&context.here(), "internal.SecurityContext", context.value(), detail);
        }
        for capability in context.child("capabilities").texts("add") {
            if capability == "CAP_SYS_ADMIN" {
                let detail =
                    "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
                errors.invalid_typed(&context.here(), "internal.SecurityContext", context.value(), detail);
            }
        }
    }
    validate_windows_options(errors, context);
    validate_app_armor_profile(errors, context);
}

/// Validates a user or group behind a pointer.
fn validate_id(errors: &mut Errors, context: &Node, field: &'static str) {
    if let Some(id) = context.number(field) {
        for message in names::is_valid_user_id(id) {
            errors.invalid_int(&context.at(field), id, message);
        }
    }
}

/// Implements `validateSeccompProfileField`.
fn validate_seccomp_profile(errors: &mut Errors, context: &Node) {
    let Some(profile) = context.get("seccompProfile") else { return };
    match profile.text("type") {
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => errors.required(&profile.at("type"), "type is required when seccompProfile is set"),
        other => {
            errors.not_supported(&profile.at("type"), other, &["Localhost", "RuntimeDefault", "Unconfined"]);
        }
    }
    match (profile.text("type"), profile.given("localhostProfile")) {
        ("Localhost", None) => {
            errors.required(&profile.at("localhostProfile"), "must be set when seccomp type is Localhost");
        }
        ("Localhost", Some(path)) => {
            validate_local_descending_path(errors, path, || profile.at("localhostProfile"));
        }
        (_, Some(_)) => {
            let detail = "can only be set when seccomp type is Localhost";
            let path = profile.at("localhostProfile");
            errors.invalid_typed(&path, "internal.SeccompProfile", profile.value(), detail);
        }
        (_, None) => {}
    }
}

/// Implements `ValidateAppArmorProfileField`.
fn validate_app_armor_profile(errors: &mut Errors, context: &Node) {
    let Some(profile) = context.get("appArmorProfile") else { return };
    let path = || profile.at("localhostProfile");
    match (profile.text("type"), profile.given("localhostProfile")) {
        ("Localhost", None) => errors.required(&path(), "must be set when AppArmor type is Localhost"),
        ("Localhost", Some(name)) => {
            if name.trim() != name {
                errors.invalid(&path(), name, "must not be padded with whitespace");
            } else if name.is_empty() {
                errors.required(&path(), "must be set when AppArmor type is Localhost");
            }
            if name.len() > 4095 && errors.since(32) {
                errors.too_long(&path(), 4095);
            } else if name.len() > 4095 {
                let mut error = Error::too_long(&path(), 4095);
                "may not be longer than 4095".clone_into(&mut error.detail);
                errors.push(error);
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(name)) => {
            errors.invalid(&path(), name, "can only be set when AppArmor type is Localhost");
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => errors.required(&profile.at("type"), "type is required when appArmorProfile is set"),
        (other, _) => {
            errors.not_supported(&profile.at("type"), other, &["Localhost", "RuntimeDefault", "Unconfined"]);
        }
    }
}

/// Implements `validatePodSpecSecurityContext`.
pub(crate) fn validate_pod_security_context(errors: &mut Errors, pod: &Pod, options: &Options) {
    let Some(context) = pod.spec.get("securityContext") else { return };
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        validate_id(errors, &context, field);
    }
    for (index, group) in context.list("supplementalGroups").iter().enumerate() {
        let group = group.as_i64().unwrap_or_default();
        for message in names::is_valid_user_id(group) {
            errors.invalid_int(&context.at("supplementalGroups").index(index), group, message);
        }
    }
    if pod.spec.flag("shareProcessNamespace") && pod.spec.flag("hostPID") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid_value(&context.at("shareProcessNamespace"), &Value::Bool(true), detail);
    }
    validate_sysctls(errors, pod, &context, options);
    errors.optional_one_of(&context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"]);
    validate_seccomp_profile(errors, &context);
    validate_windows_options(errors, &context);
    validate_app_armor_profile(errors, &context);
    errors.optional_one_of(&context, "supplementalGroupsPolicy", &["Merge", "Strict"]);
    let policies: &[&str] =
        if options.se_linux_mount { &["MountOption", "Recursive"] } else { &["Recursive"] };
    errors.optional_one_of(&context, "seLinuxChangePolicy", policies);
}

/// The first release that refuses the sysctls of a namespace shared with the host.
pub(crate) const HOST_SYSCTLS: Version = Version::minor(29);

/// The first release that accepts slashes in the names of sysctls.
const SYSCTLS_WITH_SLASHES: Version = Version::minor(25);

/// Implements `validateSysctls`.
fn validate_sysctls(errors: &mut Errors, pod: &Pod, context: &Node, options: &Options) {
    let slashes = options.profile.release() >= SYSCTLS_WITH_SLASHES;
    let mut seen = BTreeSet::new();
    for sysctl in context.items("sysctls") {
        let name = sysctl.text("name");
        if name.is_empty() {
            errors.required(&sysctl.at("name"), "");
        } else if !is_valid_sysctl_name(name) || !slashes && name.contains('/') {
            let detail = if slashes {
                "must have at most 253 characters and match regex \
                 ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
            } else {
                "must have at most 253 characters and match regex \
                 ([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
            };
            errors.invalid(&sysctl.at("name"), name, detail);
        } else if seen.contains(name) {
            errors.duplicate(&sysctl.at("name"), name);
        }
        if !options.namespaced_sysctls
            && let Some(host) = host_sysctl(name, &pod.spec)
        {
            errors.invalid(&sysctl.at("name"), name, format!("may not be specified when '{host}' is true"));
        }
        seen.insert(name);
    }
}

/// Implements `IsValidSysctlName`.
fn is_valid_sysctl_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 253
        && name.split(['.', '/']).all(|segment| {
            let bytes = segment.as_bytes();
            bytes.first().is_some_and(|byte| inner(*byte))
                && bytes.last().is_some_and(|byte| inner(*byte))
                && bytes.iter().all(|byte| inner(*byte) || b"-_".contains(byte))
        })
}

/// Implements `ValidateHostSysctl`: the field that makes the pod share the namespace of `sysctl` with the host.
pub(crate) fn host_sysctl(sysctl: &str, spec: &Node) -> Option<&'static str> {
    const IPC: [&str; 8] = [
        "kernel.sem",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
        "kernel.shm_rmid_forced",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
    ];
    // Names with slashes before the first dot swap the two, as `NormalizeName` does.
    let name = match sysctl.find(['.', '/']) {
        Some(first) if sysctl.as_bytes()[first] == b'/' => sysctl
            .chars()
            .map(|c| {
                if c == '/' {
                    '.'
                } else if c == '.' {
                    '/'
                } else {
                    c
                }
            })
            .collect(),
        _ => sysctl.to_owned(),
    };
    if spec.flag("hostNetwork") && name.starts_with("net.") {
        Some("hostNetwork")
    } else if spec.flag("hostIPC") && (IPC.contains(&name.as_str()) || name.starts_with("fs.mqueue.")) {
        Some("hostIPC")
    } else {
        None
    }
}

/// Implements `validateWindowsSecurityContextOptions`.
fn validate_windows_options(errors: &mut Errors, context: &Node) {
    let Some(options) = context.get("windowsOptions") else { return };
    if let Some(name) = options.given("gmsaCredentialSpecName") {
        errors.each_of(&options, "gmsaCredentialSpecName", names::is_dns1123_subdomain(name));
    }
    if let Some(spec) = options.given("gmsaCredentialSpec") {
        if spec.is_empty() {
            let detail = "gmsaCredentialSpec cannot be an empty string";
            errors.invalid(&options.at("gmsaCredentialSpec"), spec, detail);
        } else if spec.len() > 64 * 1024 {
            let detail = "gmsaCredentialSpec size must be under 64 KiB";
            errors.invalid(&options.at("gmsaCredentialSpec"), spec, detail);
        }
    }
    if let Some(name) = options.given("runAsUserName") {
        let messages = windows_user_messages(name).into_iter().map(str::to_owned).collect();
        errors.each_of(&options, "runAsUserName", messages);
    }
}

fn windows_user_messages(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if name.chars().any(|character| character.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    let (domain, user) = match name.split('\\').collect::<Vec<_>>().as_slice() {
        [user] => (None, *user),
        [domain, user] => (Some(*domain), *user),
        _ => return vec!["runAsUserName cannot contain more than one backslash"],
    };
    let mut messages = Vec::new();
    if let Some(domain) = domain {
        if domain.len() >= 256 {
            messages.push("runAsUserName's Domain length must be under 256 characters");
        }
        if !is_net_bios_name(domain) && !is_windows_dns_name(domain) {
            messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        messages.push("runAsUserName's User cannot be empty");
    } else if user.len() > 104 {
        messages.push("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|character| ". ".contains(character)) {
        messages.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        messages.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
    messages
}

fn is_net_bios_name(domain: &str) -> bool {
    let forbidden = |character: char| "\\/:*?\"<>|".contains(character);
    let length = domain.chars().count();
    (1..=15).contains(&length) && !domain.starts_with('.') && !domain.contains(forbidden)
}

fn is_windows_dns_name(domain: &str) -> bool {
    domain.split('.').all(|label| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes[0].is_ascii_alphanumeric()
            && bytes[bytes.len() - 1].is_ascii_alphanumeric()
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// Implements `validateWindowsHostProcessPod`.
pub(crate) fn validate_windows_host_process_pod(errors: &mut Errors, pod: &Pod) {
    let of_pod = pod.spec.child("securityContext").child("windowsOptions").truth("hostProcess");
    let (mut containers, mut host_process) = (0, 0);
    for container in containers_of(&pod.spec) {
        containers += 1;
        let of_container = container
            .raw("securityContext")
            .get("windowsOptions")
            .and_then(|options| options.get("hostProcess"))
            .and_then(Value::as_bool);
        if let (Some(pod_value), Some(value)) = (of_pod, of_container)
            && pod_value != value
        {
            let detail =
                format!("pod hostProcess value must be identical if both are specified, was {pod_value}");
            let path = container.below(&["securityContext", "windowsOptions", "hostProcess"]);
            errors.invalid_value(&path, &Value::Bool(value), detail);
        }
        host_process += usize::from(of_container.or(of_pod).unwrap_or_default());
    }
    if host_process == 0 {
        return;
    }
    if host_process != containers {
        let detail =
            "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid(&pod.spec.here(), "", detail);
    }
    if !pod.spec.flag("hostNetwork") {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid_value(&pod.spec.at("hostNetwork"), &Value::Bool(false), detail);
    }
}

/// Implements `validateOS`, and the fields that the operating system forbids.
pub(crate) fn validate_os(errors: &mut Errors, pod: &Pod) {
    let Some(os) = pod.spec.get("os") else { return };
    match os.text("name") {
        "" => errors.by(Rule::NameOfOperatingSystem, |errors| errors.required(&os.at("name"), "")),
        "linux" => validate_linux(errors, pod),
        "windows" => validate_windows(errors, pod),
        other => errors.not_supported(&os.here(), other, &["linux", "windows"]),
    }
}

/// Implements `validateLinux`.
fn validate_linux(errors: &mut Errors, pod: &Pod) {
    let detail = "windows options cannot be set for a linux pod";
    if pod.spec.child("securityContext").has("windowsOptions") {
        errors.forbidden(&pod.spec.below(&["securityContext", "windowsOptions"]), detail);
    }
    for container in containers_of(&pod.spec) {
        if container.child("securityContext").has("windowsOptions") {
            errors.forbidden(&container.below(&["securityContext", "windowsOptions"]), detail);
        }
    }
}

/// Implements `validateWindows`.
fn validate_windows(errors: &mut Errors, pod: &Pod) {
    /// Whether a field counts as set: a pointer, a true value, or a list with items.
    fn given(node: &Node, field: &str) -> bool {
        match node.raw(field) {
            Value::Null => false,
            Value::Array(items) => field != "sysctls" || !items.is_empty(),
            Value::Bool(value) => *value || !["hostPID", "hostIPC"].contains(&field),
            _ => true,
        }
    }
    if let Some(context) = pod.spec.get("securityContext") {
        let fields: [(&Node, &'static str); 15] = [
            (&context, "appArmorProfile"),
            (&context, "seLinuxOptions"),
            (&pod.spec, "hostUsers"),
            (&pod.spec, "hostPID"),
            (&pod.spec, "hostIPC"),
            (&context, "seccompProfile"),
            (&context, "fsGroup"),
            (&context, "fsGroupChangePolicy"),
            (&context, "sysctls"),
            (&pod.spec, "shareProcessNamespace"),
            (&context, "runAsUser"),
            (&context, "runAsGroup"),
            (&context, "supplementalGroups"),
            (&context, "supplementalGroupsPolicy"),
            (&context, "seLinuxChangePolicy"),
        ];
        for (node, field) in fields {
            if given(node, field) {
                errors.forbidden(&node.at(field), WINDOWS);
            }
        }
    }
    let fields = [
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "capabilities",
        "readOnlyRootFilesystem",
        "privileged",
        "allowPrivilegeEscalation",
        "procMount",
        "runAsUser",
        "runAsGroup",
    ];
    for container in containers_of(&pod.spec) {
        let Some(context) = container.get("securityContext") else { continue };
        for field in fields {
            if context.has(field) {
                errors.forbidden(&context.at(field), WINDOWS);
            }
        }
    }
}

/// Implements `validateSeccompAnnotationsAndFields`, then `validateAppArmorAnnotationsAndFieldsMatchOnCreate`.
pub(crate) fn validate_annotations_match_fields(errors: &mut Errors, metadata: &Node, spec: &Node) {
    let annotations = metadata.raw("annotations");
    let annotation = |key: &str| annotations.get(key).and_then(Value::as_str);
    if annotations.as_object().is_none_or(gotext::value::Map::is_empty) {
        return;
    }
    let of_pod = spec.child("securityContext");
    if let (Some(profile), Some(text)) =
        (of_pod.get("seccompProfile"), annotation("seccomp.security.alpha.kubernetes.io/pod"))
    {
        seccomp_matches(errors, &profile, text);
    }
    for container in containers_of(spec) {
        let key = format!("container.seccomp.security.alpha.kubernetes.io/{}", container.text("name"));
        if let (Some(profile), Some(text)) =
            (container.child("securityContext").get("seccompProfile"), annotation(&key))
        {
            seccomp_matches(errors, &profile, text);
        }
    }
    if spec.child("os").text("name") == "windows" {
        return;
    }
    for container in containers_of(spec) {
        let key = format!("container.apparmor.security.beta.kubernetes.io/{}", container.text("name"));
        let profile = container.child("securityContext").get("appArmorProfile");
        let profile = profile.or_else(|| of_pod.get("appArmorProfile"));
        if let (Some(profile), Some(text)) = (profile, annotation(&key)) {
            let path = container.below(&["securityContext", "appArmorProfile"]);
            app_armor_matches(errors, &profile, text, &path);
        }
    }
}

/// Implements `validateSeccompAnnotationsAndFieldsMatch`.
fn seccomp_matches(errors: &mut Errors, profile: &Node, annotation: &str) {
    let matches = match profile.text("type") {
        "Unconfined" => annotation == "unconfined",
        "RuntimeDefault" => ["runtime/default", "docker/default"].contains(&annotation),
        "Localhost" => annotation.starts_with("localhost/"),
        _ => true,
    };
    if !matches {
        errors.forbidden(&profile.at("type"), "seccomp type in annotation and field must match");
    } else if profile.text("type") == "Localhost"
        && annotation.strip_prefix("localhost/") != profile.given("localhostProfile")
    {
        errors
            .forbidden(&profile.at("localhostProfile"), "seccomp profile in annotation and field must match");
    }
}

fn app_armor_matches(errors: &mut Errors, profile: &Node, annotation: &str, path: &Path) {
    let matches = match profile.text("type") {
        "Unconfined" => annotation == "unconfined",
        "RuntimeDefault" => annotation == "runtime/default",
        "Localhost" => annotation.starts_with("localhost/"),
        _ => true,
    };
    if !matches {
        errors.forbidden(&path.child("type"), "apparmor type in annotation and field must match");
    } else if profile.text("type") == "Localhost"
        && annotation.strip_prefix("localhost/") != profile.given("localhostProfile")
    {
        errors.forbidden(
            &path.child("localhostProfile"),
            "apparmor profile in annotation and field must match",
        );
    }
}
