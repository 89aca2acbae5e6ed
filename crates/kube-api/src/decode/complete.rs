//! The encoder's part: the fields that it writes although they were not set, and those that it drops although they
//! were.

use crate::field::Segment;
use crate::object::EmptyField;
use crate::schema::{Field, Reference, Scalar, Shape, Type};
use crate::{Map, Value};
use gotext::value::{Seal, Text, Walk};

/// Writes `value` as Go's encoder writes a value of type `target`, and records in `left_out` the empty lists and maps
/// that it drops.
pub(super) fn complete(target: &'static Type, value: &mut Value, left_out: &mut Vec<EmptyField>) {
    if value.as_object().is_some_and(|map| map.is_sealed(Seal::of(Walk::Encoding, target))) {
        return;
    }
    // Writing to a container shared with an earlier version copies it, so this is checked first.
    if value.is_shared() && is_complete(target, value) {
        return;
    }
    match &target.shape {
        Shape::Struct(structure) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            let map = value.as_object_mut().expect("made a map above");
            map.retain(|name, value| {
                is_set_scalar(value)
                    || structure.field(name).is_none_or(|field| {
                        let step = || Segment::Field(field.name.clone());
                        below(left_out, step, |left_out| complete_field(field, value, left_out))
                    })
            });
            for field in structure.written_unset() {
                if !map.contains_key(field.name.as_ref()) {
                    map.insert(&*field.name, unset(field));
                }
            }
            map.seal(Seal::of(Walk::Encoding, target));
        }
        Shape::List(item) if is_plain(item.get()) => {}
        Shape::Map { value: item, .. } if is_plain(item.get()) => {}
        Shape::List(item) => {
            for (index, slot) in value.as_array_mut().into_iter().flatten().enumerate() {
                if !(item.pointer && slot.is_null()) {
                    let step = || Segment::Index(index);
                    below(left_out, step, |left_out| complete(item.get(), slot, left_out));
                }
            }
        }
        Shape::Map { value: item, .. } => {
            for (key, slot) in value.as_object_mut().into_iter().flatten() {
                if !(item.pointer && slot.is_null()) {
                    let step = || Segment::Key(key.to_string());
                    below(left_out, step, |left_out| complete(item.get(), slot, left_out));
                }
            }
        }
        Shape::Scalar(scalar) => complete_scalar(*scalar, value),
    }
}

/// Whether [`complete`] would leave `value` as it is. An object that was completed before is shared with its earlier
/// versions, and writing to it would copy it.
pub(super) fn is_complete(target: &'static Type, value: &Value) -> bool {
    match (&target.shape, value) {
        (Shape::Struct(structure), Value::Object(map)) => {
            let is_field_complete = |(name, value): (&Text, &Value)| {
                is_set_scalar(value)
                    || structure.field(name).is_none_or(|field| is_field_complete(field, value))
            };
            let seal = Seal::of(Walk::Encoding, target);
            let is_complete = map.is_sealed(seal)
                || map.iter().all(is_field_complete)
                    && structure.written_unset().all(|field| map.look_up(&field.name).is_some());
            if is_complete {
                map.seal(seal);
            }
            is_complete
        }
        (Shape::Struct(_), _) => false,
        (Shape::List(item), Value::Array(items)) => {
            is_plain(item.get()) || items.iter().all(|slot| is_item_complete(item, slot))
        }
        (Shape::Map { value: item, .. }, Value::Object(map)) => {
            is_plain(item.get()) || map.values().all(|slot| is_item_complete(item, slot))
        }
        (Shape::Scalar(scalar), _) => {
            is_plain(target) || {
                let mut completed = value.clone();
                complete_scalar(*scalar, &mut completed);
                completed == *value
            }
        }
        _ => true,
    }
}

