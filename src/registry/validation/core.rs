//! The smaller kinds of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/validation/validation.go`.

use std::collections::BTreeSet;

use crate::api::features::FeatureGates;
use crate::api::field::Path;
use crate::api::quantity::{Format, Quantity};
use crate::api::{Value, names};
use crate::go::json;
use crate::go::quote;
use crate::registry::validation::address::{
    is_valid_cidr_for_legacy_field, is_valid_ip_for_legacy_field, parse_cidr_sloppy, validate_endpoint_ip,
};
use crate::registry::validation::equal::semantically_equal;
use crate::registry::validation::metadata::{
    NameRule, Scope, name_is_dns_subdomain, validate_kube_finalizer_name, validate_label_name,
    validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, IMMUTABLE, Node};
use crate::registry::validation::pod::{
    Options, PORT_PROTOCOLS, validate_pod_template_spec, validate_port_number, validate_taint_effect,
};
use crate::registry::validation::resources::{
    is_overcommit_allowed, is_standard_quota_resource_name, quantity, validate_container_resource_name,
    validate_resource_name, validate_resource_quantity_value, validate_resource_quota_resource_name,
};

pub(in crate::registry) const MAX_SECRET_SIZE: usize = 1024 * 1024;

/// The metadata of a kind whose update repeats the checks of its creation.
pub(in crate::registry) fn validate_meta(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    scope: Scope,
    rule: NameRule,
) {
    match old {
        None => validate_object_meta(errors, object, scope, rule),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
}

/// The metadata of a kind whose update runs both kinds of checks.
pub(in crate::registry) fn validate_both_metas(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    scope: Scope,
    rule: NameRule,
) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    validate_object_meta(errors, object, scope, rule);
}

/// How many bytes the base64 text of a decoded object stands for.
pub(in crate::registry) fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    text.len() / 4 * 3 - text.bytes().rev().take_while(|byte| *byte == b'=').count().min(text.len() / 4 * 3)
}

