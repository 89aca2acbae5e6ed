//! The merge of a mutation: like server-side apply, but without owners and removals.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go`,
//! `sigs.k8s.io/structured-merge-diff/v6/typed/validate.go`.

use std::fmt::Write as _;

use crate::custom_resource::Version;
use crate::merge::part::{Items, Part};
use gotext::quote;
use kube_api::schema::{Scalar, Shape, Type};
use kube_api::{Object, Value, resource};

/// Merges `patch` into `existing`. `version` is that of a custom resource.
///
/// # Errors
///
/// Fails if the patch does not match the types, or contains a list, map or struct that is replaced as a whole.
pub fn apply_configuration(
    existing: &Object,
    patch: &Value,
    version: Option<&Version>,
) -> Result<Value, String> {
    let failed = |error: String| format!("failed to convert patch object to typed object: {error}");
    if version.is_none() && resource::by_kind(&existing.kind).is_none() {
        return Err(failed(format!("no corresponding type for {}", existing.kind)));
    }
    let root = Part::of(&existing.kind, version);
    match errors_in(root, patch, false).as_slice() {
        [] => {}
        [one] => return Err(failed(one.clone())),
        several => {
            return Err(failed(several.iter().fold("errors:".to_owned(), |all, error| all + "\n  " + error)));
        }
    }
    let mut atomics = Vec::new();
    root.find_atomics(patch, &mut String::new(), &mut atomics);
    if !atomics.is_empty() {
        return Err(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {}",
            atomics.join(", ")
        ));
    }
    let mut merged = root.merge(Some(&existing.value), Some(patch)).unwrap_or_default();
    if root.overflows(patch) {
        root.wrap(&mut merged);
    }
    Ok(merged)
}

/// Returns what the server makes of a number that is too large for 32 bits, if it is: it takes the lower ones.
///
/// Source: `fromUnstructured` of `k8s.io/apimachinery/pkg/runtime/converter.go`
fn wrapped(value: &Value) -> Option<i32> {
    let number = value.as_i64()?;
    #[expect(clippy::cast_possible_truncation, reason = "that is what the server does")]
    i32::try_from(number).is_err().then_some(number as i32)
}

/// Returns the errors in the types of `patch`. The explicit null of an expression is a value that no type accepts; that
/// of a manifest has any type.
pub(super) fn errors_in(root: Part<'_>, patch: &Value, accepts_null: bool) -> Vec<String> {
    let mut errors = Errors { accepts_null, texts: Vec::new() };
    root.check(patch, &mut String::new(), &mut errors);
    errors.texts
}

struct Errors {
    accepts_null: bool,
    texts: Vec<String>,
}

impl Errors {
    fn push(&mut self, text: String) {
        self.texts.push(text);
    }
}

/// The type expected of a value that is neither a list nor a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Numeric,
    String,
    Boolean,
    /// Any scalar.
    Untyped,
    List,
    Map,
    /// Any type.
    Deduced,
}

