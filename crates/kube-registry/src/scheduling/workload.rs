//! Templates of Pod groups.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod_group::{
    MAX_TEMPLATES, optional_long_name, refuse_duplicates, require_short_name, validate_group,
    validate_unchanged,
};
use gotext::names;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;

/// The strategy of `Workload`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha2"],
    gated: &[Gated::Below(&[], WORKLOAD)],
    validate: Some(|errors, object, old, context| {
        validate_workload(errors, object, old, context.profile);
    }),
    ..Strategy::new("scheduling.k8s.io", "Workload")
};

const WORKLOAD: &[Fields] = &[
    fields(&[Feature::TopologyAwareWorkloadScheduling], &["spec/podGroupTemplates/*/schedulingConstraints"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["spec/podGroupTemplates/*/resourceClaims"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/podGroupTemplates/*/disruptionMode"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/podGroupTemplates/*/priorityClassName"]),
    fields(&[Feature::WorkloadAwarePreemption], &["spec/podGroupTemplates/*/priority"]),
];

/// Implements `Validate_Workload`.
fn validate_workload(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(old) = old {
        let fields = [("controllerRef", None), ("podGroupTemplates", None)];
        let specs = (&spec, &old.child("spec"));
        return validate_unchanged(errors, "scheduling/v1alpha2.WorkloadSpec", specs, &fields, profile);
    }
    if let Some(controller) = spec.get("controllerRef") {
        errors.each_of(&controller, "apiGroup", optional_long_name(controller.text("apiGroup")));
        for field in ["kind", "name"] {
            if errors.require_text(&controller, field) {
                errors.each_of(&controller, field, names::is_path_segment_name(controller.text(field)));
            }
        }
    }
    match spec.len("podGroupTemplates") {
        0 => return errors.required(&spec.at("podGroupTemplates"), ""),
        count if count > MAX_TEMPLATES => {
            return errors.too_many(&spec.at("podGroupTemplates"), count, MAX_TEMPLATES);
        }
        _ => {}
    }
    refuse_duplicates(errors, &spec, "podGroupTemplates", "scheduling/v1alpha2.PodGroupTemplate");
    for template in spec.items("podGroupTemplates") {
        require_short_name(errors, &template, "name");
        validate_group(errors, &template, profile, false);
    }
}
