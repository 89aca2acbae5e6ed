//! Templates of Pod groups.
//!
//! Source: `k8s.io/api/scheduling/v1beta1`, `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::name_is_dns_subdomain;
use kube_api::features::Feature;

/// The strategy of `Workload`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "scheduling.k8s.io",
    kind: "Workload",
    resource: "workloads",
    versions: &["v1beta1", "v1alpha3"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], WORKLOAD)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        let (spec, old) = (object.child("spec"), old.map(|old| old.child("spec")));
        declared::validate(errors, "scheduling/v1alpha3.WorkloadSpec", &spec, old.as_ref(), context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

const WORKLOAD: &[Fields] = &[
    fields(&[Feature::TopologyAwareWorkloadScheduling], &["spec/podGroupTemplates/*/schedulingConstraints"]),
    fields(&[Feature::DRAWorkloadResourceClaims], &["spec/podGroupTemplates/*/resourceClaims"]),
    fields(&[Feature::PodGroupPreemptionPolicy], &["spec/podGroupTemplates/*/preemptionPolicy"]),
    fields(&[Feature::CompositePodGroup], &["spec/compositePodGroupTemplates"]),
];