impl Part<'_> {
    fn expected(self) -> Expected {
        match self {
            Self::Typed(of, _) => expected_of(of),
            Self::Described { schema, .. } => match schema.types() {
                [one] => match one.as_str() {
                    "integer" | "number" => Expected::Numeric,
                    "string" => Expected::String,
                    "boolean" => Expected::Boolean,
                    "array" => Expected::List,
                    "object" => Expected::Map,
                    _ => Expected::Deduced,
                },
                [] => Expected::Deduced,
                _ => Expected::Untyped,
            },
            Self::Deduced => Expected::Deduced,
        }
    }

    fn is_int32(self) -> bool {
        matches!(self, Self::Typed(Type { shape: Shape::Scalar(Scalar::Int32), .. }, _))
    }

    /// Whether a number in `value` is too large for its type.
    fn overflows(self, value: &Value) -> bool {
        match value {
            Value::Object(map) => map.iter().any(|(name, value)| self.field(name).overflows(value)),
            Value::Array(items) => items.iter().any(|item| self.item().overflows(item)),
            _ => self.is_int32() && wrapped(value).is_some(),
        }
    }

    /// Cuts numbers that are too large for their types.
    fn wrap(self, value: &mut Value) {
        match value {
            Value::Object(map) => map.iter_mut().for_each(|(name, value)| self.field(name).wrap(value)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.item().wrap(item)),
            _ => {
                if let Some(wrapped) = wrapped(value).filter(|_| self.is_int32()) {
                    *value = wrapped.into();
                }
            }
        }
    }

    /// Whether a map may have the field `name`.
    fn declares(self, name: &str) -> bool {
        match self {
            Self::Typed(Type { shape: Shape::Map { .. } | Shape::Scalar(_), .. }, _) | Self::Deduced => true,
            Self::Typed(of, _) => of.name == "runtime.RawExtension" || of.field(name).is_some(),
            Self::Described { schema, .. } => {
                self.is_named(name) || schema.additional_schema().is_some() || schema.keeps_unknown_fields()
            }
        }
    }

    /// Adds the errors in `value`.
    fn check(self, value: &Value, path: &mut String, errors: &mut Errors) {
        let expected = self.expected();
        let error = match (expected, value) {
            (Expected::Map | Expected::Deduced, Value::Object(map)) => {
                let length = path.len();
                for (name, value) in map {
                    path.extend([".", name]);
                    if !self.declares(name) {
                        errors.push(format!("{path}: field not declared in schema"));
                        path.truncate(length);
                        break;
                    }
                    self.field(name).check(value, path, errors);
                    path.truncate(length);
                }
                return;
            }
            (Expected::List | Expected::Deduced, Value::Array(items)) => {
                return self.check_items(items, path, errors);
            }
            (_, Value::Null) if errors.accepts_null => return,
            (Expected::Deduced, _)
            | (Expected::Numeric, Value::Number(_))
            | (Expected::String, Value::String(_))
            | (Expected::Boolean, Value::Bool(_))
            | (Expected::Untyped, Value::Number(_) | Value::String(_) | Value::Bool(_)) => return,
            (Expected::Numeric, _) => format!("expected numeric (int or float), got {}", go_type(value)),
            (Expected::String, _) => {
                format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value))
            }
            (Expected::Boolean, _) => format!("expected boolean, got &{{{}}}", go_text(value)),
            (Expected::Untyped, _) => format!("expected any scalar, got &{{{}}}", go_text(value)),
            (Expected::List, _) => format!("expected list, got &{{{}}}", go_text(value)),
            (Expected::Map, _) => format!("expected map, got &{{{}}}", go_text(value)),
        };
        errors.push(if path.is_empty() { error } else { format!("{path}: {error}") });
    }

    fn check_items(self, items: &[Value], path: &mut String, errors: &mut Errors) {
        let length = path.len();
        let mut seen = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let step = match self.items() {
                Items::Atomic => format!("[{index}]"),
                Items::Keyed(_) if !item.is_object() => {
                    let error = "associative list with keys may not have non-map elements";
                    errors.push(format!("{path}: element {index}: {error}"));
                    return;
                }
                Items::Keyed(names) => {
                    let missing = names
                        .into_iter()
                        .find(|name| item.get(*name).is_none() && self.key_default(name).is_none());
                    if let Some(name) = missing {
                        errors.push(format!(
                            "{path}: element {index}: associative list with keys has an element that omits key field \
                             {} (and doesn't have default value)",
                            quote(name)
                        ));
                        return;
                    }
                    self.step(item, &mut seen, path, errors)
                }
                Items::Set => {
                    let error = match item {
                        Value::Object(_) => "associative list without keys has an element that's a map type",
                        Value::Array(_) => "not supported: associative list with lists as elements",
                        Value::Null => "associative list without keys has an element that's an explicit null",
                        _ => "",
                    };
                    if !error.is_empty() {
                        errors.push(format!("{path}: element {index}: {error}"));
                        return;
                    }
                    self.step(item, &mut seen, path, errors)
                }
            };
            path.push_str(&step);
            self.item().check(item, path, errors);
            path.truncate(length);
        }
    }

    fn step(self, item: &Value, seen: &mut Vec<String>, path: &str, errors: &mut Errors) -> String {
        let step = self.key_of(item).to_string();
        if seen.contains(&step) {
            errors.push(format!("{path}: duplicate entries for key {step}"));
        }
        seen.push(step.clone());
        step
    }

    /// Adds the paths of values that are replaced as a whole.
    fn find_atomics(self, value: &Value, path: &mut String, atomics: &mut Vec<String>) {
        let length = path.len();
        match value {
            Value::Object(map) if matches!(self.expected(), Expected::Map | Expected::Deduced) => {
                if self.is_atomic_map() {
                    atomics.push(path.clone());
                }
                for (name, value) in map.iter().filter(|(name, _)| self.is_named(name)) {
                    path.extend([".", name]);
                    self.field(name).find_atomics(value, path, atomics);
                    path.truncate(length);
                }
            }
            Value::Array(items) if matches!(self.expected(), Expected::List | Expected::Deduced) => {
                if matches!(self.items(), Items::Atomic) {
                    atomics.push(path.clone());
                }
                for (index, item) in items.iter().enumerate() {
                    write!(path, "[{index}]").expect("a String takes everything");
                    self.item().find_atomics(item, path, atomics);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }
}

fn expected_of(of: &Type) -> Expected {
    match &of.shape {
        Shape::Struct(_) if of.name == "runtime.RawExtension" => Expected::Deduced,
        Shape::Struct(_) | Shape::Map { .. } => Expected::Map,
        Shape::List(_) => Expected::List,
        Shape::Scalar(scalar) => match scalar {
            Scalar::String | Scalar::Bytes | Scalar::Time | Scalar::MicroTime | Scalar::Duration => {
                Expected::String
            }
            Scalar::Bool => Expected::Boolean,
            Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 => Expected::Numeric,
            Scalar::Quantity | Scalar::IntOrString => Expected::Untyped,
            Scalar::Json | Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings => {
                Expected::Deduced
            }
        },
    }
}

/// Returns the type as Go's `%T` prints it.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Returns the value as Go's `%#v` prints it.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "0".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<_> =
                map.iter().map(|(name, value)| format!("{}:{}", quote(name), go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
    }
}

/// Returns the value as Go's `%v` prints it.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "NULL_VALUE".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => text.to_string(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_text).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let entries: Vec<_> =
                map.iter().map(|(name, value)| format!("{name}:{}", go_text(value))).collect();
            format!("map[{}]", entries.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn numbers_that_are_too_large_lose_their_upper_bits() {
        let kind = GroupVersionKind::new("apps", "v1", "Deployment");
        let deployment = |spec: Value| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}, "spec": spec});
        let existing = Object::new(kind, deployment(json!({"replicas": 1, "minReadySeconds": 5})));
        let merged = |replicas: i64| {
            let patch = deployment(json!({"replicas": replicas}));
            apply_configuration(&existing, &patch, None).unwrap()["spec"].clone()
        };
        assert_eq!(merged(5_000_000_000), json!({"replicas": 705_032_704, "minReadySeconds": 5}));
        assert_eq!(merged(2_147_483_648), json!({"replicas": -2_147_483_648_i64, "minReadySeconds": 5}));
        assert_eq!(merged(2_147_483_647), json!({"replicas": 2_147_483_647, "minReadySeconds": 5}));
    }
}
