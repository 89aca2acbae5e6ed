//! Fits a value that was read without types to a schema: unknown fields and meaningless nulls are dropped, defaults are
//! added, and metadata of embedded objects is decoded.
//!
//! Defaults are not pruned here: the validation of definitions ensures that they only have known fields.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting,objectmeta}`.

use crate::custom_resource::place::field;
use crate::custom_resource::schema::{Additional, Schema};
use gotext::source::Node;
use kube_api::decode::{self, StrictError};
use kube_api::field::{Error, Path};
use kube_api::{Map, Value};

/// Fields that an object has in any schema.
pub(super) const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes what no schema describes from an object, and returns the removed fields in order.
pub(super) fn prune(object: &mut Map, schema: &Schema) -> Vec<String> {
    let mut pruning = Pruning { path: String::new(), removed: Vec::new() };
    pruning.map(object, schema, true, schema.preserves_unknown_fields);
    pruning.removed.sort();
    pruning.removed
}

/// Removes what no schema describes from a part of an object.
pub(super) fn prune_part(value: &mut Value, schema: &Schema, is_resource: bool) {
    let mut pruning = Pruning { path: String::new(), removed: Vec::new() };
    match value {
        Value::Object(map) => pruning.map(map, schema, is_resource, schema.preserves_unknown_fields),
        other => pruning.value(other, Some(schema), false),
    }
}

struct Pruning {
    path: String,
    removed: Vec<String>,
}

