//! `TokenReview`: whose token it is.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};

/// The strategy of `TokenReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "authentication.k8s.io",
    kind: "TokenReview",
    resource: "tokenreviews",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Answered(Answer::TokenReview),
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
