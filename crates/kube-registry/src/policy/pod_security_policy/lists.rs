//! The lists of a policy: types of volumes and of `/proc`, sysctls, runtime classes, profiles in annotations.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/policy/validation`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::pod::{VOLUME_SOURCES, policy_name_of_volume_source};
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::path::validate_local_descending_path;
use gotext::quote;
use kube_api::Value;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// The first release with `ephemeral` volumes.
const EPHEMERAL: Version = Version::minor(19);

/// Implements `ValidatePodSecurityPolicySpecificAnnotations`.
pub(super) fn validate_annotations(errors: &mut Errors, metadata: &Node) {
    const APP_ARMOR: &str = "apparmor.security.beta.kubernetes.io/";
    const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/";
    let annotations = metadata.child("annotations");
    let annotation = |prefix: &str, name: &str| {
        let key = format!("{prefix}{name}");
        let value = annotations.text(&key);
        (!value.is_empty()).then(|| (metadata.at("annotations").key(key), value))
    };
    for name in ["defaultProfileName", "allowedProfileNames"] {
        let Some((path, value)) = annotation(APP_ARMOR, name) else { continue };
        let profiles = if name == "defaultProfileName" { vec![value] } else { value.split(',').collect() };
        for profile in profiles {
            if !["", "runtime/default", "unconfined"].contains(&profile) && !profile.starts_with("localhost/")
            {
                errors.invalid(&path, value, format!("invalid AppArmor profile name: {}", quote(profile)));
            }
        }
    }
    for name in ["defaultProfileName", "allowedProfileNames"] {
        let Some((path, value)) = annotation(SECCOMP, name) else { continue };
        let profiles = if name == "defaultProfileName" { vec![value] } else { value.split(',').collect() };
        for profile in profiles {
            match profile.strip_prefix("localhost/") {
                Some(file) => validate_local_descending_path(errors, file, || path.clone()),
                None if name == "allowedProfileNames" && profile == "*" => {}
                None if ["runtime/default", "docker/default", "unconfined"].contains(&profile) => {}
                None => errors.invalid(&path, profile, "must be a valid seccomp profile"),
            }
        }
    }
}

/// Implements `validatePodSecurityPolicyVolumes`.
pub(super) fn validate_volumes(errors: &mut Errors, spec: &Node, profile: &ServerProfile) {
    // The policies were gone before images became volumes.
    let exists = |name: &&str| *name != "image" && (*name != "ephemeral" || profile.release() >= EPHEMERAL);
    let names = VOLUME_SOURCES.map(policy_name_of_volume_source).into_iter().filter(exists);
    let mut supported: Vec<&str> = names.chain(["*"]).collect();
    supported.sort_unstable();
    for volume in spec.texts("volumes").filter(|volume| !supported.contains(volume)) {
        errors.not_supported(&spec.at("volumes"), volume, &supported);
    }
}

/// Implements `validatePSPAllowedProcMountTypes`.
pub(super) fn validate_proc_mounts(errors: &mut Errors, spec: &Node) {
    for (index, kind) in spec.texts("allowedProcMountTypes").enumerate() {
        if !["Default", "Unmasked"].contains(&kind) {
            let path = spec.at("allowedProcMountTypes").index(index);
            errors.not_supported(&path, kind, &["Default", "Unmasked"]);
        }
    }
}

const SYSCTL_PATTERN: &str = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]";

/// Validates both lists of sysctls, and that they do not overlap.
pub(crate) fn validate_sysctls(errors: &mut Errors, spec: &Node) {
    for list in ["allowedUnsafeSysctls", "forbiddenSysctls"] {
        validate_sysctl_patterns(errors, spec, list);
    }
    for (index, allowed) in spec.texts("allowedUnsafeSysctls").enumerate() {
        for (other, forbidden) in spec.texts("forbiddenSysctls").enumerate() {
            let is_allowed_wider = match (allowed.strip_suffix('*'), forbidden.strip_suffix('*')) {
                (Some(allowed), Some(forbidden)) if allowed.starts_with(forbidden) => false,
                (Some(allowed), Some(forbidden)) if forbidden.starts_with(allowed) => true,
                (Some(allowed), None) if forbidden.starts_with(allowed) => true,
                (None, Some(forbidden)) if allowed.starts_with(forbidden) => false,
                (None, None) if allowed == forbidden => false,
                _ => continue,
            };
            if is_allowed_wider {
                let path = spec.at("forbiddenSysctls").index(other);
                errors.invalid(&path, forbidden, format!("sysctl overlaps with {allowed}"));
            } else {
                let path = spec.at("allowedUnsafeSysctls").index(index);
                errors.invalid(&path, allowed, format!("sysctl overlaps with {forbidden}"));
            }
        }
    }
}

/// Implements `validatePodSecurityPolicySysctls`.
fn validate_sysctl_patterns(errors: &mut Errors, spec: &Node, list: &'static str) {
    static PATTERN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!("^{SYSCTL_PATTERN}$")).ok());
    let mut covers_all = false;
    for (index, sysctl) in spec.texts(list).enumerate() {
        let path = || spec.at(list).index(index);
        let matches = PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(sysctl));
        if sysctl.is_empty() {
            errors.invalid(&path(), sysctl, "empty sysctl not allowed");
        } else if !matches || sysctl.len() > 253 {
            let detail = format!("must have at most 253 characters and match regex {SYSCTL_PATTERN}");
            errors.invalid(&path(), sysctl, detail);
        } else {
            covers_all |= sysctl.starts_with('*');
        }
    }
    if covers_all && spec.len(list) > 1 {
        let path = spec.at(list).child("items");
        errors.forbidden(&path, "if '*' is present, must not specify other sysctls");
    }
}

