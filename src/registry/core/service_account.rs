//! Service accounts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::Object;
use crate::api::features::FeatureGates;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;
use crate::registry::{preparation, warnings};

/// What the server does with a `ServiceAccount`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "ServiceAccount",
    resource: "serviceaccounts",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: Some(|account, _, _| preparation::clean_secret_references(account)),
    prepare_for_update: Some(|account, _, _| preparation::clean_secret_references(account)),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| core::validate_service_account(errors, object, old)),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(account: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings::mountable_secrets(account, old, &mut warnings);
    warnings
}
