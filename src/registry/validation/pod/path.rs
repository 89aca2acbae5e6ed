//! Paths within volumes.

use crate::api::field::Path;
use crate::registry::validation::node::Errors;

/// Implements `validateLocalDescendingPath`.
pub(in crate::registry) fn validate_local_descending_path(
    errors: &mut Errors,
    path: &str,
    at: impl Fn() -> Path,
) {
    if path.starts_with('/') {
        errors.invalid(&at(), path, "must be a relative path");
    }
    validate_path_no_backsteps(errors, path, at);
}

/// Implements `validatePathNoBacksteps`.
pub(in crate::registry) fn validate_path_no_backsteps(
    errors: &mut Errors,
    path: &str,
    at: impl FnOnce() -> Path,
) {
    if path.split('/').any(|step| step == "..") {
        errors.invalid(&at(), path, "must not contain '..'");
    }
}

/// Implements `ValidateLocalNonReservedPath`.
pub(in crate::registry) fn validate_local_non_reserved_path(
    errors: &mut Errors,
    path: &str,
    at: impl Fn() -> Path,
) {
    validate_local_descending_path(errors, path, &at);
    if path.starts_with("..") && !path.starts_with("../") {
        errors.invalid(&at(), path, "must not start with '..'");
    }
}
