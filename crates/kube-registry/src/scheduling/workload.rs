//! Templates of Pod groups.
//!
//! Source: `k8s.io/api/scheduling/v1beta1`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::name_is_dns_subdomain;
use kube_api::features::Feature;

/// The strategy of `Workload`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta1", "v1alpha3"],
    gated: &[Gated::Below(&[], WORKLOAD)],
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        declared::validate_child(
            errors,
            "scheduling/v1alpha3.WorkloadSpec",
            (object, "spec"),
            old,
            context.profile,
        );
    }),
    ..Strategy::new("scheduling.k8s.io", "Workload")
};

const WORKLOAD: &[Fields] = &[
    fields(&[Feature::TopologyAwareWorkloadScheduling], &["spec/podGroupTemplates/*/schedulingConstraints"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["spec/podGroupTemplates/*/resourceClaims"]),
    fields(&[Feature::PodGroupPreemptionPolicy], &["spec/podGroupTemplates/*/preemptionPolicy"]),
    fields(&[Feature::CompositePodGroup], &["spec/compositePodGroupTemplates"]),
];
