//! The smaller kinds of the core group.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/validation/validation.go`.

use crate::validation::metadata::{
    NameRule, Scope, validate_object_meta, validate_object_meta_accessor, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use kube_api::Value;

pub(crate) const MAX_SECRET_SIZE: usize = 1024 * 1024;

/// Validates the metadata of a kind whose update repeats the checks of its creation.
pub(crate) fn validate_meta(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    scope: Scope,
    rule: NameRule,
) {
    match old {
        None => validate_object_meta(errors, object, scope, rule),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
}

/// Validates the metadata of a kind of a group that does not check finalizers beyond their syntax.
pub(crate) fn validate_plain_meta(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    scope: Scope,
    rule: NameRule,
) {
    match old {
        None => validate_object_meta_accessor(errors, &object.child("metadata"), scope, rule),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
}

/// Validates the metadata of a kind whose update runs both kinds of checks.
pub(crate) fn validate_both_metas(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    scope: Scope,
    rule: NameRule,
) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    validate_object_meta(errors, object, scope, rule);
}

/// Returns the number of bytes that the base64 text of a decoded object encodes.
pub(crate) fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    text.len() / 4 * 3 - text.bytes().rev().take_while(|byte| *byte == b'=').count().min(text.len() / 4 * 3)
}

/// Validates what `immutable` forbids.
pub(crate) fn validate_immutable_data(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    fields: &[&'static str],
) {
    if !old.flag("immutable") {
        return;
    }
    let detail = "field is immutable when `immutable` is set";
    if !object.flag("immutable") {
        errors.forbidden(&object.at("immutable"), detail);
    }
    for field in fields {
        if !have_same_entries(object, old, field) {
            errors.forbidden(&object.at(field), detail);
        }
    }
}

/// Whether a map has the same keys and values in both; a value can be empty.
fn have_same_entries(object: &Node, old: &Node, field: &str) -> bool {
    object.len(field) == old.len(field)
        && object.entries(field).all(|(key, value)| {
            old.raw(field)
                .get(key)
                .is_some_and(|old| old == value || old.is_zero_value() && value.is_zero_value())
        })
}
