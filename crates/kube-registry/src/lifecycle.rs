//! The kinds of the group lifecycle.k8s.io.

pub(super) mod eviction;
pub(super) mod eviction_request;
