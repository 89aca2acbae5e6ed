//! Quotas of namespaces.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::defaults::resources;
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::core::validate_meta;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::resources::{
    is_standard_quota_resource_name, quantity, validate_resource_quantity_value,
    validate_resource_quota_resource_name,
};
use crate::warnings::Warnings;
use gotext::quantity::Quantity;
use kube_api::field::{Error, Path, Rule};
use kube_api::tree::child_mut;
use kube_api::{Map, Object, Value};
use std::collections::BTreeSet;

/// The strategy of `ResourceQuota`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, _| validate_resource_quota(errors, object, old)),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, _| {
            validate_resource_quota_status_update(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "ResourceQuota")
};

fn warnings(quota: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none()
        && warnings.since(35)
        && let Some(Value::Object(spec)) = quota.at("spec")
    {
        resource_quota(spec, warnings);
    }
}

/// Sets the defaults of `ResourceQuota`.
fn set_defaults(quota: &mut Map) {
    if let Some(spec) = child_mut(quota, "spec") {
        resources::round_up(spec, "hard");
    }
    if let Some(status) = child_mut(quota, "status") {
        resources::round_up(status, "hard");
        resources::round_up(status, "used");
    }
}

/// Runs `ValidateResourceQuota`, and `ValidateResourceQuotaUpdate` if there is an old object.
fn validate_resource_quota(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_quota_amounts(errors, &spec, "hard");
    validate_resource_quota_scopes(errors, &spec);
    validate_scope_selector(errors, &spec);
    // A new quota has no status: it was reset earlier.
    let Some(old) = old else { return };
    let before: BTreeSet<&str> = old.child("spec").texts("scopes").collect();
    if before != spec.texts("scopes").collect() {
        errors.invalid_value(&spec.at("scopes"), spec.raw("scopes"), IMMUTABLE);
    }
}

/// Implements `ValidateResourceQuotaStatusUpdate`.
fn validate_resource_quota_status_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    if object.child("metadata").text("resourceVersion").is_empty() {
        errors.required(&Path::new("resourceVersion"), "");
    }
    for field in ["hard", "used"] {
        validate_quota_amounts(errors, &object.child("status"), field);
    }
}

/// Implements `ValidateResourceQuotaSpec`, which OpenShift's quotas over projects share.
#[cfg(feature = "openshift")]
pub(crate) fn validate_quota_spec(errors: &mut Errors, spec: &Node) {
    validate_quota_amounts(errors, spec, "hard");
    validate_resource_quota_scopes(errors, spec);
    validate_scope_selector(errors, spec);
}

fn validate_quota_amounts(errors: &mut Errors, node: &Node, field: &'static str) {
    for (name, value) in node.entries(field) {
        let path = &node.at(field).key(name);
        validate_resource_quota_resource_name(errors, name, path);
        validate_resource_quantity_value(errors, name, &quantity(value), path);
    }
}

const QUOTA_SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
];

/// Implements `IsStandardResourceQuotaScope`.
fn is_known_scope(errors: &Errors, scope: &str) -> bool {
    QUOTA_SCOPES.contains(&scope) && (scope != "VolumeAttributesClass" || errors.since(33))
}

/// Implements `IsResourceQuotaScopeValidForResource`, for a known scope.
fn scope_fits(scope: &str, resource: &str) -> bool {
    let compute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]
        .contains(&resource);
    match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => ["persistentvolumeclaims", "requests.storage"].contains(&resource),
        _ => resource == "pods" || compute,
    }
}

/// Implements `validateResourceQuotaScopes`.
fn validate_resource_quota_scopes(errors: &mut Errors, spec: &Node) {
    let path = || spec.at("scopes");
    for scope in spec.texts("scopes") {
        if !is_known_scope(errors, scope) {
            errors.invalid_value(&path(), spec.raw("scopes"), "unsupported scope");
            continue;
        }
        for (name, _) in spec.entries("hard") {
            if is_standard_quota_resource_name(name) && !scope_fits(scope, name) {
                errors.invalid_value(&path(), spec.raw("scopes"), "unsupported scope applied to resource");
            }
        }
    }
    validate_conflicting_scopes(errors, spec, &spec.texts("scopes").collect(), &path());
}

fn validate_conflicting_scopes(errors: &mut Errors, spec: &Node, scopes: &BTreeSet<&str>, path: &Path) {
    for pair in [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] {
        if pair.iter().all(|scope| scopes.contains(scope)) {
            let scopes = spec.raw("scopes");
            let error = Error::invalid(path, scopes, "conflicting scopes");
            errors.push(error.about(Some("core/v1.ResourceQuotaSpec#scopes"), scopes));
        }
    }
}

/// Implements `validateScopedResourceSelectorRequirement`.
fn validate_scope_selector(errors: &mut Errors, spec: &Node) {
    let Some(selector) = spec.get("scopeSelector") else { return };
    let path = selector.at("matchExpressions");
    for requirement in selector.list("matchExpressions").iter().map(Node::root) {
        let (scope, operator) = (requirement.text("scopeName"), requirement.text("operator"));
        let is_known = is_known_scope(errors, scope);
        if !is_known {
            errors.invalid(&path.child("scopeName"), scope, "unsupported scope");
        }
        for (name, _) in spec.entries("hard").filter(|_| is_known) {
            if is_standard_quota_resource_name(name) && !scope_fits(scope, name) {
                let detail = "unsupported scope applied to resource";
                errors.invalid_typed(&path, "internal.ScopeSelector", selector.value(), detail);
            }
        }
        let plain = is_known && !["PriorityClass", "VolumeAttributesClass"].contains(&scope);
        if plain && operator != "Exists" {
            let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                          ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                          ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
            errors.by(Rule::OperatorOfScope, |errors| {
                errors.invalid(&path.child("operator"), operator, detail);
            });
        }
        match (operator, requirement.len("values")) {
            ("In" | "NotIn", 0) => {
                let detail =
                    "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                errors.required(&path.child("values"), detail);
            }
            ("Exists" | "DoesNotExist", 1..) => {
                let detail =
                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                let values = requirement.raw("values");
                let error = Error::invalid(&path.child("values"), values, detail);
                let field = "core/v1.ScopedResourceSelectorRequirement#values";
                errors.push(error.about(Some(field), values));
            }
            ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
    }
    let scopes =
        selector.list("matchExpressions").iter().map(|requirement| Node::root(requirement).text("scopeName"));
    validate_conflicting_scopes(errors, spec, &scopes.collect(), &path);
}

fn resource_quota(spec: &Map, warnings: &mut Warnings<'_>) {
    let Some(hard) = spec.child("hard") else { return };
    let quantity = |name: &str| Quantity::parse(hard.get(name)?.as_str()?).ok();
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let mut request_name = format!("requests.{resource}");
        let mut request = quantity(&request_name);
        if request.is_none() && matches!(resource, "cpu" | "memory") {
            request = quantity(resource);
            resource.clone_into(&mut request_name);
        }
        let limit_name = format!("limits.{resource}");
        if let (Some(request), Some(limit)) = (request, quantity(&limit_name))
            && request > limit
        {
            warnings.push(format!(
                "ResourceQuota {request_name} ({request}) should be less than {limit_name} ({limit})"
            ));
        }
    }
}
