//! `TokenReview`: whose token it is.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::strategy::{Answer, Storage, Strategy};

/// The strategy of `TokenReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::TokenReview),
    ..Strategy::new("authentication.k8s.io", "TokenReview")
};
