//! Bindings of mutating policies.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::admission_policy::{validate_binding_head, validate_mutating_operations};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::validate_static_suffix;
use crate::warnings::static_suffix;
use kube_api::server_profile::ServerProfile;

/// The strategy of `MutatingAdmissionPolicyBinding`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "admissionregistration.k8s.io",
    kind: "MutatingAdmissionPolicyBinding",
    resource: "mutatingadmissionpolicybindings",
    versions: &["v1", "v1beta1", "v1alpha1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|binding, version, _| match version {
        "v1alpha1" => defaults::admission_registration::alpha_binding(binding),
        _ => defaults::admission_registration::binding(binding),
    }),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_mutating_binding(errors, object, old, context.profile);
    }),
    refuse: None,
    warnings: Some(static_suffix),
    sub_resources: &[],
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
