//! Requests for the status of pools of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::declared;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent};
use kube_api::{Map, Value};

const TYPE: &str = "resource/v1alpha3.ResourcePoolStatusRequest";

/// The strategy of `ResourcePoolStatusRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha3"],
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, context| {
        validate_pool_status_request(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, context| {
            validate_request_status(errors, object, old, context.profile);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("resource.k8s.io", "ResourcePoolStatusRequest")
};

/// Sets the defaults of `ResourcePoolStatusRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "limit", 100);
}

/// Implements `Validate_ResourcePoolStatusRequest`: the rules of this kind are declared with its fields.
fn validate_pool_status_request(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    match old {
        Some(old) => validate_object_meta_update(errors, object, old),
        None => validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain),
    }
    declared::validate(errors, TYPE, object, old, profile);
}

/// Implements `ValidateResourcePoolStatusRequestStatusUpdate`, and the rules that are declared with the fields.
fn validate_request_status(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
    const STATUS: &str = "resource/v1alpha3.ResourcePoolStatusRequestStatus";
    validate_object_meta_update(errors, object, old);
    let status = object.child("status");
    if !old.has("status") {
        validate_conditions(errors, object);
    } else if !object.has("status") {
        errors.invalid_value(&status.here(), &Value::Null, IMMUTABLE);
    } else if !semantically_equal(STATUS, status.value(), old.raw("status")) {
        errors.invalid_internal(&status.here(), STATUS, status.value(), IMMUTABLE);
    }
    declared::validate(errors, TYPE, object, Some(old), profile);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::tests::object;
    use gotext::value::json;

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
