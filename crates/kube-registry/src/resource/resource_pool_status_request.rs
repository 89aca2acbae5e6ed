//! Requests for the status of pools of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::validation::devices::MAX_POOL_NAME;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::tree::{child_or_insert, set_if_absent};
use kube_api::{Map, Value};

/// The strategy of `ResourcePoolStatusRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "resource.k8s.io",
    kind: "ResourcePoolStatusRequest",
    resource: "resourcepoolstatusrequests",
    versions: &["v1alpha3"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_pool_status_request(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
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
        let messages = names::is_dns1123_subdomain(&spec.text("driver").to_lowercase());
        errors.each_of(&spec, "driver", messages);
    }
    if let Some(name) = spec.given("poolName") {
        if name.len() > MAX_POOL_NAME {
            errors.too_long(&spec.at("poolName"), MAX_POOL_NAME);
        }
        for (index, segment) in name.split('/').enumerate() {
            if segment.is_empty() {
                let detail = format!("segment {index}: must not be empty");
                errors.invalid(&spec.at("poolName"), name, detail);
            }
            for message in names::is_dns1123_subdomain(segment).into_iter().filter(|_| !segment.is_empty()) {
                errors.invalid(&spec.at("poolName"), segment, format!("segment {index}: {message}"));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::tests::object;
    use gotext::value::json;
    use kube_api::features::FeatureGates;

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
        let features = FeatureGates::default();
        let errors = |limit| {
            let errors = STRATEGY.validate_update(&request(limit), &request(5), "", &Context::new(&features));
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(errors(5), [""; 0]);
        assert_eq!(errors(6), ["spec: Invalid value: null: field is immutable"]);
    }
}
