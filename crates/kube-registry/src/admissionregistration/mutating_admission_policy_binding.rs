//! Bindings of mutating policies.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults;
use crate::strategy::Strategy;
use crate::validation::admission_policy::{validate_binding_head, validate_mutating_operations};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::validate_static_suffix;
use crate::warnings::static_suffix;
use kube_api::server_profile::ServerProfile;

/// The strategy of `MutatingAdmissionPolicyBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1", "v1alpha1"],
    allow_unconditional_update: false,
    defaults: Some(|binding, version, _| match version {
        "v1alpha1" => defaults::admission_registration::alpha_binding(binding),
        _ => defaults::admission_registration::binding(binding),
    }),
    validate: Some(|errors, object, old, context| {
        validate_mutating_binding(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    ..Strategy::new("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding")
};

/// Implements `ValidateMutatingAdmissionPolicyBinding`, of creations and updates.
fn validate_mutating_binding(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let spec = validate_binding_head(errors, object);
    if let Some(resources) = spec.get("matchResources") {
        validate_mutating_operations(errors, &resources);
    }
    if old.is_none() {
        validate_static_suffix(errors, object, profile);
    }
}
