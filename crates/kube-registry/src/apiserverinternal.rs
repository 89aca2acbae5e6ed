//! The kinds of the group internal.apiserver.k8s.io.

pub(super) mod storage_version;
