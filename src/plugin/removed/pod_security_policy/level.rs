//! Finds the level of Pod Security closest to a policy.
//!
//! The closest level is the strictest that admits what the policy admits, judged by the fields that both have. SELinux
//! options, groups and `AppArmor` are not taken into account: hardly any policy restricts them, and the levels forbid
//! little there.
//!
//! Source: `https://kubernetes.io/docs/reference/access-authn-authz/psp-to-pod-security-standards/`

use kube_api::pod_security::{BASELINE_CAPABILITIES, SAFE_SYSCTLS};
use kube_api::{Object, Value};

const RESTRICTED_VOLUMES: [&str; 8] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

const SECCOMP_ALLOWED: &str = "seccomp.security.alpha.kubernetes.io/allowedProfileNames";

/// Explains which level is closest to `policy`, and why none is stricter.
pub(super) fn explain(policy: &Object) -> String {
    let name = policy.name();
    let above_baseline = above_baseline(policy);
    if !above_baseline.is_empty() {
        let why = above_baseline.join(", ");
        return format!(
            "the policy \"{name}\" comes closest to the Pod Security level privileged: it allows {why}"
        );
    }
    let above_restricted = above_restricted(policy);
    if above_restricted.is_empty() {
        return format!("the policy \"{name}\" comes closest to the Pod Security level restricted");
    }
    let why = above_restricted.join(", ");
    format!(
        "the policy \"{name}\" comes closest to the Pod Security level baseline: for restricted it lacks {why}"
    )
}

/// Returns the rights that the policy grants and baseline does not.
fn above_baseline(policy: &Object) -> Vec<&'static str> {
    const FLAGS: [(&str, &str); 4] = [
        ("privileged", "privileged containers"),
        ("hostNetwork", "the host's network"),
        ("hostPID", "the host's process IDs"),
        ("hostIPC", "the host's interprocess communication"),
    ];
    let is_true = |field: &str| policy.at(["spec", field]).and_then(Value::as_bool) == Some(true);
    let texts = |field: &str| policy.list(["spec", field]).iter().filter_map(Value::as_str);
    let mut found: Vec<&str> =
        FLAGS.iter().filter(|(field, _)| is_true(field)).map(|(_, what)| *what).collect();
    let mut add = |is_it: bool, what| {
        if is_it {
            found.push(what);
        }
    };
    let adds = ["allowedCapabilities", "defaultAddCapabilities"];
    let added = |name: &str| !BASELINE_CAPABILITIES.contains(&name);
    add(adds.into_iter().any(|list| texts(list).any(added)), "capabilities beyond the default ones");
    add(texts("volumes").any(|kind| ["*", "hostPath"].contains(&kind)), "hostPath volumes");
    add(policy.list(["spec", "hostPorts"]).iter().any(allows_ports), "ports of the host");
    let is_unsafe = |name: &str| !SAFE_SYSCTLS.contains(&name);
    add(texts("allowedUnsafeSysctls").any(is_unsafe), "unsafe sysctls");
    add(texts("allowedProcMountTypes").any(|kind| kind != "Default"), "an unmasked /proc");
    found
}

/// Whether the policy allows host ports; a range from 0 to 0 allows none.
fn allows_ports(range: &Value) -> bool {
    range.int("max") > 0
}

/// Returns the requirements of restricted that the policy does not have.
fn above_restricted(policy: &Object) -> Vec<&'static str> {
    let texts = |field: &str| policy.list(["spec", field]).iter().filter_map(Value::as_str);
    let mut lacking = Vec::new();
    let mut add = |is_it: bool, what| {
        if is_it {
            lacking.push(what);
        }
    };
    let user = policy.text(["spec", "runAsUser", "rule"]);
    let minimum = policy.list(["spec", "runAsUser", "ranges"]).iter().map(|range| range.int("min")).min();
    let is_root_allowed = user == "RunAsAny" || user == "MustRunAs" && minimum.unwrap_or_default() == 0;
    add(is_root_allowed, "a user that is not root");
    let escalation = policy.at(["spec", "allowPrivilegeEscalation"]).and_then(Value::as_bool);
    add(escalation != Some(false), "allowPrivilegeEscalation: false");
    add(!texts("requiredDropCapabilities").any(|name| name == "ALL"), "requiredDropCapabilities: [ALL]");
    let is_more = |kind: &str| !RESTRICTED_VOLUMES.contains(&kind);
    add(texts("volumes").any(is_more), "a list of volumes without those of nodes and clouds");
    let seccomp = policy.annotation(SECCOMP_ALLOWED).unwrap_or_default();
    let is_confined = !seccomp.is_empty()
        && seccomp.split(',').all(|profile| {
            ["runtime/default", "docker/default"].contains(&profile) || profile.starts_with("localhost/")
        });
    add(!is_confined, "seccomp profiles");
    lacking
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn level(spec: &Value) -> String {
        let kind = GroupVersionKind::new("policy", "v1beta1", "PodSecurityPolicy");
        let annotations = json!({SECCOMP_ALLOWED: "runtime/default"});
        let value = json!({"metadata": {"name": "a", "annotations": annotations}, "spec": spec});
        explain(&Object::new(kind, value))
    }

    #[test]
    fn names_the_strictest_level_that_lets_pass_the_same() {
        let mut spec = json!({
            "seLinux": {"rule": "MustRunAs", "seLinuxOptions": {"level": "s0"}},
            "runAsUser": {"rule": "MustRunAsNonRoot"},
            "allowPrivilegeEscalation": false,
            "requiredDropCapabilities": ["ALL"],
            "volumes": ["configMap", "secret"],
        });
        let prefix = "the policy \"a\" comes closest to the Pod Security level";
        assert_eq!(level(&spec), format!("{prefix} restricted"));
        spec["runAsUser"]["rule"] = "RunAsAny".into();
        assert_eq!(
            level(&spec),
            format!("{prefix} baseline: for restricted it lacks a user that is not root")
        );
        spec["hostPorts"] = json!([{"min": 0, "max": 0}, {"min": 80, "max": 80}]);
        spec["privileged"] = true.into();
        assert_eq!(
            level(&spec),
            format!("{prefix} privileged: it allows privileged containers, ports of the host")
        );
    }
}
