//! Values in errors, which servers before 1.34 print in Go's syntax and later ones as JSON: selectors, labels, references
//! to roles, texts in lists and maps, and numbers that may be percentages. Other structures stay JSON, as Go prints
//! where their parts are in memory.
//!
//! Source: `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use crate::past::rules::Subject;
use gotext::{encoding_json, quote};
use kube_api::Value;
use kube_api::field::Error;
use kube_api::schema::{self, Scalar, Shape, Type};

/// The minor of the first release that prints JSON.
pub(super) const JSON: u32 = 34;

/// The errors about numbers that may be percentages that print the type with both; others print the number alone.
const PERCENTAGES: [&str; 3] =
    ["must not be greater than 100%", "a valid percent string must be", "cannot be 0"];

/// Writes the value of an error as servers before 1.34 do.
pub(super) fn in_go(error: &mut Error, subject: &Subject<'_>) {
    let Some(text) = error.bad_value.as_deref() else { return };
    let is_percentage = PERCENTAGES.iter().any(|detail| error.detail.contains(detail));
    if !is_percentage && !text.starts_with(['{', '[']) && text != "null" {
        return;
    }
    let Some(path) = error.path.as_ref() else { return };
    let value = subject.at(path);
    let tables = schema::of_release(subject.features.release());
    let Some(found) = tables.of(subject.kind).and_then(|kind| kind.at(&path.to_string())) else { return };
    // Some errors print another value than that of their field; references to roles have Go's names of fields.
    let is_value = || encoding_json::from_slice(text.as_bytes()).ok().as_ref() == Some(value);
    if found.short_name() == "RoleRef" || is_value() {
        error.bad_value = printed(found, value, true).or(error.bad_value.take());
    }
}

/// Returns `value` in Go's syntax; nothing if that depends on the server's memory or on names that are unknown here.
fn printed(kind: &Type, value: &Value, is_whole: bool) -> Option<String> {
    match &kind.shape {
        Shape::Scalar(Scalar::IntOrString) => Some(int_or_string(value)),
        Shape::Scalar(Scalar::String) => Some(quote(value.as_str().unwrap_or_default())),
        Shape::Scalar(_) => None,
        Shape::List(item) => {
            let item = item.get();
            let name = struct_name(item).map_or_else(|| texts(item), |name| Some(name.to_owned()))?;
            let Value::Array(values) = value else { return Some(format!("[]{name}(nil)")) };
            let values =
                values.iter().map(|value| printed(item, value, false)).collect::<Option<Vec<_>>>()?;
            Some(format!("[]{name}{{{}}}", values.join(", ")))
        }
        Shape::Map { value: item, .. } => {
            let name = texts(item.get())?;
            let Value::Object(values) = value else { return Some(format!("map[string]{name}(nil)")) };
            let values = values
                .iter()
                .map(|(key, value)| Some(format!("{}:{}", quote(key), printed(item.get(), value, false)?)));
            Some(format!("map[string]{name}{{{}}}", values.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        // Only selectors are at pointers.
        Shape::Struct(_) if value.is_null() && is_whole => struct_name(kind).map(|_| quote("null")),
        Shape::Struct(structure) => {
            let name = struct_name(kind)?;
            let fields = structure.fields.iter().map(|field| {
                let value = value.get(&*field.name).unwrap_or(&Value::Null);
                Some(format!("{}:{}", go_name(&field.name), printed(field.reference.get(), value, false)?))
            });
            Some(format!("{name}{{{}}}", fields.collect::<Option<Vec<_>>>()?.join(", ")))
        }
    }
}

/// Returns Go's name of a type of text that has none of its own.
fn texts(kind: &Type) -> Option<String> {
    let is_plain = kind.name.is_empty() || &*kind.name == "string";
    (is_plain && matches!(kind.shape, Shape::Scalar(Scalar::String))).then(|| "string".to_owned())
}

/// Returns the name that servers have for a structure without pointers.
fn struct_name(kind: &Type) -> Option<&'static str> {
    match kind.short_name() {
        "LabelSelector" => Some("v1.LabelSelector"),
        "LabelSelectorRequirement" => Some("v1.LabelSelectorRequirement"),
        "RoleRef" => Some("rbac.RoleRef"),
        _ => None,
    }
}

/// Returns the name of a field of these structures.
fn go_name(field: &str) -> String {
    if field == "apiGroup" {
        return "APIGroup".to_owned();
    }
    let mut name = field.to_owned();
    name[..1].make_ascii_uppercase();
    name
}

fn int_or_string(value: &Value) -> String {
    let (kind, text) = value.as_str().map_or((0, ""), |text| (1, text));
    let number = value.as_i64().unwrap_or_default();
    format!("intstr.IntOrString{{Type:{kind}, IntVal:{number}, StrVal:{}}}", quote(text))
}
