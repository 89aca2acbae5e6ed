//! Dynamic resource allocation: device classes, claims and their templates; slices and taints are below.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/validation`, `k8s.io/kubernetes/pkg/registry/resource`.

mod capacity;
pub(crate) mod claim_status;
pub(crate) mod first_beta;
pub(crate) mod slice;
pub(crate) mod taint;

use crate::strategy::Context;
pub(crate) use crate::validation::devices::taint::validate_device_taint_rule_status;
use crate::validation::expression::validate_device_expression;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_csi_driver_name;
use gotext::encoding_json;
use gotext::names;
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::field::{Error, Path, Rule};
use kube_api::server_profile::ServerProfile;
use std::collections::BTreeMap;

const MAX_REQUESTS: usize = 32;

const MAX_CONSTRAINTS: usize = 32;

pub(crate) const MAX_CONFIGURATIONS: usize = 32;

const MAX_SELECTORS: usize = 32;

const MAX_ALTERNATIVES: usize = 8;

const MAX_EXPRESSION: usize = 10 * 1024;

const MAX_PARAMETERS: usize = 10 * 1024;

pub(crate) const MAX_ID: usize = 32;

pub(crate) const MAX_POOL_NAME: usize = 253;

/// The label of namespaces in which claims may ask for access to devices that others use.
const ADMIN_ACCESS_LABEL: &str = "resource.kubernetes.io/admin-access";

/// Implements `AuthorizedForAdmin`: refuses access to devices that only namespaces with a label may request. Upstream
/// names the field as in a claim, in every kind.
pub(crate) fn validate_admin_access(errors: &mut Errors, spec: &Node, context: &Context<'_>) {
    if context.request().namespace.and_then(|namespace| namespace.label(ADMIN_ACCESS_LABEL)) == Some("true") {
        return;
    }
    let requests = spec.child("devices");
    let mut requests = requests.list("requests").iter();
    if let Some(index) = requests.position(|request| request["exactly"]["adminAccess"] == true) {
        let path = Path::new("spec.devices.requests").index(index).child("adminAccess");
        let detail = format!(
            "admin access to devices requires the `{ADMIN_ACCESS_LABEL}: true` label on the containing namespace"
        );
        errors.forbidden(&path, detail);
    }
}

/// The requests of a claim, and the alternatives within each.
type RequestNames<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// Implements `gatherRequestNames`.
fn request_names<'a>(claim: &Node<'a>) -> RequestNames<'a> {
    let alternatives = |request: &Node<'a>| {
        let alternatives = request.list("firstAvailable").iter();
        alternatives.map(|alternative| Node::root(alternative).text("name")).collect()
    };
    let requests = claim.list("requests").iter().map(Node::root);
    requests.map(|request| (request.text("name"), alternatives(&request))).collect()
}

/// Implements `validateDeviceClaim`.
pub(crate) fn validate_device_claim(errors: &mut Errors, claim: &Node, profile: &ServerProfile) {
    let names = request_names(claim);
    validate_named_list(errors, claim, "requests", MAX_REQUESTS, "name", |errors, request| {
        validate_device_request(errors, request, profile);
    });
    validate_list(errors, claim, "constraints", MAX_CONSTRAINTS, |errors, constraint| {
        validate_request_references(errors, constraint, &names);
        validate_device_constraint(errors, constraint, profile);
    });
    validate_list(errors, claim, "config", MAX_CONFIGURATIONS, |errors, config| {
        validate_request_references(errors, config, &names);
        validate_device_configuration(errors, config, false);
    });
}

/// Implements `validateSlice` of structs.
pub(crate) fn validate_list(
    errors: &mut Errors,
    node: &Node,
    field: &'static str,
    most: usize,
    validate_item: impl Fn(&mut Errors, &Node),
) {
    if node.len(field) > most {
        errors.too_many(&node.at(field), node.len(field), most);
        return;
    }
    for item in node.items(field) {
        validate_item(errors, &item);
    }
}

/// Implements `validateSet` for structs that `key` distinguishes.
pub(crate) fn validate_named_list(
    errors: &mut Errors,
    node: &Node,
    field: &'static str,
    most: usize,
    key: &str,
    validate_item: impl Fn(&mut Errors, &Node),
) {
    validate_list(errors, node, field, most, validate_item);
    if node.len(field) > most {
        return;
    }
    let mut seen = Vec::new();
    for item in node.items(field) {
        if seen.contains(&item.text(key)) {
            errors.by(Rule::NameOfRequest, |errors| errors.duplicate(&item.here(), item.text(key)));
        }
        seen.push(item.text(key));
    }
}

