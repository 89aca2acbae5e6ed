//! `metav1.Status`: the API server's refusal.
//!
//! Source: `k8s.io/apimachinery/pkg/api/errors`.

use serde::{Deserialize, Serialize};

use crate::field;
use crate::{GroupResource, GroupVersionKind, Value};
use gotext::quote;

/// A refusal as the API server would send it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason; empty if the server sends none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The message for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The object that the message is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
    /// The metadata of a list that a webhook gave it; else `null`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// The status that a webhook gave it instead of `Failure`; else nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
}

/// The object that a [`Status`] is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusDetails {
    /// Name of the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// API group of the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The resource, or the kind where the server sends that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// UID of the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// One entry per invalid field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    /// Seconds after which another try may succeed; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

/// One reason among several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCause {
    /// Machine-readable reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The message for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The field, as [`field::Path`] prints it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Status {
    /// Returns 403 about an object.
    pub fn new_forbidden(resource: &GroupResource, name: &str, error: &str) -> Self {
        let message = if resource.resource.is_empty() {
            format!("forbidden: {error}")
        } else if name.is_empty() {
            format!("{resource} is forbidden: {error}")
        } else {
            format!("{resource} {} is forbidden: {error}", quote(name))
        };
        Self {
            code: 403,
            reason: "Forbidden".to_owned(),
            message,
            details: Some(StatusDetails::of(resource, name)),
            ..Self::default()
        }
    }

    /// Returns 404 about an object.
    pub fn new_not_found(resource: &GroupResource, name: &str) -> Self {
        Self {
            code: 404,
            reason: "NotFound".to_owned(),
            message: format!("{resource} {} not found", quote(name)),
            details: Some(StatusDetails::of(resource, name)),
            ..Self::default()
        }
    }

    /// Returns 409: an object of that name exists.
    pub fn new_already_exists(resource: &GroupResource, name: &str) -> Self {
        Self {
            code: 409,
            reason: "AlreadyExists".to_owned(),
            message: format!("{resource} {} already exists", quote(name)),
            details: Some(StatusDetails::of(resource, name)),
            ..Self::default()
        }
    }

    /// Returns 409: the object is not in the state that the request requires.
    pub fn new_conflict(resource: &GroupResource, name: &str, error: &str) -> Self {
        Self {
            code: 409,
            reason: "Conflict".to_owned(),
            message: format!("Operation cannot be fulfilled on {resource} {}: {error}", quote(name)),
            details: Some(StatusDetails::of(resource, name)),
            ..Self::default()
        }
    }

    /// Returns 422: fields of the object are invalid.
    pub fn new_invalid(kind: &GroupVersionKind, name: &str, errors: &[field::Error]) -> Self {
        let causes = errors
            .iter()
            .map(|error| StatusCause {
                reason: error.error_type.reason().to_owned(),
                message: error.body(),
                field: error.field(),
            })
            .collect();
        let details = StatusDetails {
            name: name.to_owned(),
            group: kind.group.to_string(),
            kind: kind.kind.to_string(),
            causes,
            ..StatusDetails::default()
        };
        Self {
            code: 422,
            reason: "Invalid".to_owned(),
            message: format!(
                "{} {} is invalid: {}",
                kind.group_kind(),
                quote(name),
                field::aggregate(errors)
            ),
            details: Some(details),
            ..Self::default()
        }
    }

    /// Returns 400: the request cannot be understood.
    pub fn new_bad_request(message: impl Into<String>) -> Self {
        Self { code: 400, reason: "BadRequest".to_owned(), message: message.into(), ..Self::default() }
    }

    /// Returns 405: the resource does not support the operation.
    pub fn new_method_not_supported(resource: &GroupResource, action: &str) -> Self {
        let details = StatusDetails {
            group: resource.group.to_string(),
            kind: resource.resource.to_string(),
            ..StatusDetails::default()
        };
        Self {
            code: 405,
            reason: "MethodNotAllowed".to_owned(),
            message: format!(
                "{action} is not supported on resources of kind {}",
                quote(&resource.to_string())
            ),
            details: Some(details),
            ..Self::default()
        }
    }

    /// Returns 500 with the reason `InternalError`.
    pub fn new_internal_error(error: &str) -> Self {
        let cause = StatusCause { message: error.to_owned(), ..StatusCause::default() };
        Self {
            code: 500,
            reason: "InternalError".to_owned(),
            message: format!("Internal error occurred: {error}"),
            details: Some(StatusDetails { causes: vec![cause], ..StatusDetails::default() }),
            ..Self::default()
        }
    }

    /// Returns 500 with the reason `ServerTimeout`: another try after `seconds` may succeed.
    pub fn new_server_timeout(
        message: String,
        resource: &GroupResource,
        operation: &str,
        seconds: u32,
    ) -> Self {
        let details =
            StatusDetails { retry_after_seconds: seconds, ..StatusDetails::of(resource, operation) };
        Self {
            code: 500,
            reason: "ServerTimeout".to_owned(),
            message,
            details: Some(details),
            ..Self::default()
        }
    }

    /// Returns 500 without a reason: what the server makes of a plain Go error.
    pub fn from_error(error: impl Into<String>) -> Self {
        Self { code: 500, message: error.into(), ..Self::default() }
    }
}

impl StatusDetails {
    /// Returns details that name an object of `resource`.
    pub fn of(resource: &GroupResource, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            group: resource.group.to_string(),
            kind: resource.resource.to_string(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Error, Path};

    #[test]
    fn words_refusals_as_the_server_does() {
        let pods = GroupResource::new("", "pods");
        assert_eq!(Status::new_forbidden(&pods, "web", "no").message, "pods \"web\" is forbidden: no");
        let kind = GroupVersionKind::new("apps", "v1", "Deployment");
        let errors = [Error::required(&Path::new("spec.selector"), "")];
        let status = Status::new_invalid(&kind, "web", &errors);
        assert_eq!(status.message, "Deployment.apps \"web\" is invalid: spec.selector: Required value");
        assert_eq!(status.details.unwrap().causes[0].field, "spec.selector");
    }
}
