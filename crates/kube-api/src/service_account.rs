//! The users that service accounts are, and the secrets that hold their tokens.
//!
//! Source: `k8s.io/apiserver/pkg/authentication/serviceaccount`.

use crate::Object;

const USERNAME_PREFIX: &str = "system:serviceaccount:";
const GROUP: &str = "system:serviceaccounts";

/// The annotation with the name of the account.
pub const NAME: &str = "kubernetes.io/service-account.name";
/// The annotation with the uid of the account.
pub const UID: &str = "kubernetes.io/service-account.uid";
/// The type of such secrets.
pub const TOKEN: &str = "kubernetes.io/service-account-token";

/// Returns the name of the user that an account is.
pub fn make_username(namespace: &str, name: &str) -> String {
    format!("{USERNAME_PREFIX}{namespace}:{name}")
}

/// Returns the groups of an account, without that of all authenticated users.
pub fn make_group_names(namespace: &str) -> Vec<String> {
    vec![GROUP.to_owned(), format!("{GROUP}:{namespace}")]
}

/// Returns the namespace and the name of the account that a user is, if it is one. They are not checked.
pub fn split_username(username: &str) -> Option<(&str, &str)> {
    username.strip_prefix(USERNAME_PREFIX)?.split_once(':')
}

/// Whether `secret` is a token of `account`.
///
/// Source: `IsServiceAccountToken`.
pub fn is_token_of(secret: &Object, account: &Object) -> bool {
    let annotation = |key| secret.annotation(key).unwrap_or_default();
    secret.text("type") == TOKEN
        && annotation(NAME) == account.name()
        && annotation(UID) == account.text(["metadata", "uid"])
}
