//! Objects as the server's encoder writes them, which is where empty fields are dropped.

use super::complete;
use crate::schema::{self, Shape, Type};
use crate::version::Version;
use crate::{GroupVersionKind, Map, Object, Value};
use gotext::value::{self, Seal};

/// Writes `object` as the server's encoder would: empty fields that may be omitted are dropped, required ones are added
/// with their zero values. An object whose kind has no field table stays as it is.
///
/// The object remembers which of its lists and maps were empty, as the server does until it encodes it.
pub fn normalize(object: &mut Object) {
    normalize_in(Version::BINARY, object);
}

/// Writes `object` as the encoder of `release` would.
pub fn normalize_in(release: Version, object: &mut Object) {
    let table = schema::of_release(release).of(&object.kind).or_else(|| schema::of(&object.kind));
    let Some(table) = table else { return };
    complete_by(object, table);
    if release != Version::BINARY {
        let filled_in = schema::of_release(release.max(OLDEST_DEFAULTS)).of(&object.kind);
        let known = filled_in.unwrap_or(table);
        // Writing to shared containers copies them, and most objects have no such field.
        if has_unknown(known, &object.value) {
            forget_unknown(known, &mut object.value);
        }
        // The field carries no information about a new object, and newer servers leave it out.
        if object.value["metadata"]["creationTimestamp"].is_null() {
            object.remove(["metadata", "creationTimestamp"]);
        }
    }
    schema::know(table, &mut object.value);
}

/// Returns an object of `kind` as it is before anything is decoded into it: with the fields that an encoder writes in any
/// case, but without those that only a conversion sets.
pub fn empty(kind: &GroupVersionKind) -> Object {
    let mut empty = Object::new(kind.clone(), Value::Object(Map::new()));
    normalize(&mut empty);
    if let Some(table) = schema::of(kind) {
        forget_converted(table, &mut empty.value);
    }
    empty
}

fn forget_converted(table: &'static Type, value: &mut Value) {
    if let (Shape::Struct(structure), Value::Object(map)) = (&table.shape, value) {
        map.retain(|name, value| {
            let Some(field) = structure.field(name) else { return true };
            forget_converted(field.reference.get(), value);
            !(field.reference.pointer && field.always)
        });
    }
}

/// Writes `object` as [`normalize`] does, by the types of `table`.
pub fn normalize_as(object: &mut Object, table: &'static Type) {
    complete_by(object, table);
    schema::know(table, &mut object.value);
}

fn complete_by(object: &mut Object, table: &'static Type) {
    let mut left_out = Vec::new();
    complete::complete(table, &mut object.value, &mut left_out);
    object.remember_empty(left_out);
}

/// The oldest release whose servers were studied: older ones are assumed to fill in the same.
const OLDEST_DEFAULTS: Version = Version::minor(13);

/// Whether `value` has a field that the type does not have: one of later releases, as nothing else fills in fields.
fn has_unknown(table: &'static Type, value: &Value) -> bool {
    match (&table.shape, value) {
        (Shape::Struct(structure), Value::Object(map)) => {
            let seal = Seal::of(value::Walk::Known, table);
            let is_known = map.is_sealed(seal)
                || !structure.later.iter().any(|name| map.contains_key(name))
                    && !map.iter().any(|(name, value)| {
                        matches!(value, Value::Object(_) | Value::Array(_))
                            && structure
                                .field(name)
                                .is_some_and(|field| has_unknown(field.reference.get(), value))
                    });
            if is_known {
                map.seal(seal);
            }
            !is_known
        }
        (Shape::List(item), Value::Array(items)) => items.iter().any(|value| has_unknown(item.get(), value)),
        (Shape::Map { value: item, .. }, Value::Object(map)) => {
            map.values().any(|value| has_unknown(item.get(), value))
        }
        _ => false,
    }
}

/// Drops the fields that the type does not have: those that the server of a later release fills in.
fn forget_unknown(table: &Type, value: &mut Value) {
    match (&table.shape, value) {
        (Shape::Struct(structure), Value::Object(map)) => {
            map.retain(|name, value| match structure.field(name) {
                Some(field) => {
                    forget_unknown(field.reference.get(), value);
                    true
                }
                None => false,
            });
        }
        (Shape::List(item), Value::Array(items)) => {
            items.iter_mut().for_each(|value| forget_unknown(item.get(), value));
        }
        (Shape::Map { value: item, .. }, Value::Object(map)) => {
            map.values_mut().for_each(|value| forget_unknown(item.get(), value));
        }
        _ => {}
    }
}
