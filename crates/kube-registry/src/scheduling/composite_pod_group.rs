//! Groups of Pod groups that are scheduled together.
//!
//! Source: `k8s.io/api/scheduling/v1alpha3`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
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
    group: "scheduling.k8s.io",
    kind: "CompositePodGroup",
    resource: "compositepodgroups",
    versions: &["v1alpha3"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(
        &[],
        &[fields(&[Feature::PodGroupPreemptionPolicy], &["spec/preemptionPolicy"])],
    )],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        const SPEC: &str = "scheduling/v1alpha3.CompositePodGroupSpec";
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        let (spec, old) = (object.child("spec"), old.map(|old| old.child("spec")));
        declared::validate(errors, SPEC, &spec, old.as_ref(), context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            validate_object_meta_update(errors, object, old);
            validate_conditions(errors, object);
        }),
        warnings: None,
    }],
};

/// Sets the defaults of `CompositePodGroup`.
fn set_defaults(group: &mut Map) {
    set_if_absent(child_or_insert(group, "spec"), "disruptionMode", json!({"single": {}}));
}
