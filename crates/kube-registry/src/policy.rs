//! The kinds of the group policy.

pub(super) mod eviction;
pub(super) mod pod_disruption_budget;
pub(super) mod pod_security_policy;
