//! Lists whose items may not repeat: `x-kubernetes-list-type` set and map.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype`.

use crate::custom_resource::place::field;
use crate::custom_resource::schema::{ListType, Schema};
use kube_api::field::{Error, Path};
use kube_api::{Map, Value};

/// Finds the repetitions in the lists of a map and below it.
pub(super) fn repetitions(map: &Map, schema: &Schema, path: Option<&Path>, errors: &mut Vec<Error>) {
    if let Some(additional) = schema.additional_schema() {
        for (name, value) in map {
            let path = path.map_or_else(|| Path::named(name.to_string()), |path| path.key(name.clone()));
            below(value, additional, &path, errors);
        }
    }
    for (name, value) in map {
        if let Some(property) = schema.properties.get(name.as_str()) {
            below(value, property, &field(path, name), errors);
        }
    }
}

fn below(value: &Value, schema: &Schema, path: &Path, errors: &mut Vec<Error>) {
    match value {
        Value::Object(map) => repetitions(map, schema, Some(path), errors),
        Value::Array(items) => {
            match &schema.list_type {
                ListType::Set => in_set(items, path, errors),
                ListType::Map(keys) => in_map(items, keys, path, errors),
                ListType::Atomic | ListType::Unspecified => {}
            }
            let Some(schema) = &schema.items else { return };
            for (index, item) in items.iter().enumerate() {
                below(item, schema, &path.index(index), errors);
            }
        }
        _ => {}
    }
}

fn in_set(items: &[Value], path: &Path, errors: &mut Vec<Error>) {
    let repeated = second_appearances(items);
    errors.extend(repeated.map(|index| Error::duplicate(&path.index(index), &items[index])));
}

fn in_map(items: &[Value], keys: &[String], path: &Path, errors: &mut Vec<Error>) {
    let other = items.iter().position(|item| !item.is_null() && !item.is_object());
    if let Some(index) = other {
        let detail = "must be an object for an array of list-type map";
        errors.push(Error::invalid(&path.index(index), &items[index], detail));
        return;
    }
    let key_of = |item: &Value| {
        let given = keys.iter().filter_map(|key| Some((key.clone(), item.as_object()?.get(key)?.clone())));
        Value::Object(given.collect())
    };
    let wanted: Vec<Value> = items.iter().map(key_of).collect();
    in_set(&wanted, path, errors);
}

/// Returns the items that appear for the second time; further repetitions are not reported.
fn second_appearances(items: &[Value]) -> impl Iterator<Item = usize> + use<'_> {
    items.iter().enumerate().filter_map(|(index, item)| {
        let before = items[..index].iter().filter(|known| *known == item).count();
        (before == 1).then_some(index)
    })
}
