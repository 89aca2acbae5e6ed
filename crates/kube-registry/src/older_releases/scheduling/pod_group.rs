//! Pods that are scheduled together.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::older_releases::scheduling::group::{
    MAX_CLAIMS, refuse_duplicates, require_short_name, validate_group, validate_unchanged,
};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use gotext::names;
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `PodGroup`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha2"],
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&[], POD_GROUP)],
    validate: Some(|errors, object, old, context| {
        validate_pod_group(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| {
            validate_pod_group_status(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("scheduling.k8s.io", "PodGroup")
};

const POD_GROUP: &[Fields] = &[
    fields(&[Feature::TopologyAwareWorkloadScheduling], &["spec/schedulingConstraints"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["spec/resourceClaims"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["status/resourceClaimStatuses"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/disruptionMode"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/priorityClassName"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/priority"]),
];

/// Sets the defaults of `PodGroup`.
fn set_defaults(group: &mut Map) {
    set_if_absent(child_or_insert(group, "spec"), "disruptionMode", "Pod");
}

/// The fields of a group in their order, with the gates that enable them.
const GROUP_FIELDS: [(&str, Option<Feature>); 7] = [
    ("podGroupTemplateRef", None),
    ("schedulingPolicy", None),
    ("schedulingConstraints", Some(Feature::TopologyAwareWorkloadScheduling)),
    ("resourceClaims", None),
    ("disruptionMode", Some(Feature::WorkloadAwarePreemption)),
    ("priorityClassName", Some(Feature::WorkloadAwarePreemption)),
    ("priority", Some(Feature::WorkloadAwarePreemption)),
];

/// Implements `Validate_PodGroup`.
fn validate_pod_group(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(old) = old {
        let specs = (&spec, &old.child("spec"));
        return validate_unchanged(errors, "scheduling/v1alpha2.PodGroupSpec", specs, &GROUP_FIELDS, profile);
    }
    if let Some(reference) = spec.get("podGroupTemplateRef") {
        match reference.get("workload") {
            None => errors.invalid(&reference.here(), "", "must specify one of: `workload`"),
            Some(workload) => {
                if errors.require_text(&workload, "workloadName") {
                    let messages = names::is_long_name(workload.text("workloadName"));
                    errors.each_of(&workload, "workloadName", messages);
                }
                require_short_name(errors, &workload, "podGroupTemplateName");
            }
        }
    }
    validate_group(errors, &spec, profile, true);
}

/// Implements `ValidatePodGroupStatusUpdate`.
fn validate_pod_group_status(errors: &mut Errors, object: &Node, old: &Node) {
    const FIELD: &str = "resourceClaimStatuses";
    validate_object_meta_update(errors, object, old);
    validate_conditions(errors, object);
    let status = object.child("status");
    for claim in status.items(FIELD) {
        let name = claim.text("name");
        let claims = object.child("spec").list("resourceClaims");
        if !claims.iter().any(|claim| claim["name"] == name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid(&claim.at("name"), name, detail);
        }
    }
    if plainly_equal(status.raw(FIELD), old.child("status").raw(FIELD)) {
        return;
    }
    if status.len(FIELD) > MAX_CLAIMS {
        errors.too_many(&status.at(FIELD), status.len(FIELD), MAX_CLAIMS);
        return;
    }
    refuse_duplicates(errors, &status, FIELD, "scheduling/v1alpha2.PodGroupResourceClaimStatus");
    for claim in status.items(FIELD) {
        if let Some(name) = claim.given("resourceClaimName") {
            errors.each_of(&claim, "resourceClaimName", names::is_dns1123_subdomain(name));
        }
    }
}