/// `ValidateConfigMap`, and `ValidateConfigMapUpdate` where there is an old one.
pub(in crate::registry) fn validate_config_map(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        validate_immutable_data(errors, object, old, &["data", "binaryData"]);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let mut size = 0;
    for (key, value) in object.pairs("data") {
        let path = || object.at("data").key(key);
        errors.each(path, key, names::is_config_map_key(key));
        if object.raw("binaryData").get(key).is_some() {
            errors.invalid(&path(), key, "duplicate of key present in binaryData");
        }
        size += value.len();
    }
    for (key, value) in object.entries("binaryData") {
        errors.each(|| object.at("binaryData").key(key), key, names::is_config_map_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SECRET_SIZE {
        errors.too_long(&Path::new(""), MAX_SECRET_SIZE);
    }
}

/// What `immutable` forbids.
pub(in crate::registry) fn validate_immutable_data(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    fields: &[&'static str],
) {
    if !old.flag("immutable") {
        return;
    }
    let detail = "field is immutable when `immutable` is set";
    if !object.flag("immutable") {
        errors.forbidden(&object.at("immutable"), detail);
    }
    for field in fields {
        if !semantically_equal(object.raw(field), old.raw(field)) {
            errors.forbidden(&object.at(field), detail);
        }
    }
}

/// `ValidateSecret`, and `ValidateSecretUpdate` where there is an old one.
pub(in crate::registry) fn validate_secret(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if object.text("type") != old.text("type") {
            errors.invalid(&object.at("type"), object.text("type"), IMMUTABLE);
        }
        validate_immutable_data(errors, object, old, &["data"]);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let path = |key: &str| object.at("data").key(key);
    let mut size = 0;
    for (key, value) in object.entries("data") {
        errors.each(|| path(key), key, names::is_config_map_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SECRET_SIZE {
        errors.too_long(&object.at("data"), MAX_SECRET_SIZE);
    }
    let data = object.raw("data");
    let require = |errors: &mut Errors, key: &str| {
        if data.get(key).is_none() {
            errors.required(&path(key), "");
        }
    };
    match object.text("type") {
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            let metadata = object.child("metadata");
            let name = metadata.raw("annotations").get(NAME).and_then(Value::as_str).unwrap_or_default();
            if name.is_empty() {
                errors.required(&metadata.at("annotations").key(NAME), "");
            }
        }
        "kubernetes.io/dockercfg" => validate_docker_config(errors, object, ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => validate_docker_config(errors, object, ".dockerconfigjson"),
        "kubernetes.io/basic-auth" if data.get("username").is_none() && data.get("password").is_none() => {
            require(errors, "username");
            require(errors, "password");
        }
        "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").map_or(0, decoded_length) == 0 => {
            errors.required(&path("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            require(errors, "tls.crt");
            require(errors, "tls.key");
        }
        _ => {}
    }
}

/// A registry's credentials must be a JSON object.
pub(in crate::registry) fn validate_docker_config(errors: &mut Errors, object: &Node, key: &'static str) {
    use base64::Engine;

    let path = object.at("data").key(key);
    let Some(text) = object.raw("data").get(key).and_then(Value::as_str) else {
        return errors.required(&path, "");
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default();
    let detail = match json::from_slice(&bytes) {
        Ok(Value::Object(_) | Value::Null) => return,
        Ok(other) => format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json_kind(&other)
        ),
        Err(error) => error,
    };
    errors.invalid(&path, "<secret contents redacted>", detail);
}

/// What Go calls the kind of a JSON value.
pub(in crate::registry) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        _ => "string",
    }
}

/// `ValidateNamespace`
pub(in crate::registry) fn validate_namespace(errors: &mut Errors, object: &Node) {
    validate_object_meta(
        errors,
        object,
        Scope::Cluster,
        crate::registry::validation::metadata::name_is_dns_label,
    );
    let spec = object.child("spec");
    for finalizer in spec.texts("finalizers") {
        validate_finalizer_name(errors, finalizer, &spec.at("finalizers"));
    }
}

/// `validateFinalizerName`
pub(in crate::registry) fn validate_finalizer_name(errors: &mut Errors, finalizer: &str, path: &Path) {
    errors.each(|| path.clone(), finalizer, names::is_qualified_name(finalizer));
    validate_kube_finalizer_name(errors, finalizer, || path.clone());
}

/// `ValidateNamespaceFinalizeUpdate`
pub(in crate::registry) fn validate_namespace_finalize_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
) {
    validate_object_meta_update(errors, object, old);
    let spec = object.child("spec");
    for (index, finalizer) in spec.texts("finalizers").enumerate() {
        validate_finalizer_name(errors, finalizer, &spec.at("finalizers").index(index));
    }
}

/// `ValidateNamespaceStatusUpdate`
pub(in crate::registry) fn validate_namespace_status_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    let deleted = object.child("metadata").has("deletionTimestamp");
    let (expected, detail) = if deleted {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    } else {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    };
    let status = object.child("status");
    if status.text("phase") != expected {
        errors.invalid(&status.at("Phase"), status.text("phase"), detail);
    }
}

/// `ValidateServiceAccount`, and its update where there is an old one.
pub(in crate::registry) fn validate_service_account(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_both_metas(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
}

/// `ValidatePodBinding`
pub(in crate::registry) fn validate_pod_binding(errors: &mut Errors, binding: &Node) {
    let target = binding.child("target");
    if !["", "Node"].contains(&target.text("kind")) {
        errors.not_supported(&target.at("kind"), target.text("kind"), &["Node", "<empty>"]);
    }
    if target.text("name").is_empty() {
        errors.required(&target.at("name"), "");
    }
}

/// `ValidatePodTemplate`, and `ValidatePodTemplateUpdate` where there is an old one.
pub(in crate::registry) fn validate_pod_template(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let before = old.map(|old| old.child("template"));
    let options = Options::new(features, before.as_ref());
    validate_pod_template_spec(errors, &object.child("template"), &options);
}

/// `ValidateLimitRange`; an update is checked like a new one.
pub(in crate::registry) fn validate_limit_range(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let mut seen = BTreeSet::new();
    for limit in object.child("spec").items("limits") {
        validate_limit(errors, &limit, &mut seen);
    }
}

pub(in crate::registry) fn validate_limit<'a>(
    errors: &mut Errors,
    limit: &Node<'a>,
    seen: &mut BTreeSet<&'a str>,
) {
    let kind = limit.text("type");
    let messages = names::is_qualified_name(kind);
    if messages.is_empty()
        && !kind.contains('/')
        && !["Pod", "Container", "PersistentVolumeClaim"].contains(&kind)
    {
        errors.invalid(&limit.at("type"), kind, "must be a standard limit type or fully qualified");
    }
    errors.each_of(limit, "type", messages);
    if !seen.insert(kind) {
        errors.duplicate(&limit.at("type"), kind);
    }
    let rule = if ["Pod", "Container"].contains(&kind) {
        validate_container_resource_name
    } else {
        validate_resource_name
    };
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    let mut check = |errors: &mut Errors, field: &'static str| {
        for (name, _) in limit.entries(field) {
            rule(errors, name, &limit.at(field).key(name));
            keys.insert(name);
        }
    };
    check(errors, "max");
    check(errors, "min");
    for field in ["default", "defaultRequest"] {
        if kind != "Pod" {
            check(errors, field);
        } else if limit.len(field) > 0 {
            errors.forbidden(&limit.at(field), "may not be specified when `type` is 'Pod'");
        }
    }
    let storage = |field: &str| limit.raw(field).get("storage").is_some();
    if kind == "PersistentVolumeClaim" && !storage("min") && !storage("max") {
        let detail = "either minimum or maximum storage value is required, but neither was provided";
        errors.required(&limit.at("limits"), detail);
    }
    check(errors, "maxLimitRequestRatio");
    for key in keys {
        validate_limit_amounts(errors, limit, key, kind == "Pod");
    }
}

/// How the amounts that a limit has for one resource relate.
pub(in crate::registry) fn validate_limit_amounts(errors: &mut Errors, limit: &Node, key: &str, pod: bool) {
    let amount = |field: &str| limit.raw(field).get(key).map(quantity);
    let default_of = |field: &str| amount(field).filter(|_| !pod);
    let (min, max, ratio) = (amount("min"), amount("max"), amount("maxLimitRequestRatio"));
    let (default, request) = (default_of("default"), default_of("defaultRequest"));
    let mut above = |field: &'static str,
                     bad: &Option<Quantity>,
                     pair: (&Option<Quantity>, &Option<Quantity>),
                     what: [&str; 2]| {
        if let ((Some(left), Some(right)), Some(bad)) = (pair, bad)
            && left > right
        {
            let detail = format!(
                "{} value {} is greater than {} value {}",
                what[0],
                left.canonical(),
                what[1],
                right.canonical()
            );
            errors.invalid(&limit.at(field).key(key), &bad.canonical(), detail);
        }
    };
    above("min", &min, (&min, &max), ["min", "max"]);
    above("defaultRequest", &request, (&min, &request), ["min", "default request"]);
    above("defaultRequest", &request, (&request, &max), ["default request", "max"]);
    above("defaultRequest", &request, (&request, &default), ["default request", "default limit"]);
    above("default", &min, (&min, &default), ["min", "default"]);
    above("default", &max, (&default, &max), ["default", "max"]);
    if let Some(ratio) = ratio {
        let path = || limit.at("maxLimitRequestRatio").key(key);
        if ratio < Quantity::from_value(1, Format::DecimalSi) {
            errors.invalid(
                &path(),
                &ratio.canonical(),
                format!("ratio {} is less than 1", ratio.canonical()),
            );
        }
        if let (Some(min), Some(max)) = (&min, &max) {
            let bound = max.to_f64() / min.to_f64();
            if ratio.to_f64() > bound {
                let detail = format!("ratio {} is greater than max/min = {bound:.6}", ratio.canonical());
                errors.invalid(&path(), &ratio.canonical(), detail);
            }
        }
    }
    if let (Some(default), Some(request)) = (&default, &request)
        && !is_overcommit_allowed(key)
        && default != request
    {
        let detail = format!(
            "default value {} must equal to defaultRequest value {} in {key}",
            default.canonical(),
            request.canonical()
        );
        errors.invalid(&limit.at("defaultRequest").key(key), &request.canonical(), detail);
    }
}

/// `ValidateResourceQuota`, and `ValidateResourceQuotaUpdate` where there is an old one.
pub(in crate::registry) fn validate_resource_quota(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_quota_amounts(errors, &spec, "hard");
    validate_resource_quota_scopes(errors, &spec);
    validate_scope_selector(errors, &spec);
    // A new quota has no status: it was reset before.
    let Some(old) = old else { return };
    let before: BTreeSet<&str> = old.child("spec").texts("scopes").collect();
    if before != spec.texts("scopes").collect() {
        errors.invalid_value(&spec.at("scopes"), spec.raw("scopes"), IMMUTABLE);
    }
}

/// `ValidateResourceQuotaStatusUpdate`
pub(in crate::registry) fn validate_resource_quota_status_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
) {
    validate_object_meta_update(errors, object, old);
    if object.child("metadata").text("resourceVersion").is_empty() {
        errors.required(&Path::new("resourceVersion"), "");
    }
    for field in ["hard", "used"] {
        validate_quota_amounts(errors, &object.child("status"), field);
    }
}

