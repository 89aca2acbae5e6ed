//! Errors about the fields of an object.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field`.

mod rule;

use std::fmt;

use crate::Value;
use crate::internal_json;
use gotext::encoding_json;
use gotext::quote;

pub use gotext::path::{Path, Segment};
pub use rule::Rule;

/// The type of a field error; the text is the `reason` of a [`crate::StatusCause`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// `FieldValueNotFound`
    NotFound,
    /// `FieldValueRequired`
    Required,
    /// `FieldValueDuplicate`
    Duplicate,
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueNotSupported`
    NotSupported,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueTooLong`
    TooLong,
    /// `FieldValueTooMany`
    TooMany,
    /// `InternalError`
    Internal,
    /// `FieldValueTypeInvalid`
    TypeInvalid,
}

impl ErrorType {
    /// Returns the machine-readable name.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// An error about one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The type of the error.
    pub error_type: ErrorType,
    /// The field; `None` for the object as a whole, which prints as `<nil>`.
    pub path: Option<Path>,
    /// The offending value as Go prints it in the message, where the message has one.
    pub bad_value: Option<String>,
    /// The detail, such as what is expected instead.
    pub detail: String,
    /// The offending value itself, where Go prints it by its type: releases differ in how they do that.
    pub value: Option<Typed>,
    /// The rule that the value breaks, if releases differ in it.
    pub rule: Option<Rule>,
    /// The values that are supported, if the error lists them.
    pub supported: Vec<String>,
}

/// A value of a type of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// The type in the field tables, if it is not that of the field.
    pub table: Option<&'static str>,
    /// The value.
    pub value: Value,
}

