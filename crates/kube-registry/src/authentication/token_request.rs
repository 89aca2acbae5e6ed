//! Tokens of service accounts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/authentication`.

use crate::strategy::{Answer, Storage, Strategy};
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use kube_api::tree::{child_or_insert, set, set_if_absent};
use kube_api::{GroupVersionKind, Map, Status};

/// The strategy of `TokenRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::TokenRequest),
    defaults: Some(|object, _, _| set_defaults(object)),
    prepare_for_create: Some(|request, _, _| token_audiences(request)),
    validate: Some(|errors, object, _, _| validate_token_request(errors, object)),
    refuse: Some(|_, errors| {
        Status::new_invalid(&GroupVersionKind::new(STRATEGY.group, "v1", STRATEGY.kind), "", errors)
    }),
    ..Strategy::new("authentication.k8s.io", "TokenRequest")
};

/// Sets the defaults of `TokenRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "expirationSeconds", 3600);
}

/// Implements `ValidateTokenRequest`.
fn validate_token_request(errors: &mut Errors, object: &Node) {
    let spec = object.child("spec");
    let (path, seconds) = (|| spec.at("expirationSeconds"), spec.int("expirationSeconds"));
    if seconds < 600 {
        errors.invalid_int(&path(), seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid_int(&path(), seconds, "may not specify a duration larger than 2^32 seconds");
    }
}

/// Sets the audience of a token, which is the server itself unless it names one; the server's name is the one that
/// kubeadm sets.
///
/// Source: `TokenREST.Create`.
fn token_audiences(request: &mut Map) {
    let spec = child_or_insert(request, "spec");
    if spec.list("audiences").is_empty() {
        set(spec, "audiences", json!(["https://kubernetes.default.svc.cluster.local"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of;
    use crate::strategy::Context;
    use kube_api::Object;
    use kube_api::server_profile::ServerProfile;

    fn errors(seconds: i64) -> Vec<String> {
        let kind = GroupVersionKind::new("authentication.k8s.io", "v1", "TokenRequest");
        let object = Object::new(kind, json!({"metadata": {}, "spec": {"expirationSeconds": seconds}}));
        let profile = ServerProfile::default();
        let errors = of(&object.kind).unwrap().validate_create(&object, &Context::new(&profile));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn admits_ten_minutes_to_a_hundred_years() {
        assert_eq!(errors(600), [""; 0]);
        assert_eq!(errors(1 << 32), [""; 0]);
        assert_eq!(
            errors(599),
            ["spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"]
        );
        assert_eq!(
            errors((1 << 32) + 1),
            [
                "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds"
            ]
        );
    }
}