impl Pruning {
    /// Prunes a value; `is_free` if it is an item of a list that keeps unknown fields.
    fn value(&mut self, value: &mut Value, schema: Option<&Schema>, is_free: bool) {
        let is_free = is_free || schema.is_some_and(|schema| schema.preserves_unknown_fields);
        match (value, schema) {
            (Value::Object(map), Some(schema)) => self.map(map, schema, schema.is_embedded_resource, is_free),
            (Value::Object(map), None) if !is_free => {
                for (name, _) in std::mem::take(map) {
                    self.remove(&name);
                }
            }
            (Value::Array(items), schema) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                for (index, item) in items.iter_mut().enumerate() {
                    let length = self.path.len();
                    self.path.extend(["[", &index.to_string(), "]"]);
                    self.value(item, schema, is_free);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn map(&mut self, map: &mut Map, schema: &Schema, is_resource: bool, is_free: bool) {
        map.retain(|name, value| {
            if is_resource && META_FIELDS.contains(&name.as_str()) {
                return true;
            }
            let schema = match (schema.properties.get(name.as_str()), &schema.additional) {
                (Some(property), _) => Some(property),
                (None, Some(Additional::Schema(schema))) => Some(&**schema),
                (None, Some(Additional::Bool(_))) => None,
                (None, None) => {
                    if !is_free {
                        self.remove(name);
                    }
                    return is_free;
                }
            };
            let length = self.path.len();
            self.enter(name);
            self.value(value, schema, false);
            self.path.truncate(length);
            true
        });
    }

    fn enter(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    fn remove(&mut self, name: &str) {
        let length = self.path.len();
        self.enter(name);
        self.removed.push(self.path.clone());
        self.path.truncate(length);
    }
}

/// Removes the fields that are null where the schema does not allow null and has no default.
pub(super) fn drop_nulls(value: &mut Value, schema: Option<&Schema>) {
    match value {
        Value::Object(map) => drop_nulls_of(map, schema),
        Value::Array(items) => {
            let schema = schema.and_then(|schema| schema.items.as_deref());
            for item in items {
                drop_nulls(item, schema);
            }
        }
        _ => {}
    }
}

/// Does the same for the fields of a map.
pub(super) fn drop_nulls_of(map: &mut Map, schema: Option<&Schema>) {
    map.retain(|name, value| {
        let schema = schema.and_then(|schema| schema.field(name));
        let goes =
            value.is_null() && schema.is_some_and(|schema| !schema.nullable && schema.default.is_none());
        drop_nulls(value, schema);
        !goes
    });
}

/// Fills in defaults.
pub(super) fn set_defaults(value: &mut Value, schema: &Schema) {
    match value {
        Value::Object(map) => set_defaults_of(map, schema),
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for item in items {
                replace_null(item, schema);
                set_defaults(item, schema);
            }
        }
        _ => {}
    }
}

/// Does the same for the fields of a map.
pub(super) fn set_defaults_of(map: &mut Map, schema: &Schema) {
    for (name, property) in &schema.properties {
        let Some(default) = &property.default else { continue };
        if map.get(name).is_none_or(|value| value.is_null() && !property.nullable) {
            map.insert(name.clone(), default.clone());
        }
    }
    for (name, value) in map {
        if let Some(property) = schema.properties.get(name.as_str()) {
            set_defaults(value, property);
        } else if let Some(schema) = schema.additional_schema() {
            replace_null(value, schema);
            set_defaults(value, schema);
        }
    }
}

fn replace_null(value: &mut Value, schema: &Schema) {
    if value.is_null() && !schema.nullable {
        *value = schema.default.clone().unwrap_or_default();
    }
}

/// Reads the metadata of embedded objects, and returns the fields that metadata does not have.
pub(super) fn read_embedded(
    map: &mut Map,
    schema: &Schema,
    validate: bool,
) -> Result<Vec<StrictError>, Error> {
    let mut reading = Embedded { validate, reads_root: false, unknown: Vec::new() };
    reading.map(map, schema, None)?;
    reading.unknown.sort_by(|left, right| left.text.cmp(&right.text));
    Ok(reading.unknown)
}

/// Reads the metadata of embedded objects of a value at `path`; without one the value is such an object itself.
pub(super) fn read_part(value: &mut Value, schema: &Schema, path: Option<&Path>) -> Result<(), Error> {
    let mut reading = Embedded { validate: false, reads_root: path.is_none(), unknown: Vec::new() };
    match (value, path) {
        (value, Some(path)) => reading.value(value, schema, path),
        (Value::Object(map), None) => reading.map(map, schema, None),
        _ => Ok(()),
    }
}

struct Embedded {
    validate: bool,
    /// Whether the object as a whole is read here, and not elsewhere.
    reads_root: bool,
    unknown: Vec<StrictError>,
}

impl Embedded {
    fn value(&mut self, value: &mut Value, schema: &Schema, path: &Path) -> Result<(), Error> {
        match value {
            Value::Object(map) => self.map(map, schema, Some(path)),
            Value::Array(items) => {
                let Some(schema) = &schema.items else { return Ok(()) };
                let mut items = items.iter_mut().enumerate();
                items.try_for_each(|(index, item)| self.value(item, schema, &path.index(index)))
            }
            _ => Ok(()),
        }
    }

    fn map(&mut self, map: &mut Map, schema: &Schema, path: Option<&Path>) -> Result<(), Error> {
        for (name, value) in map {
            let here = field(path, name);
            if schema.is_embedded_resource && (self.reads_root || path.is_some()) {
                match name.as_str() {
                    "apiVersion" | "kind" if !value.is_string() => {
                        return Err(Error::invalid(&here, value, "must be a string"));
                    }
                    "metadata" => self.metadata(value, &here)?,
                    _ => {}
                }
            }
            if let Some(property) = schema.properties.get(name.as_str()) {
                self.value(value, property, &here)?;
            } else if let Some(schema) = schema.additional_schema() {
                let here = path.map_or_else(|| here.clone(), |path| path.key(name.clone()));
                self.value(value, schema, &here)?;
            }
        }
        Ok(())
    }

    fn metadata(&mut self, value: &mut Value, path: &Path) -> Result<(), Error> {
        let read = decode::metadata(Node::from(value.clone()), &path.to_string(), self.validate);
        let (metadata, unknown) = read.map_err(|(message, _)| Error::invalid(path, value, message))?;
        *value = metadata;
        self.unknown.extend(unknown);
        Ok(())
    }
}

/// Removes metadata of the wrong type, and what is none, as the server does with what comes back from the storage.
///
/// Source: `GetObjectMetaWithOptions` of `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta`
pub(super) fn drop_malformed_metadata(map: &mut Map) {
    let Some(Value::Object(metadata)) = map.get_mut("metadata") else { return };
    let read = |map: Map| decode::metadata(Node::from(Value::Object(map)), "metadata", true);
    if read(metadata.clone()).is_ok_and(|(_, unknown)| unknown.is_empty()) {
        return;
    }
    metadata.retain(|name, value| {
        let mut field = Map::new();
        field.insert(name.clone(), value.clone());
        match read(field) {
            Ok((_, unknown)) if unknown.is_empty() => true,
            Ok((read, _)) => read.look_up(name).is_some_and(|read| {
                *value = read.clone();
                true
            }),
            Err(_) => false,
        }
    });
}
