//! `SelfSubjectAccessReview`: whether the requester may do something.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authorization`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::validation::review;

/// The strategy of `SelfSubjectAccessReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "authorization.k8s.io",
    kind: "SelfSubjectAccessReview",
    resource: "selfsubjectaccessreviews",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Answered(Answer::SelfSubjectAccessReview),
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
        review::validate_access_review(errors, object, "SelfSubjectAccessReview");
    }),
    refuse: Some(review::refuse),
    warnings: None,
    sub_resources: &[],
};
