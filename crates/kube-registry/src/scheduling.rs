//! The kinds of the group scheduling.k8s.io.

pub(super) mod composite_pod_group;
pub(super) mod pod_group;
pub(super) mod priority_class;
pub(super) mod workload;
