//! `SelfSubjectRulesReview`: what the requester may do.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authorization`.

use crate::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::validation::review;

/// The strategy of `SelfSubjectRulesReview`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "authorization.k8s.io",
    kind: "SelfSubjectRulesReview",
    resource: "selfsubjectrulesreviews",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Answered(Answer::SelfSubjectRulesReview),
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
    refuse: Some(review::refuse),
    warnings: None,
    sub_resources: &[],
};
