//! `SelfSubjectRulesReview`: what the requester may do.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authorization`.

use crate::strategy::{Answer, Storage, Strategy};
use crate::validation::review;

/// The strategy of `SelfSubjectRulesReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::SelfSubjectRulesReview),
    refuse: Some(review::refuse),
    ..Strategy::new("authorization.k8s.io", "SelfSubjectRulesReview")
};
