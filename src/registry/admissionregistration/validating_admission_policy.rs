//! Policies that refuse objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::api::features::FeatureGates;
use crate::registry::defaults;
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::admission_policy;
use crate::registry::warnings::static_suffix;

/// What the server does with a `ValidatingAdmissionPolicy`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "admissionregistration.k8s.io",
    kind: "ValidatingAdmissionPolicy",
    resource: "validatingadmissionpolicies",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::admission_registration::policy(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        admission_policy::validate_validating_policy(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(static_suffix),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, _, _| {
            admission_policy::validate_policy_status(errors, object);
        }),
        warnings: Some(|object| static_suffix(object, Some(object), &FeatureGates::default())),
    }],
};
