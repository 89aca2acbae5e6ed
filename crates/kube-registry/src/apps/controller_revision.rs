//! Earlier states of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};

/// The strategy of `ControllerRevision`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "apps",
    kind: "ControllerRevision",
    resource: "controllerrevisions",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_controller_revision(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

/// Runs `validateControllerRevision`, and checks that its data is an object and does not change.
fn validate_controller_revision(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    errors.non_negative(object, "revision");
    match old {
        None if !object.has("data") => errors.required(&object.at("data"), "data is mandatory"),
        None if !object.raw("data").is_object() => {
            errors.required(&object.at("data"), "data must be a valid JSON object");
        }
        Some(old) if old.raw("data") != object.raw("data") => {
            errors.invalid_value(&object.at("data"), object.raw("data"), IMMUTABLE);
        }
        _ => {}
    }
}
