//! Rights of Pods on nodes. Gone since 1.25.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy/podsecuritypolicy`, `ValidatePodSecurityPolicy`.

use crate::api::Map;
use crate::api::tree::{child_or_insert, set_if_absent};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::metadata::{
    name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, Node};

/// The strategy of `PodSecurityPolicy`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "policy",
    kind: "PodSecurityPolicy",
    resource: "podsecuritypolicies",
    versions: &["v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_pod_security_policy(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

/// Implements `SetDefaults_PodSecurityPolicySpec`.
fn set_defaults(policy: &mut Map) {
    set_if_absent(child_or_insert(policy, "spec"), "allowPrivilegeEscalation", true);
}

/// Runs `ValidatePodSecurityPolicy`, and `ValidatePodSecurityPolicyUpdate` if there is an old object.
fn validate_pod_security_policy(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    let scope = crate::registry::validation::metadata::Scope::Cluster;
    validate_object_meta(errors, object, scope, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_rule(errors, &spec.child("runAsUser"), &["MustRunAs", "MustRunAsNonRoot", "RunAsAny"]);
    if let Some(group) = spec.get("runAsGroup") {
        validate_rule(errors, &group, &["MustRunAs", "RunAsAny", "MayRunAs"]);
    }
    let context = spec.child("seLinux");
    validate_strategy(errors, &context, &["MustRunAs", "RunAsAny"]);
    let groups = ["MustRunAs", "RunAsAny", "MayRunAs"];
    validate_rule(errors, &spec.child("supplementalGroups"), &groups);
    validate_rule(errors, &spec.child("fsGroup"), &groups);
    validate_capabilities(errors, &spec);
    let default = spec.truth("defaultAllowPrivilegeEscalation");
    if default == Some(true) && spec.truth("allowPrivilegeEscalation") == Some(false) {
        let path = spec.at("defaultAllowPrivilegeEscalation");
        let detail = "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true";
        errors.invalid_value(&path, spec.raw("defaultAllowPrivilegeEscalation"), detail);
    }
    for flex in spec.items("allowedFlexVolumes").filter(|flex| flex.text("driver").is_empty()) {
        errors.required(&flex.at("driver"), "must specify a driver");
    }
    for path in spec.items("allowedHostPaths") {
        if path.text("pathPrefix").is_empty() {
            errors.required(&path.at("pathPrefix"), "");
        } else if path.text("pathPrefix").split('/').any(|step| step == "..") {
            errors.invalid(&path.at("pathPrefix"), path.text("pathPrefix"), "must not contain '..'");
        }
    }
    for driver in spec.items("allowedCSIDrivers").filter(|driver| driver.text("name").is_empty()) {
        errors.required(&driver.at("name"), "");
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

fn validate_capabilities(errors: &mut Errors, spec: &Node) {
    let dropped: Vec<&str> = spec.texts("requiredDropCapabilities").collect();
    for list in ["defaultAddCapabilities", "allowedCapabilities"] {
        for name in spec.texts(list).filter(|name| dropped.contains(name)) {
            let detail = format!("capability is listed in {list} and requiredDropCapabilities");
            errors.invalid(&spec.at(list), name, detail);
        }
    }
    if spec.texts("allowedCapabilities").any(|name| name == "*") && !dropped.is_empty() {
        let detail = "must be empty when all capabilities are allowed by a wildcard";
        let path = spec.at("requiredDropCapabilities");
        errors.invalid_value(&path, spec.raw("requiredDropCapabilities"), detail);
    }
}