/// Implements `validateDeviceRequest`.
fn validate_device_request(errors: &mut Errors, request: &Node, profile: &ServerProfile) {
    errors.each_of(request, "name", names::is_dns1123_label(request.text("name")));
    match (request.get("exactly"), request.len("firstAvailable") > 0) {
        (None, false) => {
            errors.required(&request.here(), "exactly one of `exactly` or `firstAvailable` is required");
        }
        (Some(_), true) => {
            let detail =
                "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errors.invalid_value(&request.here(), &Value::Null, detail);
        }
        (None, true) => {
            let validate = |errors: &mut Errors, request: &Node| {
                errors.each_of(request, "name", names::is_dns1123_label(request.text("name")));
                validate_exact_request(errors, request, profile);
            };
            validate_named_list(errors, request, "firstAvailable", MAX_ALTERNATIVES, "name", validate);
        }
        (Some(exactly), false) => validate_exact_request(errors, &exactly, profile),
    }
}

/// Implements `validateExactDeviceRequest`, and the checks that it shares with `validateDeviceSubRequest`.
fn validate_exact_request(errors: &mut Errors, request: &Node, profile: &ServerProfile) {
    if errors.require_text(request, "deviceClassName") {
        let messages = names::is_dns1123_subdomain(request.text("deviceClassName"));
        errors.each_of(request, "deviceClassName", messages);
    }
    validate_selectors(errors, request, profile);
    match request.text("allocationMode") {
        "All" => {
            let count = request.int("count");
            if count != 0 {
                let detail = "must not be specified when allocationMode is 'All'";
                errors.invalid_int(&request.at("count"), count, detail);
            }
        }
        "ExactCount" => errors.positive(request, "count"),
        _ => errors.one_of(request, "allocationMode", &["All", "ExactCount"]),
    }
    for toleration in request.items("tolerations") {
        taint::validate_device_toleration(errors, &toleration);
    }
}

/// Implements `validateSelectorSlice`.
pub(crate) fn validate_selectors(errors: &mut Errors, node: &Node, profile: &ServerProfile) {
    validate_list(errors, node, "selectors", MAX_SELECTORS, |errors, selector| match selector.get("cel") {
        None => errors.required(&selector.at("cel"), ""),
        Some(cel) if cel.text("expression").len() > MAX_EXPRESSION => {
            errors.too_long(&cel.at("expression"), MAX_EXPRESSION);
        }
        Some(cel) => validate_device_expression(errors, &cel, profile),
    });
}

/// Validates the names of the requests that a constraint or a configuration is for.
fn validate_request_references(errors: &mut Errors, node: &Node, known: &RequestNames) {
    let requests: Vec<&str> = node.texts("requests").collect();
    if requests.len() > MAX_REQUESTS {
        errors.too_many(&node.at("requests"), requests.len(), MAX_REQUESTS);
        return;
    }
    let path = |index: usize| node.at("requests").index(index);
    for (index, name) in requests.iter().enumerate() {
        validate_request_reference(errors, name, || path(index), known);
    }
    for (index, name) in requests.iter().enumerate().filter(|(index, name)| requests[..*index].contains(name))
    {
        errors.duplicate(&path(index), name);
    }
}

/// Implements `validateRequestNameRef`.
fn validate_request_reference(
    errors: &mut Errors,
    name: &str,
    path: impl Fn() -> Path,
    known: &RequestNames,
) {
    const DETAIL: &str = "must be the name of a request in the claim or the name of a request and a subrequest \
                          separated by '/'";
    let segments: Vec<&str> = name.split('/').collect();
    if segments.len() > 2 {
        errors.invalid(&path(), name, DETAIL);
        return;
    }
    for segment in &segments {
        errors.each(&path, segment, names::is_dns1123_label(segment));
    }
    let is_known = known.get(segments[0]).is_some_and(|alternatives| {
        segments.get(1).is_none_or(|alternative| alternatives.contains(alternative))
    });
    if !is_known {
        errors.invalid(&path(), name, DETAIL);
    }
}

/// Implements `validateDeviceConstraint`.
fn validate_device_constraint(errors: &mut Errors, constraint: &Node, profile: &ServerProfile) {
    for field in ["matchAttribute", "distinctAttribute"] {
        if let Some(name) = constraint.given(field) {
            validate_qualified_name(errors, name, || constraint.at(field));
            if !name.contains('/') {
                let detail = "a fully qualified name must be a domain and a name separated by a slash";
                errors.invalid(&constraint.at(field), name, detail);
            }
            return;
        }
    }
    if profile.enabled(Feature::DRAConsumableCapacity) {
        let detail = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
        errors.required(&constraint.here(), detail);
    } else {
        errors.required(&constraint.at("matchAttribute"), "");
    }
}

/// Implements `validateQualifiedName`; names with more than one slash pass.
pub(crate) fn validate_qualified_name(errors: &mut Errors, name: &str, path: impl Fn() -> Path) {
    let parts: Vec<&str> = name.split('/').collect();
    let id = match *parts.as_slice() {
        [id] => id,
        ["", id] => {
            errors.invalid(&path(), "", "the domain must not be empty");
            id
        }
        [domain, id] => {
            validate_driver_name(errors, domain, &path);
            id
        }
        _ => return,
    };
    if id.is_empty() && parts.len() == 2 {
        errors.invalid(&path(), "", "the name must not be empty");
        return;
    }
    if id.len() > MAX_ID {
        errors.too_long(&path(), MAX_ID);
    }
    errors.each(path, id, names::is_c_identifier(id));
}

