//! Paths within volumes.

use crate::validation::node::Errors;
use kube_api::field::Path;

/// Implements `validateLocalDescendingPath`.
pub(crate) fn validate_local_descending_path(errors: &mut Errors, path: &str, at: impl Fn() -> Path) {
    if path.starts_with('/') {
        errors.invalid(&at(), path, "must be a relative path");
    }
    validate_path_no_backsteps(errors, path, at);
}

/// Implements `validatePathNoBacksteps`.
pub(crate) fn validate_path_no_backsteps(errors: &mut Errors, path: &str, at: impl FnOnce() -> Path) {
    if path.split('/').any(|step| step == "..") {
        errors.invalid(&at(), path, "must not contain '..'");
    }
}

/// Implements `ValidateLocalNonReservedPath`.
pub(crate) fn validate_local_non_reserved_path(errors: &mut Errors, path: &str, at: impl Fn() -> Path) {
    validate_local_descending_path(errors, path, &at);
    if path.starts_with("..") && !path.starts_with("../") {
        errors.invalid(&at(), path, "must not start with '..'");
    }
}