pub(in crate::registry) fn validate_quota_amounts(errors: &mut Errors, node: &Node, field: &'static str) {
    for (name, value) in node.entries(field) {
        let path = &node.at(field).key(name);
        validate_resource_quota_resource_name(errors, name, path);
        validate_resource_quantity_value(errors, name, &quantity(value), path);
    }
}

pub(in crate::registry) const QUOTA_SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
];

/// `IsResourceQuotaScopeValidForResource`
pub(in crate::registry) fn scope_fits(scope: &str, resource: &str) -> bool {
    let compute = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"]
        .contains(&resource);
    match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => ["persistentvolumeclaims", "requests.storage"].contains(&resource),
        scope if QUOTA_SCOPES.contains(&scope) => resource == "pods" || compute,
        _ => true,
    }
}

/// `validateResourceQuotaScopes`
pub(in crate::registry) fn validate_resource_quota_scopes(errors: &mut Errors, spec: &Node) {
    let path = || spec.at("scopes");
    for scope in spec.texts("scopes") {
        if !QUOTA_SCOPES.contains(&scope) {
            errors.invalid_value(&path(), spec.raw("scopes"), "unsupported scope");
        }
        for (name, _) in spec.entries("hard") {
            if is_standard_quota_resource_name(name) && !scope_fits(scope, name) {
                errors.invalid_value(&path(), spec.raw("scopes"), "unsupported scope applied to resource");
            }
        }
    }
    validate_conflicting_scopes(errors, spec, &spec.texts("scopes").collect(), &path());
}

