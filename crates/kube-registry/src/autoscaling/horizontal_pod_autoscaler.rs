//! Autoscalers of workloads.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/autoscaling`.

pub(crate) mod conversion;
pub(crate) mod defaults;
pub(crate) mod validation;

use crate::gated::{Fields, Gated, fields};
use crate::older_releases::container_metrics;
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::tree::{child_mut, remove_key};

/// The strategy of `HorizontalPodAutoscaler`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v2", "v1"],
    defaults: Some(|autoscaler, version, _| match version {
        "v1" => defaults::v1(autoscaler),
        _ => defaults::v2(autoscaler),
    }),
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|autoscaler, context, _| {
        drop_status_annotations(autoscaler);
        container_metrics::drop_disabled(autoscaler, None, context.profile);
    }),
    prepare_for_update: Some(|autoscaler, old, context| {
        container_metrics::drop_disabled(autoscaler, Some(old), context.profile);
    }),
    gated: &[Gated::Below(&[], AUTOSCALER)],
    validate: Some(|errors, object, old, context| {
        validation::validate_horizontal_pod_autoscaler(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, _| {
            validation::validate_autoscaler_status_update(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("autoscaling", "HorizontalPodAutoscaler")
};

const AUTOSCALER: &[Fields] = &[fields(
    &[Feature::HPAConfigurableTolerance],
    &["spec/behavior/scaleDown/tolerance", "spec/behavior/scaleUp/tolerance"],
)];

/// Drops the annotations in which `autoscaling/v1` keeps part of the status.
fn drop_status_annotations(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in crate::autoscaling::horizontal_pod_autoscaler::defaults::STATUS_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
}
