//! The kinds of the group authentication.k8s.io.

pub(super) mod self_subject_review;
pub(super) mod token_request;
pub(super) mod token_review;