pub(in crate::registry) fn validate_conflicting_scopes(
    errors: &mut Errors,
    spec: &Node,
    scopes: &BTreeSet<&str>,
    path: &Path,
) {
    for pair in [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] {
        if pair.iter().all(|scope| scopes.contains(scope)) {
            errors.invalid_value(path, spec.raw("scopes"), "conflicting scopes");
        }
    }
}

/// `validateScopedResourceSelectorRequirement`
pub(in crate::registry) fn validate_scope_selector(errors: &mut Errors, spec: &Node) {
    let Some(selector) = spec.get("scopeSelector") else { return };
    let path = selector.at("matchExpressions");
    for requirement in selector.list("matchExpressions").iter().map(Node::root) {
        let (scope, operator) = (requirement.text("scopeName"), requirement.text("operator"));
        if !QUOTA_SCOPES.contains(&scope) {
            errors.invalid(&path.child("scopeName"), scope, "unsupported scope");
        }
        for (name, _) in spec.entries("hard") {
            if is_standard_quota_resource_name(name) && !scope_fits(scope, name) {
                let detail = "unsupported scope applied to resource";
                errors.invalid_typed(&path, "internal.ScopeSelector", selector.value(), detail);
            }
        }
        let plain =
            QUOTA_SCOPES.contains(&scope) && !["PriorityClass", "VolumeAttributesClass"].contains(&scope);
        if plain && operator != "Exists" {
            let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                          ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                          ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
            errors.invalid(&path.child("operator"), operator, detail);
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
                errors.invalid_value(&path.child("values"), requirement.raw("values"), detail);
            }
            ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
    }
    let scopes =
        selector.list("matchExpressions").iter().map(|requirement| Node::root(requirement).text("scopeName"));
    validate_conflicting_scopes(errors, spec, &scopes.collect(), &path);
}

