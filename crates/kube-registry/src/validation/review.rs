//! Access reviews, which ask whether a user may do something.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/authorization/validation`.

use std::borrow::Cow;

use crate::strategy::Context;
use crate::validation::metadata::validate_label_name;
use crate::validation::node::{Errors, Node};
use gotext::names;
use kube_api::Value;
use kube_api::{GroupVersionKind, Object, Status, field, internal_json};

const METADATA: &str = "meta/v1.ObjectMeta";
const NON_RESOURCE: &str = "authorization/v1.NonResourceAttributes";

/// Implements `ValidateSubjectAccessReview`, `ValidateSelfSubjectAccessReview`, `ValidateLocalSubjectAccessReview`.
pub(crate) fn validate_access_review(errors: &mut Errors, object: &Node, kind: &str) {
    let is_local = kind == "LocalSubjectAccessReview";
    let spec = object.child("spec");
    let (resource, other) = (spec.get("resourceAttributes"), spec.get("nonResourceAttributes"));
    match (&resource, &other) {
        (Some(_), Some(other)) => {
            let detail = "cannot be specified in combination with resourceAttributes";
            errors.invalid_internal(&other.here(), NON_RESOURCE, other.value(), detail);
        }
        (None, None) => {
            let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            errors.invalid_value(&spec.at("resourceAttributes"), &Value::Null, detail);
        }
        _ => {}
    }
    if kind != "SelfSubjectAccessReview" && spec.text("user").is_empty() && spec.len("groups") == 0 {
        errors.invalid(&spec.at("user"), "", "at least one of user or group must be specified");
    }
    if let Some(resource) = &resource {
        for selector in ["fieldSelector", "labelSelector"] {
            validate_selector_attributes(errors, resource, selector);
        }
    }
    validate_empty_metadata(errors, object, is_local);
    if !is_local {
        return;
    }
    if let Some(resource) = resource {
        let namespace = resource.text("namespace");
        if namespace != object.child("metadata").text("namespace") {
            errors.invalid(&resource.at("namespace"), namespace, "must match metadata.namespace");
        }
    }
    if let Some(other) = other {
        let detail = "disallowed on this kind of request";
        errors.invalid_internal(&other.here(), NON_RESOURCE, other.value(), detail);
    }
}

fn validate_empty_metadata(errors: &mut Errors, object: &Node, is_local: bool) {
    let metadata = object.child("metadata");
    let mut rest = metadata.value().clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove("managedFields");
        if is_local {
            fields.remove("namespace");
        }
    }
    if internal_json::internal(METADATA, &rest) == "{}" {
        return;
    }
    let detail = if is_local { "must be empty except for namespace" } else { "must be empty" };
    errors.invalid_internal(&metadata.here(), METADATA, metadata.value(), detail);
}

/// Implements `validateFieldSelectorAttributes`, `validateLabelSelectorAttributes`; unknown future operators are
/// allowed.
fn validate_selector_attributes(errors: &mut Errors, resource: &Node, name: &'static str) {
    let Some(selector) = resource.get(name) else { return };
    let (raw, requirements) = (selector.text("rawSelector"), selector.len("requirements"));
    if !raw.is_empty() && requirements > 0 {
        let detail = "may not specified at the same time as requirements";
        errors.invalid(&selector.at("rawSelector"), raw, detail);
    }
    if raw.is_empty() && requirements == 0 {
        let detail =
            format!("when {} is specified, requirements or rawSelector is required", selector.here());
        errors.required(&selector.at("requirements"), detail);
    }
    let labels = name == "labelSelector";
    for requirement in selector.items("requirements") {
        if !labels && requirement.text("key").is_empty() {
            errors.required(&requirement.at("key"), "must be specified");
        }
        match requirement.text("operator") {
            "In" | "NotIn" if requirement.len("values") == 0 => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.required(&requirement.at("values"), detail);
            }
            "Exists" | "DoesNotExist" if requirement.len("values") > 0 => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.forbidden(&requirement.at("values"), detail);
            }
            _ => {}
        }
        if labels {
            validate_label_name(errors, &requirement, "key");
            for (index, value) in requirement.texts("values").enumerate() {
                let messages = names::is_valid_label_value(value);
                errors.each(|| requirement.at("values").index(index), value, messages);
            }
        }
    }
}

/// Returns the review as it is validated: the server has recorded the sender by then, and shows that when it refuses
/// the metadata.
pub(crate) fn with_managed_fields<'a>(review: &'a Object, context: &Context<'_>) -> Cow<'a, Object> {
    let mut review = review.clone();
    review.remove(["metadata", "managedFields"]);
    if let Some(fields) = context.request().managed_fields {
        review.set(["metadata", "managedFields"], fields.clone());
    }
    Cow::Owned(review)
}

/// Refuses a review, before it gets a kind and a name.
pub(crate) fn refuse(_: &str, errors: &[field::Error]) -> Status {
    Status::new_invalid(&GroupVersionKind::new("authorization.k8s.io", "v1", ""), "", errors)
}