/// Whether a field of any type is written as `value`, as most are: no type has such a scalar as its zero value.
fn is_set_scalar(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::Number(value) => value.as_f64() != Some(0.0),
        // Quantities and durations have a text as their zero value.
        Value::String(text) => !text.is_empty() && !text.starts_with('0'),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn is_item_complete(item: &'static Reference, slot: &Value) -> bool {
    item.pointer && slot.is_null() || is_complete(item.get(), slot)
}

fn is_field_complete(field: &'static Field, value: &Value) -> bool {
    if !is_unset(field, value) {
        return is_complete(field.reference.get(), value);
    }
    let is_list_or_map = matches!(field.reference.get().shape, Shape::List(_) | Shape::Map { .. });
    !(is_list_or_map && EmptyField::of(value).is_some()) && field.is_written_unset() && *value == unset(field)
}

/// Whether values of the type are written as they are.
fn is_plain(target: &Type) -> bool {
    match target.shape {
        Shape::Scalar(scalar) => {
            !matches!(scalar, Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings)
        }
        _ => false,
    }
}

fn is_unset(field: &Field, value: &Value) -> bool {
    let target = field.reference.get();
    value.is_null()
        || !field.reference.pointer
            && (field.omit_zero && is_zero(target, value) || field.omit_empty && is_empty(target, value))
}

/// Returns what `complete` does to the value at `step`.
fn below<T>(
    left_out: &mut Vec<EmptyField>,
    step: impl Fn() -> Segment,
    complete: impl FnOnce(&mut Vec<EmptyField>) -> T,
) -> T {
    let before = left_out.len();
    let result = complete(left_out);
    left_out[before..].iter_mut().for_each(|empty| empty.push(step()));
    result
}

/// Completes the value of a field that is there; false if the encoder leaves the field out.
fn complete_field(field: &'static Field, value: &mut Value, left_out: &mut Vec<EmptyField>) -> bool {
    let target = field.reference.get();
    if !is_unset(field, value) {
        complete(target, value, left_out);
        return true;
    }
    if matches!(target.shape, Shape::List(_) | Shape::Map { .. }) {
        left_out.extend(EmptyField::of(value));
    }
    let is_written_unset = field.is_written_unset();
    if is_written_unset {
        *value = unset(field);
    }
    is_written_unset
}

/// Returns what the encoder writes for a field that is required but not set.
fn unset(field: &'static Field) -> Value {
    let target = field.reference.get();
    if field.reference.pointer {
        return if field.always { zero(target) } else { Value::Null };
    }
    let mut value = zero(target);
    if matches!(target.shape, Shape::Struct(_)) {
        complete(target, &mut value, &mut Vec::new());
    }
    value
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
    let props = crate::schema::named("apiextensions/v1.JSONSchemaProps").expect("the tables have it");
    complete(props, value, &mut Vec::new());
}

fn is_empty(target: &Type, value: &Value) -> bool {
    target.can_be_empty() && value.is_zero_value()
}

fn is_zero(target: &Type, value: &Value) -> bool {
    match (&target.shape, value) {
        (_, Value::Null) => true,
        (Shape::Struct(structure), Value::Object(map)) => structure.fields.iter().all(|field| {
            map.get(field.name.as_ref()).is_none_or(|value| {
                value.is_null() || !field.reference.pointer && is_zero(field.reference.get(), value)
            })
        }),
        // An empty list or map that was written is not the zero value, which is nil.
        (Shape::List(_) | Shape::Map { .. }, _) => false,
        _ => *value == zero(target),
    }
}

/// Returns the zero value of a type.
pub(super) fn zero(target: &Type) -> Value {
    match &target.shape {
        Shape::Struct(_) => Value::Object(Map::new()),
        Shape::List(_) | Shape::Map { .. } => Value::Null,
        Shape::Scalar(scalar) => match scalar {
            Scalar::String => Value::from(""),
            Scalar::Bool | Scalar::SchemaOrBool => Value::Bool(false),
            Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 | Scalar::IntOrString => {
                Value::from(0)
            }
            Scalar::Quantity => Value::from("0"),
            Scalar::Duration => Value::from("0s"),
            Scalar::Bytes
            | Scalar::Time
            | Scalar::MicroTime
            | Scalar::Json
            | Scalar::SchemaOrArray
            | Scalar::SchemaOrStrings => Value::Null,
        },
    }
}
