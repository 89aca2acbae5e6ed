//! The kinds of the group authorization.k8s.io.

pub(super) mod local_subject_access_review;
pub(super) mod self_subject_access_review;
pub(super) mod self_subject_rules_review;
pub(super) mod subject_access_review;
