//! The kinds of the group coordination.k8s.io.

pub(super) mod lease;
pub(super) mod lease_candidate;
