//! Tokens of service accounts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::registry::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::registry::{defaults, preparation};

/// What the server does with a `TokenRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "authentication.k8s.io",
    kind: "TokenRequest",
    resource: "serviceaccounts/token",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::TokenRequest),
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::token_request(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: Some(|request, _, _| preparation::token_audiences(request)),
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
