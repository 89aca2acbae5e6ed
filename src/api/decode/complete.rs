//! The encoder's part: which fields stand in the output although nobody wrote them, and which do not although
//! somebody did.

use crate::api::schema::{Field, Scalar, Shape, Type};
use crate::api::{Map, Value};

/// Writes `value` as Go's encoder writes a value of type `target`.
pub(super) fn complete(target: &Type, value: &mut Value) {
    match &target.shape {
        Shape::Struct(structure) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            let map = value.as_object_mut().expect("made a map above");
            structure.fields.iter().for_each(|field| complete_field(field, map));
        }
        Shape::List(item) => {
            for slot in value.as_array_mut().into_iter().flatten() {
                if !(item.pointer && slot.is_null()) {
                    complete(item.get(), slot);
                }
            }
        }
        Shape::Map { value: item, .. } => {
            for (_, slot) in value.as_object_mut().into_iter().flatten() {
                if !(item.pointer && slot.is_null()) {
                    complete(item.get(), slot);
                }
            }
        }
        Shape::Scalar(scalar) => complete_scalar(*scalar, value),
    }
}

fn complete_field(field: &Field, map: &mut Map) {
    let target = field.reference.get();
    let present = map.get_mut(field.name.as_ref()).filter(|value| !value.is_null());
    if field.reference.pointer {
        match present {
            Some(value) => complete(target, value),
            None if field.always => drop(map.insert(field.name.clone().into_owned(), zero(target))),
            None if field.omit_empty => drop(map.remove(field.name.as_ref())),
            None => drop(map.insert(field.name.clone().into_owned(), Value::Null)),
        }
        return;
    }
    if field.omit_zero && present.as_deref().is_none_or(|value| is_zero(target, value)) {
        map.remove(field.name.as_ref());
        return;
    }
    match present {
        Some(value) if field.omit_empty && is_empty(target, value) => drop(map.remove(field.name.as_ref())),
        Some(value) => complete(target, value),
        None if field.omit_empty && can_be_empty(target) => drop(map.remove(field.name.as_ref())),
        None => {
            let mut value = zero(target);
            if matches!(target.shape, Shape::Struct(_)) {
                complete(target, &mut value);
            }
            map.insert(field.name.clone().into_owned(), value);
        }
    }
}

fn complete_scalar(scalar: Scalar, value: &mut Value) {
    match (scalar, &value) {
        (Scalar::SchemaOrArray | Scalar::SchemaOrStrings, Value::Array(items)) => {
            if items.is_empty() {
                *value = Value::Null;
            } else if scalar == Scalar::SchemaOrArray {
                value.as_array_mut().into_iter().flatten().for_each(complete_schema);
            }
        }
        (Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings, Value::Object(_)) => {
            complete_schema(value);
        }
        _ => {}
    }
}

fn complete_schema(value: &mut Value) {
    let props = crate::api::schema::named("apiextensions/v1.JSONSchemaProps").expect("the tables have it");
    complete(props, value);
}

/// Whether Go's `omitempty` knows an empty value of the type: structs, also those written as text, are never empty.
fn can_be_empty(target: &Type) -> bool {
    match &target.shape {
        Shape::List(_) | Shape::Map { .. } => true,
        Shape::Struct(_) => false,
        Shape::Scalar(scalar) => matches!(
            scalar,
            Scalar::String
                | Scalar::Bool
                | Scalar::Int32
                | Scalar::Int64
                | Scalar::Uint8
                | Scalar::Float64
                | Scalar::Bytes
        ),
    }
}

fn is_empty(target: &Type, value: &Value) -> bool {
    can_be_empty(target)
        && match value {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Number(value) => value.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
        }
}

fn is_zero(target: &Type, value: &Value) -> bool {
    match (&target.shape, value) {
        (_, Value::Null) => true,
        (Shape::Struct(structure), Value::Object(map)) => structure.fields.iter().all(|field| {
            map.get(field.name.as_ref()).is_none_or(|value| {
                value.is_null() || !field.reference.pointer && is_zero(field.reference.get(), value)
            })
        }),
        // An empty list or map that was written is not the zero value, which is none at all.
        (Shape::List(_) | Shape::Map { .. }, _) => false,
        _ => *value == zero(target),
    }
}

/// What a value of the type is that nobody has set.
pub(super) fn zero(target: &Type) -> Value {
    match &target.shape {
        Shape::Struct(_) => Value::Object(Map::new()),
        Shape::List(_) | Shape::Map { .. } => Value::Null,
        Shape::Scalar(scalar) => match scalar {
            Scalar::String => Value::String(String::new()),
            Scalar::Bool | Scalar::SchemaOrBool => Value::Bool(false),
            Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 | Scalar::IntOrString => {
                Value::from(0)
            }
            Scalar::Quantity => Value::String("0".to_owned()),
            Scalar::Duration => Value::String("0s".to_owned()),
            Scalar::Bytes
            | Scalar::Time
            | Scalar::MicroTime
            | Scalar::Json
            | Scalar::SchemaOrArray
            | Scalar::SchemaOrStrings => Value::Null,
        },
    }
}
