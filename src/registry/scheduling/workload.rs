//! Templates of Pod groups.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::pod_group;

/// What the server does with a `Workload`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "scheduling.k8s.io",
    kind: "Workload",
    resource: "workloads",
    versions: &["v1alpha2"],
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
        pod_group::validate_workload(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

pub(in crate::registry) const WORKLOAD: &[Fields] = &[
    fields(&["TopologyAwareWorkloadScheduling"], &["spec/podGroupTemplates/*/schedulingConstraints"]),
    fields(&["DRAWorkloadResourceClaims"], &["spec/podGroupTemplates/*/resourceClaims"]),
    fields(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/disruptionMode"]),
    fields(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/priorityClassName"]),
    fields(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/priority"]),
];
