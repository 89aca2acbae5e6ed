//! The number of replicas of a workload.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/autoscaling`.

use crate::registry::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy, SubResource};

/// The strategy of `Scale`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "autoscaling",
    kind: "Scale",
    resource: "scale",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::Scale),
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
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "scale",
        prepare_for_update: None,
        prepared_times: None,
        // `ValidateScale`; the metadata is that of the workload.
        validate_update: Some(|errors, scale, _, _| errors.non_negative(&scale.child("spec"), "replicas")),
        warnings: None,
    }],
};
