//! Pods that are scheduled together.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::registry::defaults;
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::pod_group;

/// What the server does with a `PodGroup`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "scheduling.k8s.io",
    kind: "PodGroup",
    resource: "podgroups",
    versions: &["v1alpha2"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::pod_group(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], POD_GROUP)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        pod_group::validate_pod_group(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            pod_group::validate_pod_group_status(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) const POD_GROUP: &[Fields] = &[
    fields(&["TopologyAwareWorkloadScheduling"], &["spec/schedulingConstraints"]),
    fields(&["DRAWorkloadResourceClaims"], &["spec/resourceClaims"]),
    fields(&["DRAWorkloadResourceClaims"], &["status/resourceClaimStatuses"]),
    fields(&["WorkloadAwarePreemption"], &["spec/disruptionMode"]),
    fields(&["WorkloadAwarePreemption"], &["spec/priorityClassName"]),
    fields(&["WorkloadAwarePreemption"], &["spec/priority"]),
];
