//! Pods that are scheduled together.
//!
//! Source: `k8s.io/api/scheduling/v1beta1`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `PodGroup`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta1", "v1alpha3"],
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&[], POD_GROUP)],
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        declared::validate_child(
            errors,
            "scheduling/v1alpha3.PodGroupSpec",
            (object, "spec"),
            old,
            context.profile,
        );
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, context| {
            validate_pod_group_status(errors, object, old, context.profile);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("scheduling.k8s.io", "PodGroup")
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
fn validate_pod_group_status(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
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
    declared::validate_child(
        errors,
        "scheduling/v1alpha3.PodGroupStatus",
        (object, "status"),
        Some(old),
        profile,
    );
}
