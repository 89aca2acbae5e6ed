//! Secrets.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::tree::{copy, text};
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;
use crate::registry::{defaults, warnings};

/// What the server does with a `Secret`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Secret",
    resource: "secrets",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::secret(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: Some(|secret, old, _| {
        if text(secret, "type").is_empty() {
            copy(secret, old, "type");
        }
    }),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| core::validate_secret(errors, object, old)),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(secret: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Value::Object(map) = &secret.value
        && text(map, "type") == "kubernetes.io/tls"
    {
        warnings::tls::key_pair(map, &mut warnings);
    }
    warnings
}
