//! Checks a completed pod against a policy.
//!
//! Source: `ValidatePod`, `validateContainer` of `pkg/security/podsecuritypolicy/provider.go`.

use crate::plugin::removed::pod_security_policy::fill::APP_ARMOR;
use crate::plugin::removed::pod_security_policy::provider::{Groups, Provider, printed};
use crate::plugin::removed::pod_security_policy::{seccomp, volume};
use crate::plugin::security_context::{
    self, Capabilities, check_capabilities, effective, is_within, se_linux,
};
use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{Object, Value};

type Errors = Vec<field::Error>;

const APP_ARMOR_ALLOWED: &str = "apparmor.security.beta.kubernetes.io/allowedProfileNames";

/// Go's text of a nil pointer.
const NIL: &str = "\"null\"";

/// Sysctls that do not affect other pods on the node, and the release since which they count as such.
const SAFE_SYSCTLS: [(&str, Version); 5] = [
    ("kernel.shm_rmid_forced", Version::OLDEST),
    ("net.ipv4.ip_local_port_range", Version::OLDEST),
    ("net.ipv4.tcp_syncookies", Version::OLDEST),
    ("net.ipv4.ping_group_range", Version::minor(18)),
    ("net.ipv4.ip_unprivileged_port_start", Version::minor(22)),
];

/// Returns all errors of the policy about `pod`.
pub(super) fn pod(provider: &Provider, pod: &Object) -> Errors {
    let mut errors = Errors::new();
    let spec = Path::new("spec");
    let context = |field: &str| pod.at(["spec", "securityContext", field]);
    let path = spec.child("securityContext");
    let fs_group: Vec<i64> = context("fsGroup").and_then(Value::as_i64).into_iter().collect();
    groups(&mut errors, &path.child("fsGroup"), &provider.fs_groups, &fs_group, false);
    let fields = ["spec", "securityContext", "supplementalGroups"];
    let supplemental: Vec<i64> = pod.list(fields).iter().filter_map(Value::as_i64).collect();
    let is_nil = supplemental.is_empty() && !pod.was_given_empty(&fields);
    let rule = &provider.supplemental_groups;
    groups(&mut errors, &path.child("supplementalGroups"), rule, &supplemental, is_nil);
    seccomp::check_pod(&mut errors, provider, pod);
    se_linux(
        &mut errors,
        provider.se_linux.as_ref(),
        &path.child("seLinuxOptions"),
        context("seLinuxOptions"),
    );
    for (field, name) in [("hostNetwork", "network"), ("hostPID", "PID"), ("hostIPC", "IPC")] {
        if !provider.rules().allows(field) && pod.at(["spec", field]) == Some(&Value::Bool(true)) {
            let detail = format!("Host {name} is not allowed to be used");
            errors.push(field::Error::invalid(&path.child(field), &Value::Bool(true), detail));
        }
    }
    sysctls(&mut errors, provider, pod);
    volume::check(&mut errors, provider, pod);
    runtime_class(&mut errors, provider, pod);
    for list in provider.checked_lists() {
        for (index, value) in pod.list(["spec", list]).iter().enumerate() {
            container(&mut errors, provider, pod, value, &spec.child(list).index(index));
        }
    }
    errors
}

/// Checks a container; most errors are reported at its security context.
fn container(errors: &mut Errors, provider: &Provider, pod: &Object, container: &Value, path: &Path) {
    let context = path.child("securityContext");
    let own = |field: &str| container.at(["securityContext", field]);
    errors.extend(provider.users.check(pod, container, &context, printed));
    let group = effective(pod, container, "runAsGroup").and_then(Value::as_i64);
    let group: Vec<i64> = group.into_iter().collect();
    groups(errors, &context, &provider.run_as_groups, &group, group.is_empty());
    let options = effective(pod, container, "seLinuxOptions");
    se_linux(errors, provider.se_linux.as_ref(), &context.child("seLinuxOptions"), options);
    app_armor(errors, provider, pod, container);
    seccomp::check_container(errors, provider, pod, container);
    if !provider.rules().allows("privileged") && own("privileged") == Some(&Value::Bool(true)) {
        let detail = "Privileged containers are not allowed";
        errors.push(field::Error::invalid(&context.child("privileged"), &Value::Bool(true), detail));
    }
    let mount = own("procMount").and_then(Value::as_str).unwrap_or("Default");
    if !provider.proc_mounts().contains(&mount) {
        let detail = "ProcMountType is not allowed";
        errors.push(field::Error::invalid_text(&context.child("procMount"), mount, detail));
    }
    let capabilities = context.child("capabilities");
    check_capabilities(errors, provider.rules(), own("capabilities"), &capabilities, invalid_capabilities);
    host_ports(errors, provider, container, path);
    if provider.rules().allows("readOnlyRootFilesystem") {
        let path = context.child("readOnlyRootFilesystem");
        match own("readOnlyRootFilesystem") {
            None => errors.push(field::Error::invalid_printed(
                &path,
                NIL,
                "ReadOnlyRootFilesystem may not be nil and must be set to true",
            )),
            Some(value) if *value != true => {
                let detail = "ReadOnlyRootFilesystem must be set to true";
                errors.push(field::Error::invalid(&path, value, detail));
            }
            Some(_) => {}
        }
    }
    let escalation = own("allowPrivilegeEscalation").and_then(Value::as_bool);
    if !provider.rules().allows("allowPrivilegeEscalation") && escalation != Some(false) {
        let printed = escalation.map_or(NIL, |_| "true");
        let detail = "Allowing privilege escalation for containers is not allowed";
        let path = context.child("allowPrivilegeEscalation");
        errors.push(field::Error::invalid_printed(&path, printed, detail));
    }
}

