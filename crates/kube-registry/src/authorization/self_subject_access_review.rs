//! `SelfSubjectAccessReview`: whether the requester may do something.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authorization`.

use crate::strategy::{Answer, Storage, Strategy};
use crate::validation::review;

/// The strategy of `SelfSubjectAccessReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::SelfSubjectAccessReview),
    as_validated: Some(review::with_managed_fields),
    validate: Some(|errors, object, _, _| {
        review::validate_access_review(errors, object, "SelfSubjectAccessReview");
    }),
    refuse: Some(review::refuse),
    ..Strategy::new("authorization.k8s.io", "SelfSubjectAccessReview")
};
