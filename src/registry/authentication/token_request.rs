//! Tokens of service accounts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::api::Map;
use crate::api::tree::{child_or_insert, list, set, set_if_absent};
use crate::registry::strategy::{Answer, ObjectStatus, Scope, Storage, Strategy};
use crate::value::json;

/// The strategy of `TokenRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "authentication.k8s.io",
    kind: "TokenRequest",
    resource: "serviceaccounts/token",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Answered(Answer::TokenRequest),
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: Some(|request, _, _| token_audiences(request)),
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

/// Sets the defaults of `TokenRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "expirationSeconds", 3600);
}

/// Sets the audience of a token, which is the server itself unless it names one; the server's name is the one that
/// kubeadm sets.
///
/// Source: `TokenREST.Create`.
fn token_audiences(request: &mut Map) {
    let spec = child_or_insert(request, "spec");
    if list(spec, "audiences").is_empty() {
        set(spec, "audiences", json!(["https://kubernetes.default.svc.cluster.local"]));
    }
}