/// `ValidateNode`
pub(in crate::registry) fn validate_node(errors: &mut Errors, object: &Node, features: &FeatureGates) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    validate_node_taints(errors, object);
    validate_node_resources(errors, object);
    if let Some(swap) =
        object.child("status").child("nodeInfo").get("swap").filter(|swap| swap.has("capacity"))
    {
        let swap = Node::new(Path::new("metadata").child("nodeSwapStatus"), swap.value());
        errors.positive(&swap, "capacity");
    }
    validate_node_declared_features(errors, object);
    let spec = object.child("spec");
    for (index, range) in spec.texts("podCIDRs").enumerate() {
        let path = || spec.at("podCIDRs").index(index);
        is_valid_cidr_for_legacy_field(errors, path, range, features, std::iter::empty());
    }
    let families: Vec<bool> =
        spec.texts("podCIDRs").filter_map(parse_cidr_sloppy).map(|range| range.is_v6()).collect();
    let count = spec.len("podCIDRs");
    if count > 1 && families.len() == count && (count > 2 || families[0] == families[1]) {
        let detail = "may specify no more than one CIDR for each IP family";
        errors.invalid_value(&spec.at("podCIDRs"), spec.raw("podCIDRs"), detail);
    }
}

/// `validateNodeTaints`; upstream names them as if they were metadata.
pub(in crate::registry) fn validate_node_taints(errors: &mut Errors, object: &Node) {
    let spec = Node::new(object.at("metadata"), object.raw("spec"));
    let mut seen = BTreeSet::new();
    for taint in spec.items("taints") {
        validate_label_name(errors, &taint, "key");
        let messages = names::is_valid_label_value(taint.text("value"));
        if !messages.is_empty() {
            errors.invalid(&taint.at("value"), taint.text("value"), messages.join(";"));
        }
        validate_taint_effect(errors, &taint);
        if !seen.insert((taint.text("effect"), taint.text("key"))) {
            let detail = "taints must be unique by key and effect pair";
            errors.duplicate_typed(&taint.here(), "internal.Taint", taint.value(), detail);
        }
    }
}

/// `ValidateNodeResources`
pub(in crate::registry) fn validate_node_resources(errors: &mut Errors, object: &Node) {
    let status = object.child("status");
    for field in ["capacity", "allocatable"] {
        for (name, value) in status.entries(field) {
            let path = status.at(field).child(name.to_owned());
            validate_resource_quantity_value(errors, name, &quantity(value), &path);
        }
    }
}

/// `validateNodeDeclaredFeatures`
pub(in crate::registry) fn validate_node_declared_features(errors: &mut Errors, object: &Node) {
    let status = object.child("status");
    let path = |index: usize| status.at("declaredFeatures").index(index);
    let features: Vec<&str> = status.texts("declaredFeatures").collect();
    for (index, feature) in features.iter().enumerate() {
        let quoted = quote(feature);
        if feature.len() > 253 {
            let detail = format!("invalid feature name {quoted}: must be no more than 253 characters");
            errors.invalid(&path(index), feature, detail);
        } else if !is_feature_name(feature) {
            let detail = format!(
                "invalid feature name {quoted}: must start with an UpperCamelCase segment, with subsequent segments \
                 separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric \
                 characters and slashes"
            );
            errors.invalid(&path(index), feature, detail);
        }
        let Some(next) = features.get(index + 1) else { continue };
        if next == feature {
            errors.duplicate(&path(index + 1), next);
        } else if feature > next {
            errors.invalid(&path(index + 1), next, "list must be sorted alphabetically");
        }
    }
}

