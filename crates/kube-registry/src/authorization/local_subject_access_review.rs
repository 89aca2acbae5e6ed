//! `LocalSubjectAccessReview`: whether a user may do something in a namespace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authorization`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::validation::review;

/// The strategy of `LocalSubjectAccessReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "authorization.k8s.io",
    kind: "LocalSubjectAccessReview",
    resource: "localsubjectaccessreviews",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::SubjectAccessReview),
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: Some(review::with_managed_fields),
    validate: Some(|errors, object, _, _| {
        review::validate_access_review(errors, object, "LocalSubjectAccessReview");
    }),
    refuse: Some(review::refuse),
    warnings: None,
    sub_resources: &[],
};