fn groups(errors: &mut Errors, path: &Path, rule: &Groups, groups: &[i64], is_nil: bool) {
    let (ranges, is_required) = match rule {
        Groups::Any => return,
        Groups::May(ranges) => (ranges, false),
        Groups::Must(ranges) => (ranges, true),
    };
    let list = || {
        let numbers: Vec<String> = groups.iter().map(ToString::to_string).collect();
        if is_nil { "[]int64(nil)".to_owned() } else { format!("[]int64{{{}}}", numbers.join(", ")) }
    };
    if groups.is_empty() && is_required {
        let detail = "unable to validate empty groups against required ranges";
        errors.push(field::Error::invalid_printed(path, list(), detail));
    }
    for group in groups {
        if !is_within(ranges, *group) {
            let detail = format!("group {group} must be in the ranges: {}", printed(ranges));
            errors.push(field::Error::invalid_printed(path, list(), detail));
        }
    }
}

fn sysctls(errors: &mut Errors, provider: &Provider, pod: &Object) {
    let texts = |list| provider.rules().texts(list).collect::<Vec<_>>();
    let (forbidden, allowed) = (texts("forbiddenSysctls"), texts("allowedUnsafeSysctls"));
    let path = Path::new("pod").child("spec").child("securityContext").child("sysctls");
    let is_safe =
        |name: &str| SAFE_SYSCTLS.iter().any(|(safe, since)| *safe == name && provider.release >= *since);
    security_context::sysctls(errors, pod, &path, [&forbidden, &allowed], is_safe);
}

fn runtime_class(errors: &mut Errors, provider: &Provider, pod: &Object) {
    let Some(rule) = provider.policy.at(["spec", "runtimeClass"]) else { return };
    let Some(name) = pod.at(["spec", "runtimeClassName"]).and_then(Value::as_str) else { return };
    let mut allowed = rule.list("allowedRuntimeClassNames").iter();
    if !allowed.any(|allowed| *allowed == "*" || allowed.as_str() == Some(name)) {
        errors.push(field::Error::invalid_text(&Path::new("spec").child("runtimeClassName"), name, ""));
    }
}

fn app_armor(errors: &mut Errors, provider: &Provider, pod: &Object, container: &Value) {
    let Some(written) = provider.policy.annotation(APP_ARMOR_ALLOWED) else { return };
    let key = format!("{APP_ARMOR}{}", container.text("name"));
    let profile = pod.annotation(&key).unwrap_or_default();
    let detail = if profile.is_empty() {
        "AppArmor profile must be set".to_owned()
    } else if written.split(',').any(|allowed| allowed == profile) {
        return;
    } else {
        format!("{profile} is not an allowed profile. Allowed values: {}", quote(written))
    };
    let path = Path::new("pod").child("metadata").child("annotations").key(key);
    errors.push(field::Error::forbidden(&path, detail));
}

/// Returns the error about capabilities, which are printed in the syntax of Go.
fn invalid_capabilities(path: &Path, capabilities: Capabilities<'_>, detail: String) -> field::Error {
    let printed = match capabilities {
        Capabilities::None => NIL.to_owned(),
        Capabilities::Dropped(None) => "[]core.Capability(nil)".to_owned(),
        Capabilities::Dropped(Some(list)) => {
            let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            format!("[]core.Capability{{{}}}", names.map(quote).collect::<Vec<_>>().join(", "))
        }
    };
    field::Error::invalid_printed(path, printed, detail)
}

fn host_ports(errors: &mut Errors, provider: &Provider, container: &Value, path: &Path) {
    let number = |range: &Value, field: &str| range.int(field);
    let ranges: Vec<(i64, i64)> = provider
        .rules()
        .list("hostPorts")
        .iter()
        .map(|range| (number(range, "min"), number(range, "max")))
        .collect();
    let ports = container.list("ports").iter();
    for port in ports.map(|port| number(port, "hostPort")).filter(|port| *port > 0) {
        if is_within(&ranges, port) {
            continue;
        }
        let printed = |(min, max): &(i64, i64)| {
            if min == max { min.to_string() } else { format!("{min}-{max}") }
        };
        let ranges: Vec<String> = ranges.iter().map(printed).collect();
        let detail =
            format!("Host port {port} is not allowed to be used. Allowed ports: [{}]", ranges.join(","));
        errors.push(field::Error::invalid(&path.child("hostPort"), &Value::from(port), detail));
    }
}
