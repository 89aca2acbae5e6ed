//! Rights of Pods on nodes. Gone since 1.25.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy/podsecuritypolicy`, `ValidatePodSecurityPolicy`.

mod lists;

pub(crate) use lists::validate_sysctls;

use crate::strategy::Strategy;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_csi_driver_name;
use gotext::quote;
use kube_api::Map;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `PodSecurityPolicy`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        validate_pod_security_policy(errors, object, old, context.profile);
    }),
    ..Strategy::new("policy", "PodSecurityPolicy")
};

/// Implements `SetDefaults_PodSecurityPolicySpec`.
fn set_defaults(policy: &mut Map) {
    set_if_absent(child_or_insert(policy, "spec"), "allowPrivilegeEscalation", true);
}

/// Runs `ValidatePodSecurityPolicy`, and `ValidatePodSecurityPolicyUpdate` if there is an old object.
fn validate_pod_security_policy(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    } else {
        let scope = crate::validation::metadata::Scope::Cluster;
        validate_object_meta(errors, object, scope, name_is_dns_subdomain);
    }
    lists::validate_annotations(errors, &object.child("metadata"));
    let spec = object.child("spec");
    validate_rule(errors, &spec.child("runAsUser"), &["MustRunAs", "MustRunAsNonRoot", "RunAsAny"]);
    if let Some(group) = spec.get("runAsGroup") {
        validate_run_as_group(errors, &group);
    }
    let context = spec.child("seLinux");
    validate_strategy(errors, &context, &["MustRunAs", "RunAsAny"]);
    let groups = ["MayRunAs", "MustRunAs", "RunAsAny"];
    validate_rule(errors, &spec.child("supplementalGroups"), &groups);
    validate_rule(errors, &spec.child("fsGroup"), &groups);
    lists::validate_volumes(errors, &spec, profile);
    validate_capabilities(errors, &spec);
    let default = spec.truth("defaultAllowPrivilegeEscalation");
    if default == Some(true) && spec.truth("allowPrivilegeEscalation") == Some(false) {
        let path = spec.at("defaultAllowPrivilegeEscalation");
        let detail = "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true";
        errors.invalid_value(&path, spec.raw("defaultAllowPrivilegeEscalation"), detail);
    }
    lists::validate_proc_mounts(errors, &spec);
    for path in spec.items("allowedHostPaths") {
        let prefix = path.text("pathPrefix");
        if prefix.is_empty() {
            errors.required(&path.here(), "is required");
            break;
        }
        if prefix.split('/').any(|step| step == "..") {
            errors.invalid(&path.here(), prefix, "must not contain '..'");
        }
    }
    for (index, flex) in spec.items("allowedFlexVolumes").enumerate() {
        if flex.text("driver").is_empty() {
            // The server names the list twice.
            let path = spec.below(&["allowedFlexVolumes", "allowedFlexVolumes"]).index(index).child("driver");
            errors.required(&path, "must specify a driver");
        }
    }
    for (index, driver) in spec.items("allowedCSIDrivers").enumerate() {
        let path = spec.below(&["allowedCSIDrivers", "allowedCSIDriver"]).index(index);
        validate_csi_driver_name(errors, &Node::new(path, driver.value()), "name");
    }
    validate_sysctls(errors, &spec);
    lists::validate_runtime_class(errors, &spec);
}

/// Implements `validatePSPRunAsGroup`.
fn validate_run_as_group(errors: &mut Errors, group: &Node) {
    let rules = ["MustRunAs", "RunAsAny", "MayRunAs"];
    let ranges = group.len("ranges");
    match group.text("rule") {
        "RunAsAny" if ranges > 0 => {
            let printed = group
                .items("ranges")
                .map(|range| format!("policy.IDRange{{Min:{}, Max:{}}}", range.int("min"), range.int("max")));
            let printed = printed.collect::<Vec<_>>().join(", ");
            let printed = format!("[]policy.IDRange{{{printed}}}");
            errors.invalid_printed(&group.at("ranges"), printed, "Ranges must be empty");
        }
        "RunAsAny" => {}
        rule if !rules.contains(&rule) => errors.not_supported(&group.at("rule"), rule, &rules),
        "MustRunAs" | "MayRunAs" if ranges == 0 => {
            let detail = "must provide at least one range";
            errors.invalid_printed(&group.at("ranges"), "[]policy.IDRange(nil)", detail);
        }
        _ => validate_rule(errors, group, &rules),
    }
}

