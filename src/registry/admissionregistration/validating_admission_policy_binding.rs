//! Bindings of validating policies.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::registry::defaults;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::admission_policy;
use crate::registry::warnings::static_suffix;

/// What the server does with a `ValidatingAdmissionPolicyBinding`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "admissionregistration.k8s.io",
    kind: "ValidatingAdmissionPolicyBinding",
    resource: "validatingadmissionpolicybindings",
    versions: &["v1"],
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
        admission_policy::validate_validating_binding(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(static_suffix),
    sub_resources: &[],
};
