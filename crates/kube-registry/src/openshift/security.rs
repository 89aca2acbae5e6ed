//! Rights of pods on nodes: `security.openshift.io`.
//!
//! Source: `customresourcevalidation/securitycontextconstraints/validation`.

use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::{Validator, WholeOnUpdate};
use crate::policy::pod_security_policy::validate_sysctls;
use crate::validation::node::{Errors, Node};

/// Validates `SecurityContextConstraints`.
pub static SECURITY_CONTEXT_CONSTRAINTS: Validator = Validator {
    validate,
    whole_on_update: WholeOnUpdate::Last,
    ..Validator::new(
        "security.openshift.io",
        "SecurityContextConstraints",
        "openshift/security/v1.SecurityContextConstraints",
    )
};

fn validate(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    if object.int("priority") < 0 {
        errors.invalid_int(&object.at("priority"), object.int("priority"), "priority cannot be negative");
    }
    let user = object.child("runAsUser");
    if !["MustRunAs", "MustRunAsNonRoot", "RunAsAny", "MustRunAsRange"].contains(&user.text("type")) {
        let detail =
            "invalid strategy type.  Valid values are MustRunAs, MustRunAsNonRoot, MustRunAsRange, RunAsAny";
        errors.invalid(&user.at("type"), user.text("type"), detail);
    }
    if user.int("uid") < 0 {
        errors.invalid_int(&user.at("uid"), user.int("uid"), "uid cannot be negative");
    }
    let context = object.child("seLinuxContext");
    if !["MustRunAs", "RunAsAny"].contains(&context.text("type")) {
        let detail = "invalid strategy type.  Valid values are MustRunAs, RunAsAny";
        errors.invalid(&context.at("type"), context.text("type"), detail);
    }
    for field in ["fsGroup", "supplementalGroups"] {
        validate_groups(errors, &object.child(field));
    }
    validate_capabilities(errors, object);
    let escalation = object.truth("defaultAllowPrivilegeEscalation");
    if escalation == Some(true) && object.truth("allowPrivilegeEscalation") == Some(false) {
        let detail = "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true";
        let path = object.at("defaultAllowPrivilegeEscalation");
        errors.invalid_value(&path, object.raw("defaultAllowPrivilegeEscalation"), detail);
    }
    validate_volumes(errors, object);
    validate_sysctls(errors, object);
}

fn validate_groups(errors: &mut Errors, strategy: &Node) {
    let types = ["MustRunAs", "RunAsAny"];
    if !types.contains(&strategy.text("type")) {
        errors.not_supported(&strategy.at("type"), strategy.text("type"), &types);
    }
    for range in strategy.items("ranges") {
        for field in ["min", "max"] {
            if range.int(field) < 0 {
                errors.invalid_int(&range.at(field), range.int(field), format!("{field} cannot be negative"));
            }
        }
        if range.int("min") > range.int("max") {
            let detail = "min cannot be greater than max";
            errors.invalid_typed(&range.at("min"), "openshift/security/v1.IDRange", range.value(), detail);
        }
    }
}

fn validate_capabilities(errors: &mut Errors, object: &Node) {
    let dropped: Vec<&str> = object.texts("requiredDropCapabilities").collect();
    for list in ["defaultAddCapabilities", "allowedCapabilities"] {
        for name in object.texts(list).filter(|name| dropped.contains(name)) {
            let detail = format!("capability is listed in {list} and requiredDropCapabilities");
            errors.invalid(&object.at(list), name, detail);
        }
    }
    if object.texts("allowedCapabilities").any(|name| name == "*") && !dropped.is_empty() {
        let detail = "required capabilities must be empty when all capabilities are allowed by a wildcard";
        let list = object.raw("requiredDropCapabilities");
        errors.invalid_value(&object.at("requiredDropCapabilities"), list, detail);
    }
}

fn validate_volumes(errors: &mut Errors, object: &Node) {
    let volumes: Vec<&str> = object.texts("volumes").collect();
    if volumes.contains(&"none") && volumes.len() > 1 {
        let detail = "if 'none' is specified, no other values are allowed";
        errors.invalid_value(&object.at("volumes"), object.raw("volumes"), detail);
    }
    if object.len("allowedFlexVolumes") == 0 {
        return;
    }
    if volumes.iter().any(|volume| ["flexVolume", "*"].contains(volume)) {
        for flex in object.items("allowedFlexVolumes").filter(|flex| flex.text("driver").is_empty()) {
            errors.required(&flex.at("driver"), "must specify a driver");
        }
    } else {
        let detail = "volumes does not include 'flexVolume' or '*', so no flex volumes are allowed";
        let list = object.raw("allowedFlexVolumes");
        errors.invalid_value(&object.at("allowedFlexVolumes"), list, detail);
    }
}
