//! Groups of Pod groups that are scheduled together.
//!
//! Source: `k8s.io/api/scheduling/v1alpha3`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use gotext::value::json;
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `CompositePodGroup`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&[], &[fields(&[Feature::PodGroupPreemptionPolicy], &["spec/preemptionPolicy"])])],
    validate: Some(|errors, object, old, context| {
        const SPEC: &str = "scheduling/v1alpha3.CompositePodGroupSpec";
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        declared::validate_child(errors, SPEC, (object, "spec"), old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| {
            validate_object_meta_update(errors, object, old);
            validate_conditions(errors, object);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("scheduling.k8s.io", "CompositePodGroup")
};

/// Sets the defaults of `CompositePodGroup`.
fn set_defaults(group: &mut Map) {
    set_if_absent(child_or_insert(group, "spec"), "disruptionMode", json!({"single": {}}));
}
