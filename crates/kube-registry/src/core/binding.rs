//! Bindings: which node a Pod runs on.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Answer, Storage, Strategy};
use crate::validation::node::{Errors, Node};
use kube_api::{Status, field};

/// The strategy of `Binding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::Binding),
    validate: Some(|errors, object, _, _| validate_pod_binding(errors, object)),
    refuse: Some(|_, errors| Status::from_error(field::aggregate(errors))),
    ..Strategy::new("", "Binding")
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
