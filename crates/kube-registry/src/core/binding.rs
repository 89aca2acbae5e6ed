//! Bindings: which node a Pod runs on.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::validation::node::{Errors, Node};
use kube_api::{Status, field};

/// The strategy of `Binding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Binding",
    resource: "bindings",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::Binding),
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
    validate: Some(|errors, object, _, _| validate_pod_binding(errors, object)),
    refuse: Some(|_, errors| Status::from_error(field::aggregate(errors))),
    warnings: None,
    sub_resources: &[],
};

/// Implements `ValidatePodBinding`.
fn validate_pod_binding(errors: &mut Errors, binding: &Node) {
    let target = binding.child("target");
    if !["", "Node"].contains(&target.text("kind")) {
        errors.not_supported(&target.at("kind"), target.text("kind"), &["Node", "<empty>"]);
    }
    if target.text("name").is_empty() {
        errors.required(&target.at("name"), "");
    }
}