pub(in crate::registry) fn is_feature_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.split('/').all(|segment| {
            segment.starts_with(|first: char| first.is_ascii_alphabetic())
                && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// `ValidateNodeUpdate`; the kubelet configuration of old is not looked into.
pub(in crate::registry) fn validate_node_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    validate_node_resources(errors, object);
    validate_node_declared_features(errors, object);
    let status = object.child("status");
    let mut seen = BTreeSet::new();
    for address in status.items("addresses") {
        let (kind, text) = (address.text("type"), address.text("address"));
        if !seen.insert((kind, text)) {
            errors.duplicate_typed(&address.here(), "internal.NodeAddress", address.value(), "");
        }
    }
    let (spec, before) = (object.child("spec"), old.child("spec"));
    let (now, then) = (spec.list("podCIDRs"), before.list("podCIDRs"));
    let detail = "node updates may not change podCIDR except from \"\" to valid";
    if !then.is_empty() {
        let changes = if now.len() == then.len() {
            now.iter().zip(then).filter(|(now, then)| now != then).count()
        } else {
            1
        };
        for _ in 0..changes {
            errors.forbidden(&spec.at("podCIDRs"), detail);
        }
    }
    if !before.text("providerID").is_empty() && before.text("providerID") != spec.text("providerID") {
        let detail = "node updates may not change providerID except from \"\" to valid";
        errors.forbidden(&spec.at("providerID"), detail);
    }
    validate_node_taints(errors, object);
    if spec.text("externalID") != before.text("externalID") {
        errors.forbidden(&spec.at("externalID"), "may not be updated");
    }
}

/// `ValidateEndpoints`, and `ValidateEndpointsUpdate` where there is an old one.
pub(in crate::registry) fn validate_endpoints(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_both_metas(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    if old.is_some_and(|old| semantically_equal(old.raw("subsets"), object.raw("subsets"))) {
        return;
    }
    for subset in object.items("subsets") {
        if subset.len("addresses") + subset.len("notReadyAddresses") == 0 {
            errors.required(&subset.here(), "must specify `addresses` or `notReadyAddresses`");
        }
        for list in ["addresses", "notReadyAddresses"] {
            for address in subset.items(list) {
                let ip = address.text("ip");
                is_valid_ip_for_legacy_field(errors, || address.at("ip"), ip, features, std::iter::empty());
                if !address.text("hostname").is_empty() {
                    errors.each_of(&address, "hostname", names::is_dns1123_label(address.text("hostname")));
                }
                if let Some(node) = address.given("nodeName") {
                    errors.each_of(&address, "nodeName", name_is_dns_subdomain(node, false));
                }
                validate_endpoint_ip(errors, ip, || address.at("ip"));
            }
        }
        for port in subset.items("ports") {
            if port.text("name").is_empty() {
                if subset.len("ports") > 1 {
                    errors.required(&port.at("name"), "");
                }
            } else {
                errors.each_of(&port, "name", names::is_dns1123_label(port.text("name")));
            }
            validate_port_number(errors, &port, "port");
            errors.require_one_of(&port, "protocol", &PORT_PROTOCOLS);
            if let Some(protocol) = port.given("appProtocol") {
                errors.each_of(&port, "appProtocol", names::is_qualified_name(protocol));
            }
        }
    }
}

/// `ValidatePriorityClass`, and `ValidatePriorityClassUpdate` where there is an old one.
pub(in crate::registry) fn validate_priority_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    const HIGHEST_USER_PRIORITY: i64 = 1_000_000_000;
    const SYSTEM: [(&str, i64); 2] =
        [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if object.int("value") != old.int("value") {
            errors.forbidden(&object.at("value"), "may not be changed in an update.");
        }
        if object.raw("preemptionPolicy") != old.raw("preemptionPolicy") {
            let path = object.at("preemptionPolicy");
            errors.invalid_value(&path, object.raw("preemptionPolicy"), IMMUTABLE);
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let metadata = object.child("metadata");
    let (name, value) = (metadata.text("name"), object.int("value"));
    if name.starts_with("system-") {
        let known = SYSTEM.iter().find(|(known, _)| *known == name);
        let error = match known {
            None => Some(format!("{name} is not a known system priority class")),
            Some((_, expected)) if *expected != value => {
                Some(format!("value of {name} PriorityClass must be {expected}"))
            }
            Some(_) if object.flag("globalDefault") => {
                Some(format!("globalDefault of {name} PriorityClass must be false"))
            }
            Some(_) => None,
        };
        if let Some(error) = error {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {error}"
            );
            errors.forbidden(&metadata.at("name"), detail);
        }
    } else if value > HIGHEST_USER_PRIORITY {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}");
        errors.forbidden(&object.at("value"), detail);
    }
    if object.has("preemptionPolicy") {
        errors.require_one_of(object, "preemptionPolicy", &["PreemptLowerPriority", "Never"]);
    }
}