/// Runs `ValidateCSIDriverName` on a name that is not a field.
fn validate_driver_name(errors: &mut Errors, name: &str, path: impl Fn() -> Path) {
    if name.len() > 63 {
        errors.too_long(&path(), 63);
    }
    errors.each(path, name, names::is_dns1123_subdomain(&name.to_lowercase()));
}

/// Implements `validatePoolName`.
pub(crate) fn validate_pool_name(errors: &mut Errors, node: &Node, field: &'static str) {
    if !errors.require_text(node, field) {
        return;
    }
    let name = node.text(field);
    if name.len() > MAX_POOL_NAME {
        errors.too_long(&node.at(field), MAX_POOL_NAME);
    }
    for part in name.split('/') {
        errors.each(|| node.at(field), part, names::is_dns1123_subdomain(part));
    }
}

/// Implements `validateDeviceConfiguration`.
pub(crate) fn validate_device_configuration(errors: &mut Errors, config: &Node, stored: bool) {
    match config.get("opaque") {
        None => errors.required(&config.at("opaque"), ""),
        Some(opaque) => {
            validate_csi_driver_name(errors, &opaque, "driver");
            validate_raw_extension(errors, &opaque, "parameters", stored);
        }
    }
}

/// Implements `validateRawExtension`.
fn validate_raw_extension(errors: &mut Errors, node: &Node, field: &'static str, stored: bool) {
    let path = || node.at(field);
    match node.raw(field) {
        Value::Null => errors.required(&path(), ""),
        value if !stored && encoding_json::to_string(value).len() > MAX_PARAMETERS => {
            errors.too_long(&path(), MAX_PARAMETERS);
        }
        Value::Object(_) => {}
        _ => errors.push(Error::invalid_text(&path(), "<value omitted>", "must be a valid JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of;
    use gotext::value::json;
    use kube_api::{GroupVersionKind, Object};

    fn errors(version: &'static str, kind: &'static str, value: Value) -> Vec<String> {
        let object = Object::new(GroupVersionKind::new("resource.k8s.io", version, kind), value);
        let profile = ServerProfile::default();
        let errors = of(&object.kind).unwrap().validate_create(&object, &Context::new(&profile));
        errors.iter().map(ToString::to_string).collect()
    }

    fn claim(request: &Value) -> Value {
        let metadata = json!({"name": "gpu", "namespace": "shop"});
        json!({"metadata": metadata, "spec": {"devices": {"requests": [request]}}})
    }

    #[test]
    fn sees_the_first_beta_as_the_version_behind_it() {
        let flat =
            json!({"name": "gpu", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 0});
        assert_eq!(
            errors("v1beta1", "ResourceClaim", claim(&flat)),
            ["spec.devices.requests[0].exactly.count: Invalid value: 0: must be greater than zero"]
        );
        let deep = json!({"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}});
        assert_eq!(errors("v1", "ResourceClaim", claim(&deep)), [""; 0]);
    }

    #[test]
    fn knows_the_requests_that_others_refer_to() {
        let mut claim = claim(&json!({
            "name": "gpu",
            "firstAvailable": [{"name": "big", "deviceClassName": "gpu", "allocationMode": "All"}],
        }));
        let constraint =
            |request: &str| json!([{"requests": [request], "matchAttribute": "example.com/model"}]);
        claim["spec"]["devices"]["constraints"] = constraint("gpu/big");
        assert_eq!(errors("v1", "ResourceClaim", claim.clone()), [""; 0]);
        claim["spec"]["devices"]["constraints"] = constraint("gpu/small");
        assert_eq!(
            errors("v1", "ResourceClaim", claim),
            [
                "spec.devices.constraints[0].requests[0]: Invalid value: \"gpu/small\": must be the name of a request in \
                 the claim or the name of a request and a subrequest separated by '/'"
            ]
        );
    }

    #[test]
    fn wants_default_and_steps_to_fit_the_range() {
        let policy = json!({"default": "3", "validRange": {"min": "2", "max": "6", "step": "2"}});
        let device = json!({
            "name": "gpu", "allowMultipleAllocations": true,
            "capacity": {"memory": {"value": "8", "requestPolicy": policy}},
        });
        let pool = json!({"name": "pool", "resourceSliceCount": 1});
        let spec = json!({"driver": "gpu.example.com", "pool": pool, "allNodes": true, "devices": [device]});
        assert_eq!(
            errors("v1", "ResourceSlice", json!({"metadata": {"name": "slice"}, "spec": spec})),
            [
                "spec.devices[0].capacity[memory].requestPolicy.validRange.step: Invalid value: \"3\": value is not a \
                 multiple of a given step (2) from (2)"
            ]
        );
    }
}
