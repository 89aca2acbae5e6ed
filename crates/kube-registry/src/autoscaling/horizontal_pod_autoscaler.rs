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
use kube_api::tree::{child_mut, child_or_insert, remove_key, set};

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
        keep_annotations(autoscaler, old, defaults::STATUS_ANNOTATIONS);
        container_metrics::drop_disabled(autoscaler, Some(old), context.profile);
    }),
    gated: &[Gated::Below(&[], AUTOSCALER)],
    validate: Some(|errors, object, old, context| {
        validation::validate_horizontal_pod_autoscaler(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|autoscaler, old, context| {
            keep_spec(autoscaler, old, context);
            keep_annotations(autoscaler, old, defaults::SPEC_ANNOTATIONS);
        }),
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
        for annotation in defaults::STATUS_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
}

/// Restores the annotations in which `autoscaling/v1` keeps what this update cannot change.
fn keep_annotations(autoscaler: &mut Map, old: &Map, names: [&'static str; 2]) {
    let old = old.child("metadata").and_then(|metadata| metadata.child("annotations"));
    for name in names {
        if let Some(value) = old.and_then(|annotations| annotations.get(name)) {
            let metadata = child_or_insert(autoscaler, "metadata");
            set(child_or_insert(metadata, "annotations"), name, value.clone());
        } else if let Some(metadata) = child_mut(autoscaler, "metadata") {
            remove_key(metadata, "annotations", name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn an_update_keeps_the_annotations_of_the_other_half() {
        let annotated = |value: &str| {
            let annotations = json!({defaults::METRICS: value, defaults::CONDITIONS: value, "mine": value});
            json!({"metadata": {"annotations": annotations}}).as_object().cloned().expect("a map")
        };
        let mut autoscaler = annotated("new");
        keep_annotations(&mut autoscaler, &annotated("old"), defaults::SPEC_ANNOTATIONS);
        let annotations = json!({defaults::METRICS: "old", defaults::CONDITIONS: "new", "mine": "new"});
        assert_eq!(autoscaler["metadata"]["annotations"], annotations);
        keep_annotations(&mut autoscaler, &Map::new(), defaults::SPEC_ANNOTATIONS);
        let annotations = json!({defaults::CONDITIONS: "new", "mine": "new"});
        assert_eq!(autoscaler["metadata"]["annotations"], annotations);
    }
}
