//! Requests for the status of pools of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::devices::MAX_POOL_NAME;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::tree::{child_or_insert, set_if_absent};
use kube_api::{Map, Value, internal_json};

const MAX_POOLS: usize = 1000;

const MAX_CONDITIONS: usize = 10;

const MAX_ERROR: usize = 256;

/// The strategy of `ResourcePoolStatusRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha3"],
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, _| validate_pool_status_request(errors, object, old)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| validate_request_status(errors, object, old)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("resource.k8s.io", "ResourcePoolStatusRequest")
};

/// Sets the defaults of `ResourcePoolStatusRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "limit", 100);
}

/// Implements `Validate_ResourcePoolStatusRequest`: the rules of this kind are declared with its fields.
fn validate_pool_status_request(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if !semantically_equal(
            "resource/v1alpha3.ResourcePoolStatusRequestSpec",
            spec.value(),
            old.raw("spec"),
        ) {
            errors.invalid_value(&spec.here(), &Value::Null, IMMUTABLE);
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    if errors.require_text(&spec, "driver") {
        errors.each_of(&spec, "driver", names::is_long_name_caseless(spec.text("driver")));
    }
    if spec.has("poolName") {
        validate_pool_name(errors, &spec);
    }
    match spec.number("limit") {
        None => errors.required(&spec.at("limit"), ""),
        Some(limit) if limit > 1000 => {
            errors.invalid_int(&spec.at("limit"), limit, "must be less than or equal to 1000");
        }
        Some(limit) if limit < 1 => {
            errors.invalid_int(&spec.at("limit"), limit, "must be greater than or equal to 1");
        }
        Some(_) => {}
    }
}

/// Implements `ResourcePoolName` of declared rules.
fn validate_pool_name(errors: &mut Errors, node: &Node) {
    let name = node.text("poolName");
    if name.len() > MAX_POOL_NAME {
        errors.too_long(&node.at("poolName"), MAX_POOL_NAME);
    }
    for (index, segment) in name.split('/').enumerate() {
        if segment.is_empty() {
            let detail = format!("segment {index}: must not be empty");
            errors.invalid(&node.at("poolName"), name, detail);
        }
        for message in names::is_long_name(segment).into_iter().filter(|_| !segment.is_empty()) {
            errors.invalid(&node.at("poolName"), segment, format!("segment {index}: {message}"));
        }
    }
}

/// Implements `ValidateResourcePoolStatusRequestStatusUpdate`, and the rules that are declared with the fields.
fn validate_request_status(errors: &mut Errors, object: &Node, old: &Node) {
    const TYPE: &str = "resource/v1alpha3.ResourcePoolStatusRequestStatus";
    validate_object_meta_update(errors, object, old);
    let status = object.child("status");
    let is_changed = object.has("status") != old.has("status")
        || !semantically_equal(TYPE, status.value(), old.raw("status"));
    if old.has("status") && is_changed {
        if object.has("status") {
            errors.invalid_internal(&status.here(), TYPE, status.value(), IMMUTABLE);
        } else {
            errors.invalid_value(&status.here(), &Value::Null, IMMUTABLE);
        }
    }
    if !old.has("status") {
        validate_conditions(errors, object);
    }
    if !is_changed || !object.has("status") {
        return;
    }
    require_at_least(errors, &status, "poolCount", 0);
    if status.len("pools") > MAX_POOLS {
        errors.too_many(&status.at("pools"), status.len("pools"), MAX_POOLS);
    } else {
        status.items("pools").for_each(|pool| validate_pool(errors, &pool));
    }
    if status.len("conditions") > MAX_CONDITIONS {
        return errors.too_many(&status.at("conditions"), status.len("conditions"), MAX_CONDITIONS);
    }
    let mut seen = Vec::new();
    for condition in status.items("conditions") {
        if seen.contains(&condition.text("type")) {
            let printed = internal_json::compact("meta/v1.Condition", condition.value());
            errors.duplicate_printed(&condition.here(), printed);
        }
        seen.push(condition.text("type"));
    }
}

/// Implements `Validate_PoolStatus`.
fn validate_pool(errors: &mut Errors, pool: &Node) {
    if errors.require_text(pool, "driver") {
        errors.each_of(pool, "driver", names::is_long_name_caseless(pool.text("driver")));
    }
    if errors.require_text(pool, "poolName") {
        validate_pool_name(errors, pool);
    }
    if pool.int("generation") == 0 {
        errors.required(&pool.at("generation"), "");
    } else {
        at_least(errors, pool, "generation", 0);
    }
    at_least(errors, pool, "resourceSliceCount", 1);
    for field in ["totalDevices", "allocatedDevices", "availableDevices", "unavailableDevices"] {
        at_least(errors, pool, field, 0);
    }
    if let Some(name) = pool.given("nodeName") {
        errors.each_of(pool, "nodeName", names::is_long_name(name));
    }
    if pool.text("validationError").len() > MAX_ERROR {
        errors.too_long(&pool.at("validationError"), MAX_ERROR);
    }
}

fn require_at_least(errors: &mut Errors, node: &Node, field: &'static str, least: i64) {
    if node.has(field) {
        at_least(errors, node, field, least);
    } else {
        errors.required(&node.at(field), "");
    }
}

fn at_least(errors: &mut Errors, node: &Node, field: &'static str, least: i64) {
    if let Some(value) = node.number(field).filter(|value| *value < least) {
        errors.invalid_int(&node.at(field), value, format!("must be greater than or equal to {least}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::tests::object;
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;

    #[test]
    fn rejects_another_spec() {
        let request = |limit: u32| {
            object(&json!({
                "apiVersion": "resource.k8s.io/v1alpha3",
                "kind": "ResourcePoolStatusRequest",
                "metadata": {"name": "gpus", "resourceVersion": "1"},
                "spec": {"driver": "gpu.example.com", "limit": limit},
            }))
        };
        let profile = ServerProfile::default();
        let errors = |limit| {
            let errors = STRATEGY.validate_update(&request(limit), &request(5), "", &Context::new(&profile));
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(errors(5), [""; 0]);
        assert_eq!(errors(6), ["spec: Invalid value: null: field is immutable"]);
    }
}
