//! Kinds that are gone without a successor, of which only the fields are known.

use crate::strategy::{ObjectStatus, Strategy};

const fn kind(group: &'static str, versions: &'static [&'static str], kind: &'static str) -> Strategy {
    Strategy { versions, status: ObjectStatus::Controllers, ..Strategy::new(group, kind) }
}

const DEVICES: &str = "resource.k8s.io";

pub(super) static STRATEGIES: &[&Strategy] = &[
    &kind("auditregistration.k8s.io", &["v1alpha1"], "AuditSink"),
    &kind("networking.k8s.io", &["v1alpha1"], "ClusterCIDR"),
    &kind(DEVICES, &["v1alpha1"], "PodScheduling"),
    &kind(DEVICES, &["v1alpha2", "v1alpha3"], "PodSchedulingContext"),
    &kind(DEVICES, &["v1alpha1", "v1alpha2"], "ResourceClass"),
    &kind(DEVICES, &["v1alpha1", "v1alpha2"], "ResourceClaim"),
    &kind(DEVICES, &["v1alpha1", "v1alpha2"], "ResourceClaimTemplate"),
    &kind(DEVICES, &["v1alpha2"], "ResourceSlice"),
    &kind(DEVICES, &["v1alpha2"], "ResourceClaimParameters"),
    &kind(DEVICES, &["v1alpha2"], "ResourceClassParameters"),
];
