//! Small steps in a value tree: into a map, over the items of a list, and writing absent fields.
//!
//! Nothing here fails: a step into something that is not there, or is of another type, yields nothing.

use crate::api::{Map, Value};

/// Returns the map in `field`.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn child<'a>(map: &'a Map, field: &str) -> Option<&'a Map> {
    map.get(field)?.as_object()
}

/// Returns the map in `field`, to change it.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn child_mut<'a>(map: &'a mut Map, field: &str) -> Option<&'a mut Map> {
    map.get_mut(field)?.as_object_mut()
}

/// Returns the map in `field`, created if absent.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn child_or_insert<'a>(map: &'a mut Map, field: &'static str) -> &'a mut Map {
    if !map.get(field).is_some_and(Value::is_object) {
        map.insert(field, Value::Object(Map::new()));
    }
    child_mut(map, field).expect("made a map above")
}

/// Returns the map at the named fields.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn descend<'a>(map: &'a Map, fields: &[&str]) -> Option<&'a Map> {
    fields.iter().try_fold(map, |map, field| child(map, field))
}

/// Returns the map at the named fields, to change it.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn descend_mut<'a>(map: &'a mut Map, fields: &[&str]) -> Option<&'a mut Map> {
    fields.iter().try_fold(map, |map, field| child_mut(map, field))
}

/// Returns the maps in the list `field`.
pub(crate) fn items<'a>(map: &'a Map, field: &str) -> impl Iterator<Item = &'a Map> + use<'a> {
    list(map, field).iter().filter_map(Value::as_object)
}

/// Returns the maps in the list `field`, to change them.
pub(crate) fn items_mut<'a>(map: &'a mut Map, field: &str) -> impl Iterator<Item = &'a mut Map> + use<'a> {
    let items = map.get_mut(field).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns the list in `field`, or nothing.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn list<'a>(map: &'a Map, field: &str) -> &'a [Value] {
    map.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the text in `field`, or nothing.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn text<'a>(map: &'a Map, field: &str) -> &'a str {
    map.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number in `field`, or 0.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn number(map: &Map, field: &str) -> i64 {
    map.get(field).and_then(Value::as_i64).unwrap_or_default()
}

/// Whether `field` is true.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn is_true(map: &Map, field: &str) -> bool {
    map.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// Whether `field` holds anything but `null`.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn has(map: &Map, field: &str) -> bool {
    map.get(field).is_some_and(|value| !value.is_null())
}

/// Whether `field` is unset to Go, as a field that is not a pointer: absent, `null`, empty text, list or map, zero,
/// false.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn is_zero(map: &Map, field: &str) -> bool {
    map.get(field).is_none_or(is_zero_value)
}

/// Whether `value` is one that Go leaves out as empty, or is absent.
pub(crate) fn is_zero_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
    }
}

/// Writes `value` into `field`.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn set(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    map.insert(field, value.into());
}

/// Writes `value` where `field` is absent: the default of a pointer.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn set_if_absent(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    if !has(map, field) {
        set(map, field, value);
    }
}

/// Writes `value` where `field` is Go's zero value: the default of a field that is not a pointer.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn set_if_zero(map: &mut Map, field: &'static str, value: impl Into<Value>) {
    if is_zero(map, field) {
        set(map, field, value);
    }
}

/// Copies `field` from `source`, or removes it if `source` does not have it.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn copy(map: &mut Map, source: &Map, field: &'static str) {
    match source.get(field) {
        Some(value) => set(map, field, value.clone()),
        None => drop(map.remove(field)),
    }
}

/// Removes `key` from the map `field`, and the map itself with its last key, as `omitempty` does.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn remove_key(map: &mut Map, field: &str, key: &str) -> Option<Value> {
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
    use crate::value::json;

    #[test]
    fn a_step_into_another_type_finds_nothing() {
        let value = json!({"spec": "text", "items": {"a": 1}, "count": "3"});
        let map = value.as_object().expect("a map");
        assert!(child(map, "spec").is_none());
        assert_eq!(items(map, "items").count(), 0);
        assert_eq!(number(map, "count"), 0);
    }

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
