//! Small changes in a value tree: of a map in a map, over the items of a list, and of absent fields.
//!
//! Nothing here fails: a step into something that is not there, or is of another type, yields nothing.

use crate::{Map, Value};
use gotext::value::Steps;

/// Returns the map at the named fields, to change it.
#[cfg_attr(debug_assertions, track_caller)]
pub fn child_mut(map: &mut Map, fields: impl Steps) -> Option<&mut Map> {
    let mut map = map;
    for field in fields.names() {
        map = map.get_mut(field)?.as_object_mut()?;
    }
    Some(map)
}

/// Returns the map in `field`, created if absent.
#[cfg_attr(debug_assertions, track_caller)]
pub fn child_or_insert<'a>(map: &'a mut Map, field: &'static str) -> &'a mut Map {
    if !map.get(field).is_some_and(Value::is_object) {
        map.insert(field, Value::Object(Map::new()));
    }
    child_mut(map, field).expect("made a map above")
}

/// Returns the maps in the list `field`, to change them.
pub fn items_mut<'a>(map: &'a mut Map, field: &str) -> impl Iterator<Item = &'a mut Map> + use<'a> {
    let items = map.get_mut(field).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Writes `value` into `field`.
#[cfg_attr(debug_assertions, track_caller)]
pub fn set(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    map.insert(field, value.into());
}

/// Writes `value` where `field` is absent: the default of a pointer.
#[cfg_attr(debug_assertions, track_caller)]
pub fn set_if_absent(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    if !map.has(field) {
        set(map, field, value);
    }
}

/// Writes `value` where `field` is Go's zero value: the default of a field that is not a pointer.
#[cfg_attr(debug_assertions, track_caller)]
pub fn set_if_zero(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    if map.is_zero(field) {
        set(map, field, value);
    }
}

/// Copies `field` from `source`, or removes it if `source` does not have it.
#[cfg_attr(debug_assertions, track_caller)]
pub fn copy(map: &mut Map, source: &Map, field: &'static str) {
    match source.get(field) {
        Some(value) => set(map, field, value.clone()),
        None => drop(map.remove(field)),
    }
}

/// Copies `field` from `source`, as [`copy`] does, if `target` is a map.
pub fn copy_in(target: &mut Value, source: &Value, field: &'static str) {
    if let Value::Object(target) = target {
        copy(target, source.as_object().unwrap_or(&Map::new()), field);
    }
}

/// Removes `key` from the map `field`, and the map itself with its last key, as `omitempty` does.
#[cfg_attr(debug_assertions, track_caller)]
pub fn remove_key(map: &mut Map, field: &str, key: &str) -> Option<Value> {
    let entries = child_mut(map, field)?;
    let removed = entries.remove(key);
    if entries.is_empty() {
        map.remove(field);
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn pointers_keep_zero_values_and_other_fields_do_not() {
        let mut value = json!({"replicas": 0, "type": "", "limits": {}});
        let map = value.as_object_mut().expect("a map");
        set_if_absent(map, "replicas", 1);
        set_if_zero(map, "type", "Opaque");
        assert_eq!(*map, *json!({"replicas": 0, "type": "Opaque", "limits": {}}).as_object().expect("a map"));
    }

    #[test]
    fn the_last_key_takes_its_map_along() {
        let mut value = json!({"annotations": {"a": "1", "b": "2"}});
        let map = value.as_object_mut().expect("a map");
        assert_eq!(remove_key(map, "annotations", "a"), Some(json!("1")));
        assert_eq!(remove_key(map, "annotations", "b"), Some(json!("2")));
        assert!(map.is_empty());
    }
}
