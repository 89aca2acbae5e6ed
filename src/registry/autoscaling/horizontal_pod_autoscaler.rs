//! Autoscalers of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/autoscaling`.

pub(in crate::registry) mod defaults;
pub(in crate::registry) mod validation;

use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::preparation;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};

/// What the server does with a `HorizontalPodAutoscaler`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "autoscaling",
    kind: "HorizontalPodAutoscaler",
    resource: "horizontalpodautoscalers",
    versions: &["v2", "v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|autoscaler, version, _| match version {
        "v1" => defaults::v1(autoscaler),
        _ => defaults::v2(autoscaler),
    }),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|autoscaler, _, _| preparation::drop_status_annotations(autoscaler)),
    prepare_for_update: None,
    gated: &[Gated::Below(&[], AUTOSCALER)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validation::validate_horizontal_pod_autoscaler(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            validation::validate_autoscaler_status_update(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) const AUTOSCALER: &[Fields] = &[fields(
    &["HPAConfigurableTolerance"],
    &["spec/behavior/scaleDown/tolerance", "spec/behavior/scaleUp/tolerance"],
)];
