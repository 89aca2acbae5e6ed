//! `SelfSubjectReview`: who the requester is.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::strategy::{Answer, Storage, Strategy};

/// The strategy of `SelfSubjectReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::SelfSubjectReview),
    ..Strategy::new("authentication.k8s.io", "SelfSubjectReview")
};
