//! Service accounts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_both_metas;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::items_mut;
use kube_api::{Map, Object};

/// The strategy of `ServiceAccount`.
pub(crate) static STRATEGY: Strategy = Strategy {
    prepare_for_create: Some(|account, _, _| clean_secret_references(account)),
    prepare_for_update: Some(|account, _, _| clean_secret_references(account)),
    validate: Some(|errors, object, old, _| validate_service_account(errors, object, old)),
    warnings: Some(warnings),
    ..Strategy::new("", "ServiceAccount")
};

pub(crate) fn warnings(account: &Object, old: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    mountable_secrets(account, old, &mut warnings);
    warnings
}

/// Reduces references to secrets to the name.
fn clean_secret_references(account: &mut Map) {
    for secret in items_mut(account, "secrets") {
        secret.retain(|field, _| field == "name");
    }
}

/// Runs `ValidateServiceAccount`, and its update if there is an old object.
fn validate_service_account(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_both_metas(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
}

fn mountable_secrets(account: &Object, old: Option<&Object>, warnings: &mut Vec<String>) {
    const ANNOTATION: &str = "kubernetes.io/enforce-mountable-secrets";
    if account.annotation(ANNOTATION).is_some() && old.is_none_or(|old| old.annotation(ANNOTATION).is_none())
    {
        warnings.push(format!(
            "metadata.annotations[{ANNOTATION}]: deprecated in v1.32+; prefer separate namespaces to isolate access to \
             mounted secrets"
        ));
    }
}