impl Error {
    /// Returns the error that the field must be set.
    pub fn required(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Required, path, None, detail)
    }

    /// Returns the error that the field must not be given, or not be changed.
    pub fn forbidden(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Forbidden, path, None, detail)
    }

    /// Returns the error that the value is not allowed.
    pub fn invalid(path: &Path, value: &Value, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, path, Some(printed(value)), detail).about(None, value)
    }

    /// Returns the error that the value, of the type that the field tables call `table`, is not allowed.
    pub fn invalid_typed(path: &Path, table: &'static str, value: &Value, detail: impl Into<String>) -> Self {
        let printed = internal_json::compact(table, value);
        Self::new(ErrorType::Invalid, path, Some(printed), detail).about(Some(table), value)
    }

    /// Returns the error that the value, which Go has as the internal type of the versioned one that the field tables
    /// call `table`, is not allowed.
    pub fn invalid_internal(
        path: &Path,
        table: &'static str,
        value: &Value,
        detail: impl Into<String>,
    ) -> Self {
        let printed = internal_json::internal(table, value);
        Self::new(ErrorType::Invalid, path, Some(printed), detail).about(Some(table), value)
    }

    /// Returns the error that the text `value` is not allowed.
    pub fn invalid_text(path: &Path, value: &str, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, path, Some(quote(value)), detail)
    }

    /// Returns the error that the value is not allowed; `printed` is how Go prints it, where that differs from the
    /// object.
    pub fn invalid_printed(path: &Path, printed: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, path, Some(printed.into()), detail)
    }

    /// Returns the error that the value is not allowed, and too long or too deep to be printed.
    pub fn invalid_omitted(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, path, None, detail)
    }

    /// Returns the error that the value is not one of those that `detail` lists; `printed` is how Go prints it.
    pub fn not_supported_printed(path: &Path, printed: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::NotSupported, path, Some(printed.into()), detail)
    }

    /// Returns an error that is not about the object.
    pub fn internal(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Internal, path, None, detail)
    }

    /// Returns the value is there already.
    pub fn duplicate(path: &Path, value: &Value) -> Self {
        Self::new(ErrorType::Duplicate, path, Some(printed(value)), "").about_structure(value)
    }

    /// Returns the error that the value, of the type that the field tables call `table`, occurs already.
    pub fn duplicate_typed(path: &Path, table: &'static str, value: &Value) -> Self {
        let printed = internal_json::compact(table, value);
        Self::new(ErrorType::Duplicate, path, Some(printed), "").about(Some(table), value)
    }

    /// Returns the error that the value occurs already; `printed` is how Go prints it.
    pub fn duplicate_printed(path: &Path, printed: impl Into<String>) -> Self {
        Self::new(ErrorType::Duplicate, path, Some(printed.into()), "")
    }

    /// Returns the error that the object named by the field does not exist.
    pub fn not_found(path: &Path, value: &Value) -> Self {
        Self::new(ErrorType::NotFound, path, Some(printed(value)), "")
    }

    /// Returns the error that the value is not one of `supported`, which are printed in the order given.
    pub fn not_supported(path: &Path, value: &Value, supported: &[&str]) -> Self {
        let quoted: Vec<String> = supported.iter().map(|value| quote(value)).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        let error =
            Self::new(ErrorType::NotSupported, path, Some(printed(value)), detail).about_structure(value);
        Self { supported: supported.iter().map(|value| (*value).to_owned()).collect(), ..error }
    }

    /// Returns the text is longer than `max` bytes.
    pub fn too_long(path: &Path, max: usize) -> Self {
        let bytes = if max == 1 { "byte" } else { "bytes" };
        Self::new(ErrorType::TooLong, path, None, format!("may not be more than {max} {bytes}"))
    }

    /// Returns the list has more than `max` items.
    pub fn too_many(path: &Path, actual: usize, max: usize) -> Self {
        let items = if max == 1 { "item" } else { "items" };
        let detail = format!("must have at most {max} {items}");
        Self::new(ErrorType::TooMany, path, Some(actual.to_string()), detail)
    }

    /// Returns the message without the field: the text of a [`crate::StatusCause`].
    pub fn body(&self) -> String {
        let mut body = self.error_type.text().to_owned();
        if let Some(value) = &self.bad_value {
            body.push_str(": ");
            body.push_str(value);
        }
        if !self.detail.is_empty() {
            body.push_str(": ");
            body.push_str(&self.detail);
        }
        body
    }

    /// Returns the field as the message names it.
    pub fn field(&self) -> String {
        self.path.as_ref().map_or_else(|| "<nil>".to_owned(), Path::to_string)
    }

    /// Returns an error about `path`, or about the object as a whole, with a value that Go prints as `bad_value`.
    pub fn printed(
        error_type: ErrorType,
        path: Option<Path>,
        bad_value: Option<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            error_type,
            path,
            bad_value,
            detail: detail.into(),
            value: None,
            rule: None,
            supported: Vec::new(),
        }
    }

    /// Returns the same error with the `value` that it is about, of the type that the field tables call `table`.
    #[must_use]
    pub fn about(self, table: Option<&'static str>, value: &Value) -> Self {
        Self { value: Some(Typed { table, value: value.clone() }), ..self }
    }

    /// Returns the same error with the `value` that it is about, unless that is a text or a number.
    fn about_structure(self, value: &Value) -> Self {
        if value.is_string() || value.is_number() { self } else { self.about(None, value) }
    }

    /// Returns the same error as that of `rule`.
    #[must_use]
    pub fn of(self, rule: Rule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    fn new(error_type: ErrorType, path: &Path, bad_value: Option<String>, detail: impl Into<String>) -> Self {
        Self::printed(error_type, Some(path.clone()), bad_value, detail)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field(), self.body())
    }
}

/// Joins several errors into one text: a single one bare, more of them in brackets; equal texts once.
///
/// Source: `utilerrors.NewAggregate`.
pub fn aggregate<T: fmt::Display>(errors: &[T]) -> String {
    let mut texts: Vec<String> = Vec::with_capacity(errors.len());
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", texts.join(", ")),
    }
}

/// Returns a value as Go prints it in a field error: text in quotes, the rest as JSON.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        other => encoding_json::to_string(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn prints_errors_as_go_does() {
        let path = Path::new("spec.restartPolicy");
        let error = Error::not_supported(&path, &json!("Maybe"), &["Always", "Never"]);
        assert_eq!(
            error.to_string(),
            "spec.restartPolicy: Unsupported value: \"Maybe\": supported values: \"Always\", \"Never\""
        );
        assert_eq!(Error::required(&path, "").to_string(), "spec.restartPolicy: Required value");
        assert_eq!(aggregate(&[1, 1]), "1");
        assert_eq!(aggregate(&["a", "b"]), "[a, b]");
    }
}
