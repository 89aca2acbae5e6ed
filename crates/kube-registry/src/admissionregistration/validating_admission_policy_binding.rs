//! Bindings of validating policies.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults;
use crate::strategy::Strategy;
use crate::validation::admission_policy::validate_binding_head;
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::validate_static_suffix;
use crate::warnings::static_suffix;
use kube_api::server_profile::ServerProfile;

/// The strategy of `ValidatingAdmissionPolicyBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|binding, version, _| match version {
        "v1alpha1" => defaults::admission_registration::alpha_binding(binding),
        _ => defaults::admission_registration::binding(binding),
    }),
    validate: Some(|errors, object, old, context| {
        validate_validating_binding(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    ..Strategy::new("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding")
};

/// Implements `ValidateValidatingAdmissionPolicyBinding`, of creations and updates.
fn validate_validating_binding(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
    let spec = validate_binding_head(errors, object);
    let actions: Vec<&str> = spec.texts("validationActions").collect();
    let path = || spec.at("validationActions");
    for (index, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(action) {
            errors.not_supported(&path().index(index), action, &ACTIONS);
        }
        if actions[..index].contains(action) {
            errors.duplicate(&path().index(index), action);
        }
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                      response and headers serves no purpose)";
        errors.invalid_value(&path(), spec.raw("validationActions"), detail);
    }
    if actions.is_empty() {
        errors.required(&path(), "at least one validation action is required");
    }
    if old.is_none() {
        validate_static_suffix(errors, object, profile);
    }
}
