//! Autoscalers of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/autoscaling`.

pub(in crate::registry) mod conversion;
pub(in crate::registry) mod defaults;
pub(in crate::registry) mod validation;

use crate::api::Map;
use crate::api::features::Feature;
use crate::api::tree::{child_mut, remove_key};
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::past::container_metrics;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};

/// The strategy of `HorizontalPodAutoscaler`.
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
    prepare_for_create: Some(|autoscaler, context, _| {
        drop_status_annotations(autoscaler);
        container_metrics::drop_disabled(autoscaler, None, context.features);
    }),
    prepare_for_update: Some(|autoscaler, old, context| {
        container_metrics::drop_disabled(autoscaler, Some(old), context.features);
    }),
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

const AUTOSCALER: &[Fields] = &[fields(
    &[Feature::HPAConfigurableTolerance],
    &["spec/behavior/scaleDown/tolerance", "spec/behavior/scaleUp/tolerance"],
)];

/// Drops the annotations in which `autoscaling/v1` keeps part of the status.
fn drop_status_annotations(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in
            crate::registry::autoscaling::horizontal_pod_autoscaler::defaults::STATUS_ANNOTATIONS
        {
            remove_key(metadata, "annotations", annotation);
        }
    }
}
