//! Pods that are scheduled together.
//!
//! Source: `k8s.io/api/scheduling/v1beta1`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use kube_api::Map;
use kube_api::features::{Feature, FeatureGates};
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `PodGroup`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "scheduling.k8s.io",
    kind: "PodGroup",
    resource: "podgroups",
    versions: &["v1beta1", "v1alpha3"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], POD_GROUP)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        let (spec, old) = (object.child("spec"), old.map(|old| old.child("spec")));
        declared::validate(errors, "scheduling/v1alpha3.PodGroupSpec", &spec, old.as_ref(), context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, context| {
            validate_pod_group_status(errors, object, old, context.features);
        }),
        warnings: None,
    }],
};

const POD_GROUP: &[Fields] = &[
    fields(&[Feature::TopologyAwareWorkloadScheduling], &["spec/schedulingConstraints"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["spec/resourceClaims"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["status/resourceClaimStatuses"]),
    fields(&[Feature::PodGroupPreemptionPolicy], &["spec/preemptionPolicy"]),
    fields(&[Feature::CompositePodGroup], &["spec/parentCompositePodGroupName"]),
];

/// Sets the defaults of `PodGroup`.
fn set_defaults(group: &mut Map) {
    set_if_absent(child_or_insert(group, "spec"), "disruptionMode", json!({"single": {}}));
}

/// Implements `ValidatePodGroupStatusUpdate`.
fn validate_pod_group_status(errors: &mut Errors, object: &Node, old: &Node, features: &FeatureGates) {
    validate_object_meta_update(errors, object, old);
    validate_conditions(errors, object);
    let status = object.child("status");
    for claim in status.items("resourceClaimStatuses") {
        let name = claim.text("name");
        let claims = object.child("spec").list("resourceClaims");
        if !claims.iter().any(|claim| claim["name"] == name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&claim.at("name"), name, detail);
        }
    }
    let old = old.child("status");
    declared::validate(errors, "scheduling/v1alpha3.PodGroupStatus", &status, Some(&old), features);
}