fn validate_strategy(errors: &mut Errors, strategy: &Node, rules: &[&str]) {
    if !rules.contains(&strategy.text("rule")) {
        errors.not_supported(&strategy.at("rule"), strategy.text("rule"), rules);
    }
}

fn validate_rule(errors: &mut Errors, strategy: &Node, rules: &[&str]) {
    validate_strategy(errors, strategy, rules);
    for range in strategy.items("ranges") {
        for field in ["min", "max"] {
            if range.int(field) < 0 {
                errors.invalid_int(&range.at(field), range.int(field), format!("{field} cannot be negative"));
            }
        }
        if range.int("min") > range.int("max") {
            errors.invalid_int(&range.at("min"), range.int("min"), "min cannot be greater than max");
        }
    }
}

/// Validates the capabilities, whose errors the server reports outside the spec.
fn validate_capabilities(errors: &mut Errors, spec: &Node) {
    let dropped: Vec<&str> = spec.texts("requiredDropCapabilities").collect();
    if spec.texts("allowedCapabilities").any(|name| name == "*") && !dropped.is_empty() {
        let detail = "must be empty when all capabilities are allowed by a wildcard";
        let quoted: Vec<String> = dropped.iter().map(|name| quote(name)).collect();
        let printed = format!("[]core.Capability{{{}}}", quoted.join(", "));
        errors.invalid_printed(&Path::new("requiredDropCapabilities"), printed, detail);
    }
    for list in ["defaultAddCapabilities", "allowedCapabilities"] {
        for name in spec.texts(list).filter(|name| dropped.contains(name)) {
            let detail = format!("capability is listed in {list} and requiredDropCapabilities");
            errors.invalid(&Path::new(list), name, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn rejects_each_rule_in_the_order_of_the_server() {
        let any = json!({"rule": "RunAsAny"});
        let policy = json!({
            "apiVersion": "policy/v1beta1",
            "kind": "PodSecurityPolicy",
            "metadata": {"name": "a"},
            "spec": {
                "runAsUser": any, "seLinux": any, "fsGroup": {"rule": "x"}, "supplementalGroups": any,
                "runAsGroup": {"rule": "MustRunAs"},
                "requiredDropCapabilities": ["KILL"],
                "allowedCapabilities": ["*", "KILL"],
                "allowedHostPaths": [{"pathPrefix": "/a/../b"}, {"pathPrefix": ""}, {"pathPrefix": ""}],
                "allowedFlexVolumes": [{"driver": ""}],
                "allowedCSIDrivers": [{"name": ""}],
            },
        });
        let mut errors = Errors::default();
        validate_pod_security_policy(&mut errors, &Node::root(&policy), None, &ServerProfile::default());
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "spec.runAsGroup.ranges: Invalid value: []policy.IDRange(nil): must provide at least one range",
                "spec.fsGroup.rule: Unsupported value: \"x\": supported values: \"MayRunAs\", \"MustRunAs\", \
                 \"RunAsAny\"",
                "requiredDropCapabilities: Invalid value: []core.Capability{\"KILL\"}: must be empty when all \
                 capabilities are allowed by a wildcard",
                "allowedCapabilities: Invalid value: \"KILL\": capability is listed in allowedCapabilities and \
                 requiredDropCapabilities",
                "spec.allowedHostPaths[0]: Invalid value: \"/a/../b\": must not contain '..'",
                "spec.allowedHostPaths[1]: Required value: is required",
                "spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver",
                "spec.allowedCSIDrivers.allowedCSIDriver[0].name: Required value",
            ]
        );
    }

    #[test]
    fn rejects_an_unknown_rule_about_groups_without_reading_its_ranges() {
        let group = json!({"rule": "x", "ranges": [{"min": 2, "max": 1}]});
        let mut errors = Errors::default();
        validate_run_as_group(&mut errors, &Node::root(&group));
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        let supported = "\"MustRunAs\", \"RunAsAny\", \"MayRunAs\"";
        assert_eq!(texts, [format!("rule: Unsupported value: \"x\": supported values: {supported}")]);
    }
}
