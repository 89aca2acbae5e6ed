//! The secrets that hold the tokens of service accounts.

use crate::api::Object;

/// The annotation with the name of the account.
pub const NAME: &str = "kubernetes.io/service-account.name";
/// The annotation with the uid of the account.
pub const UID: &str = "kubernetes.io/service-account.uid";
/// The type of such secrets.
pub const TOKEN: &str = "kubernetes.io/service-account-token";

/// Whether `secret` is a token of `account`.
///
/// Source: `IsServiceAccountToken` of `k8s.io/apiserver/pkg/authentication/serviceaccount`.
pub fn is_token_of(secret: &Object, account: &Object) -> bool {
    let annotation = |key| secret.annotation(key).unwrap_or_default();
    secret.text("type") == TOKEN
        && annotation(NAME) == account.name()
        && annotation(UID) == account.text(["metadata", "uid"])
}