/// Implements `validateRuntimeClassStrategy`.
pub(super) fn validate_runtime_class(errors: &mut Errors, spec: &Node) {
    let Some(strategy) = spec.get("runtimeClass") else { return };
    let list = || strategy.at("allowedRuntimeClassNames");
    let mut allowed = BTreeSet::new();
    for (index, name) in strategy.texts("allowedRuntimeClassNames").enumerate() {
        if name != "*" {
            errors.each(|| list().index(index), name, name_is_dns_subdomain(name, false));
        }
        if !allowed.insert(name) {
            errors.duplicate(&list().index(index), name);
        }
    }
    if let Some(default) = strategy.given("defaultRuntimeClassName") {
        errors.each_of(&strategy, "defaultRuntimeClassName", name_is_dns_subdomain(default, false));
        if !allowed.contains(default) && !allowed.contains("*") {
            errors.required(&list(), format!("default {} must be allowed", quote(default)));
        }
    }
    if allowed.contains("*") && strategy.len("allowedRuntimeClassNames") > 1 {
        let names = strategy.raw("allowedRuntimeClassNames");
        let printed = names.as_array().into_iter().flatten().filter_map(Value::as_str).map(quote);
        let printed = format!("[]string{{{}}}", printed.collect::<Vec<_>>().join(", "));
        let detail = "if '*' is present, must not specify other RuntimeClass names";
        errors.invalid_printed(&list(), printed, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn errors(rule: impl FnOnce(&mut Errors, &Node), object: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        rule(&mut errors, &Node::root(object));
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rejects_unknown_volumes_and_proc_mounts() {
        let volumes = |minor: u32| {
            let profile = ServerProfile::of_release(Version::minor(minor), []);
            let spec = json!({"volumes": ["*", "configMap", "ephemeral"]});
            errors(|errors, spec| validate_volumes(errors, spec, &profile), &spec).len()
        };
        assert_eq!((volumes(18), volumes(19)), (1, 0));
        assert_eq!(
            errors(validate_proc_mounts, &json!({"allowedProcMountTypes": ["Default", "Masked"]})),
            [
                "allowedProcMountTypes[1]: Unsupported value: \"Masked\": supported values: \"Default\", \"Unmasked\""
            ]
        );
    }

    #[test]
    fn rejects_sysctls_that_overlap() {
        let spec = json!({
            "allowedUnsafeSysctls": ["net.*", "kernel.msgmax", "", "a b"],
            "forbiddenSysctls": ["net.core.*", "kernel.*", "*"],
        });
        assert_eq!(
            errors(validate_sysctls, &spec),
            [
                "allowedUnsafeSysctls[2]: Invalid value: \"\": empty sysctl not allowed".to_owned(),
                format!(
                    "allowedUnsafeSysctls[3]: Invalid value: \"a b\": must have at most 253 characters and match regex \
                     {SYSCTL_PATTERN}"
                ),
                "forbiddenSysctls.items: Forbidden: if '*' is present, must not specify other sysctls"
                    .to_owned(),
                "forbiddenSysctls[0]: Invalid value: \"net.core.*\": sysctl overlaps with net.*".to_owned(),
                "allowedUnsafeSysctls[0]: Invalid value: \"net.*\": sysctl overlaps with *".to_owned(),
                "allowedUnsafeSysctls[1]: Invalid value: \"kernel.msgmax\": sysctl overlaps with kernel.*"
                    .to_owned(),
                "allowedUnsafeSysctls[1]: Invalid value: \"kernel.msgmax\": sysctl overlaps with *"
                    .to_owned(),
                "allowedUnsafeSysctls[2]: Invalid value: \"\": sysctl overlaps with *".to_owned(),
                "allowedUnsafeSysctls[3]: Invalid value: \"a b\": sysctl overlaps with *".to_owned(),
            ]
        );
    }

    #[test]
    fn rejects_a_default_class_that_is_not_allowed() {
        let spec = json!({"runtimeClass": {
            "allowedRuntimeClassNames": ["gvisor", "gvisor"], "defaultRuntimeClassName": "kata",
        }});
        assert_eq!(
            errors(validate_runtime_class, &spec),
            [
                "runtimeClass.allowedRuntimeClassNames[1]: Duplicate value: \"gvisor\"",
                "runtimeClass.allowedRuntimeClassNames: Required value: default \"kata\" must be allowed",
            ]
        );
        let spec = json!({"runtimeClass": {"allowedRuntimeClassNames": ["*", "gvisor"]}});
        assert_eq!(
            errors(validate_runtime_class, &spec),
            [
                "runtimeClass.allowedRuntimeClassNames: Invalid value: []string{\"*\", \"gvisor\"}: if '*' is present, must \
              not specify other RuntimeClass names"
            ]
        );
    }

    #[test]
    fn rejects_profiles_that_cannot_be() {
        let metadata = json!({"annotations": {
            "apparmor.security.beta.kubernetes.io/allowedProfileNames": "runtime/default,other",
            "seccomp.security.alpha.kubernetes.io/allowedProfileNames": "*,localhost/../a,other",
        }});
        assert_eq!(
            errors(validate_annotations, &metadata),
            [
                "annotations[apparmor.security.beta.kubernetes.io/allowedProfileNames]: Invalid value: \
                 \"runtime/default,other\": invalid AppArmor profile name: \"other\"",
                "annotations[seccomp.security.alpha.kubernetes.io/allowedProfileNames]: Invalid value: \"../a\": must not \
                 contain '..'",
                "annotations[seccomp.security.alpha.kubernetes.io/allowedProfileNames]: Invalid value: \"other\": must be a \
                 valid seccomp profile",
            ]
        );
    }
}
