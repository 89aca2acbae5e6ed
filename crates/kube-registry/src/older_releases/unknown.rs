//! Kinds that are gone without a successor, of which only the fields are known.

use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};

const fn kind(
    group: &'static str,
    versions: &'static [&'static str],
    kind: &'static str,
    resource: &'static str,
    scope: Scope,
) -> Strategy {
    Strategy {
        group,
        kind,
        resource,
        versions,
        scope,
        storage: Storage::Stored,
        allow_create_on_update: false,
        allow_unconditional_update: true,
        defaults: None,
        default_times: None,
        status: ObjectStatus::Controllers,
        prepare_for_create: None,
        prepare_for_update: None,
        gated: &[],
        prepared_times: None,
        as_validated: None,
        validate: None,
        refuse: None,
        warnings: None,
        sub_resources: &[],
    }
}

const DEVICES: &str = "resource.k8s.io";

pub(super) static STRATEGIES: &[&Strategy] = &[
    &kind("auditregistration.k8s.io", &["v1alpha1"], "AuditSink", "auditsinks", Scope::Cluster),
    &kind("networking.k8s.io", &["v1alpha1"], "ClusterCIDR", "clustercidrs", Scope::Cluster),
    &kind(DEVICES, &["v1alpha1"], "PodScheduling", "podschedulings", Scope::Namespaced),
    &kind(
        DEVICES,
        &["v1alpha2", "v1alpha3"],
        "PodSchedulingContext",
        "podschedulingcontexts",
        Scope::Namespaced,
    ),
    &kind(DEVICES, &["v1alpha1", "v1alpha2"], "ResourceClass", "resourceclasses", Scope::Cluster),
    &kind(DEVICES, &["v1alpha1", "v1alpha2"], "ResourceClaim", "resourceclaims", Scope::Namespaced),
    &kind(
        DEVICES,
        &["v1alpha1", "v1alpha2"],
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        Scope::Namespaced,
    ),
    &kind(DEVICES, &["v1alpha2"], "ResourceSlice", "resourceslices", Scope::Cluster),
    &kind(DEVICES, &["v1alpha2"], "ResourceClaimParameters", "resourceclaimparameters", Scope::Namespaced),
    &kind(DEVICES, &["v1alpha2"], "ResourceClassParameters", "resourceclassparameters", Scope::Namespaced),
];
