//! Strategic merge patches: maps merge, lists merge by the keys of their types, and directives in the patch remove,
//! replace and order. A patch is changed while it is merged, as errors about its result print what is left of it.
//!
//! Source: `k8s.io/apimachinery/pkg/util/strategicpatch`, `StrategicMergeMapPatch`; `interpretStrategicMergePatchError`

mod refusals;

use kube_api::{Map, Object, Value, schema};

use crate::merge::three_way::{Items, Part, interleaved};
use refusals::{
    DIRECTIVE, LIST, ORDER, Result, bad_format, check_order, failed, find, is_of_maps, map_of, named,
    unknown_directive, value_of, wrong_type,
};

const RETAIN_KEYS: &str = "$retainKeys";
const DELETE: &str = "$deleteFromPrimitiveList";

/// Returns `existing`, of a built-in kind, after `patch`.
///
/// # Errors
///
/// Returns the server's error about a patch whose directives or items it cannot use.
pub fn strategic_merge(existing: &Object, patch: &mut Map) -> Result<Value> {
    let mut current = existing.value.clone();
    schema::forget(&mut current);
    let current = current.as_object().cloned().unwrap_or_default();
    merge_maps(Part::of(&existing.kind), current, patch).map(Value::Object)
}

fn merge_maps(part: Part, mut merged: Map, patch: &mut Map) -> Result<Map> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch.clone())
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(unknown_directive(directive, patch)),
        };
    }
    retain_keys(&mut merged, patch)?;
    merge_ordered_lists(part, &mut merged, patch)?;
    for (name, value) in patch.iter_mut() {
        let (name, deletes) = match name.strip_prefix(DELETE) {
            Some(rest) => (named(rest, "invalid patch format of primitive list")?, true),
            None => (name.as_str(), false),
        };
        if value.is_null() {
            merged.remove(name);
            continue;
        }
        let old = merged.get(name).cloned();
        match (old, value) {
            (Some(Value::Object(old)), Value::Object(patch)) => {
                part.check_field(name)?;
                let value = if part.strategies(name).any(|strategy| strategy == "replace") {
                    patch.clone()
                } else {
                    merge_maps(part.field(name), old, patch)?
                };
                merged.insert(name, Value::Object(value));
            }
            (Some(Value::Array(old)), Value::Array(patch)) => {
                part.check_list(name)?;
                let items = merge_lists(part, name, old.to_vec(), patch.to_vec(), deletes)?;
                merged.insert(name, Value::from(items));
            }
            (_, _) if deletes => {}
            (_, value) => match added(value) {
                Some(value) => drop(merged.insert(name, value)),
                None => drop(merged.remove(name)),
            },
        }
    }
    Ok(merged)
}

/// Removes the fields that a patch does not retain.
///
/// Source: `applyRetainKeysDirective`
fn retain_keys(merged: &mut Map, patch: &mut Map) -> Result<()> {
    let refusal = || bad_format("invalid patch format of retainKeys");
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Value::Array(keys) = keys else { return Err(refusal()) };
    let is_retained = |name: &str| keys.iter().any(|key| key.as_str() == Some(name));
    let is_directive = |name: &str| name.starts_with(DELETE) || name.starts_with(ORDER);
    let mut given = patch.iter().filter(|(name, value)| !value.is_null() && !is_directive(name.as_str()));
    if given.any(|(name, _)| !is_retained(name.as_str())) {
        return Err(refusal());
    }
    merged.retain(|name, _| is_retained(name.as_str()));
    Ok(())
}

/// Merges the lists whose order a patch sets, and removes them from the patch.
///
/// Source: `mergePatchIntoOriginal`
fn merge_ordered_lists(part: Part, merged: &mut Map, patch: &mut Map) -> Result<()> {
    let names: Vec<String> =
        patch.keys().filter(|name| name.starts_with(ORDER)).map(ToString::to_string).collect();
    for directive in names {
        let order = match patch.remove(&directive) {
            Some(Value::Array(order)) => order.to_vec(),
            other => return Err(wrong_type(LIST, &other.unwrap_or_default())),
        };
        let name = named(&directive[ORDER.len()..], "invalid patch format of setElementOrder list")?;
        let list_of = |map: &Map| match map.get(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items.to_vec())),
            Some(other) => Err(wrong_type(LIST, other)),
        };
        let (old, new) = (list_of(merged)?, list_of(patch)?);
        part.check_list(name)?;
        let key = part.merge_key(name);
        check_order(new.as_deref().unwrap_or_default(), &order, key)?;
        let items = match (old.clone(), new.clone()) {
            (None, None) => continue,
            (Some(old), None) => old,
            (None, Some(mut new)) => {
                new.retain_mut(remove_directives);
                new
            }
            (Some(old), Some(new)) => merge_lists(part, name, old, new, false)?,
        };
        let old = old.unwrap_or_default();
        // What is in neither list has no type.
        is_of_maps(&old, new.as_deref().unwrap_or_default())?;
        merged.insert(name, Value::from(in_order(items, &order, &old, key)?));
        patch.remove(name);
    }
    Ok(())
}

/// Merges the list `name` of `part`; `deletes` the items of the patch.
///
/// Source: `mergeSliceHandler`, `mergeSlice`
fn merge_lists(
    part: Part,
    name: &str,
    old: Vec<Value>,
    patch: Vec<Value>,
    deletes: bool,
) -> Result<Vec<Value>> {
    if !deletes && matches!(part.items(name), Items::Replaced) {
        return Ok(patch);
    }
    if old.is_empty() && patch.is_empty() {
        return Ok(old);
    }
    let key = part.merge_key(name);
    if !is_of_maps(&old, &patch)? {
        let others = old.iter().filter(|item| !patch.contains(item));
        if deletes {
            return Ok(others.cloned().collect());
        }
        let mut items: Vec<Value> = Vec::with_capacity(old.len() + patch.len());
        for item in old.iter().chain(&patch) {
            if !items.contains(item) {
                items.push(item.clone());
            }
        }
        return in_order(items, &patch, &old, key);
    }
    let Some(key) = key else {
        return Err(failed("cannot merge lists without merge key for struct"));
    };
    let (old, patch) = use_directives(old, patch, key)?;
    let mut items = old.clone();
    for item in &patch {
        let map = map_of(item)?;
        match find(&items, key, value_of(map, key)?)? {
            Some(position) => {
                let known = items[position].as_object().cloned().unwrap_or_default();
                let merged = merge_maps(part.field(name).item(), known, &mut map.clone())?;
                items[position] = Value::Object(merged);
            }
            None => items.push(item.clone()),
        }
    }
    in_order(items, &patch, &old, Some(key))
}

/// Returns both lists without the items that the directives of the patch remove, and those that have directives.
///
/// Source: `mergeSliceWithSpecialElements`
fn use_directives(mut old: Vec<Value>, patch: Vec<Value>, key: &str) -> Result<(Vec<Value>, Vec<Value>)> {
    let (mut given, mut replaces) = (Vec::with_capacity(patch.len()), false);
    for item in patch {
        let map = map_of(&item)?;
        let Some(directive) = map.get(DIRECTIVE) else {
            given.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let value = value_of(map, key)?;
                while let Some(position) = find(&old, key, value)? {
                    old.remove(position);
                }
            }
            Some("replace") => replaces = true,
            Some("merge") => return Err(failed("merging lists cannot yet be specified in the patch")),
            _ => return Err(unknown_directive(directive, map)),
        }
    }
    Ok(if replaces { (given, Vec::new()) } else { (old, given) })
}

/// Returns `items` with those of `order` in its order, and before each the others that preceded it in `old`.
///
/// Source: `partitionMapsByPresentInList`, `normalizeElementOrder`
fn in_order(items: Vec<Value>, order: &[Value], old: &[Value], key: Option<&str>) -> Result<Vec<Value>> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for item in items {
        let (place, before) = if let Some(key) = key {
            let value = value_of(map_of(&item)?, key)?;
            (find(order, key, value)?, find(old, key, value)?)
        } else {
            let place_in = |list: &[Value]| list.iter().position(|other| *other == item);
            (place_in(order), place_in(old))
        };
        match place {
            Some(place) => named.push((place, (before, item))),
            None => others.push((before.unwrap_or(usize::MAX), item)),
        }
    }
    if let Some(key) = key {
        for item in order {
            value_of(map_of(item)?, key)?;
        }
    }
    named.sort_by_key(|(place, _)| *place);
    others.sort_by_key(|(place, _)| *place);
    Ok(interleaved(others, named.into_iter().map(|(_, item)| item).collect()))
}

/// Returns `value` as a patch adds it: without fields that are null, and without what has a directive.
fn added(value: &mut Value) -> Option<Value> {
    discard_nulls(value);
    let mut added = value.clone();
    if !remove_directives(&mut added) {
        return None;
    }
    if value.is_object() {
        value.clone_from(&added);
    }
    Some(added)
}

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// Removes what has a directive from `value`, and returns whether it has none itself.
fn remove_directives(value: &mut Value) -> bool {
    match value {
        Value::Object(map) if map.contains_key(DIRECTIVE) => return false,
        Value::Object(map) => map.retain(|_, value| remove_directives(value)),
        Value::Array(items) => items.retain_mut(remove_directives),
        _ => {}
    }
    true
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    use super::*;

    fn patched(spec: &Value, patch: &Value) -> Value {
        let value = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec});
        let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        let mut patch = json!({"spec": patch});
        strategic_merge(&pod, patch.as_object_mut().unwrap()).unwrap()["spec"].clone()
    }

    /// Returns the status, and what is left of the patch.
    fn refusal(patch: &Value) -> (u16, String) {
        let containers = json!([{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]);
        let spec = json!({"nodeName": "n", "containers": containers});
        let value =
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"finalizers": ["x/y"]}, "spec": spec});
        let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        let status = strategic_merge(&pod, patch.clone().as_object_mut().unwrap()).unwrap_err();
        (status.code, status.message)
    }

    #[test]
    fn lists_merge_by_key_and_nulls_remove() {
        let spec = json!({"nodeName": "n", "containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]});
        let patch = json!({"nodeName": null, "containers": [{"name": "b", "image": "b:2"}, {"name": "c", "image": "c:1"}]});
        assert_eq!(
            patched(&spec, &patch),
            json!({"containers": [
                {"name": "a", "image": "a:1"}, {"name": "b", "image": "b:2"}, {"name": "c", "image": "c:1"}
            ]})
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        let spec = json!({"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]});
        let delete = json!({"containers": [{"name": "a", "$patch": "delete"}]});
        assert_eq!(patched(&spec, &delete), json!({"containers": [{"name": "b", "image": "b:1"}]}));
        let replace = json!({"containers": [{"name": "c", "image": "c:1"}, {"$patch": "replace"}]});
        assert_eq!(patched(&spec, &replace), json!({"containers": [{"name": "c", "image": "c:1"}]}));
        let order = json!({
            "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
            "containers": [{"name": "a", "image": "a:2"}],
        });
        assert_eq!(
            patched(&spec, &order),
            json!({"containers": [{"name": "b", "image": "b:1"}, {"name": "a", "image": "a:2"}]})
        );
    }

    #[test]
    fn retained_keys_remove_the_others() {
        let existing = json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}});
        let value = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": existing});
        let object = Object::new(GroupVersionKind::new("apps", "v1", "Deployment"), value);
        let mut patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
        let merged = strategic_merge(&object, patch.as_object_mut().unwrap()).unwrap();
        assert_eq!(merged["spec"]["strategy"], json!({"type": "Recreate"}));
    }

    #[test]
    fn wrong_directives_are_refused_in_the_words_of_the_server() {
        for (patch, code, message) in [
            (json!({"$patch": "bad"}), 500, "unknown patch type: bad in map: map[$patch:bad]"),
            (json!({"$patch": 1}), 500, "unknown patch type: %!s(int64=1) in map: map[$patch:1]"),
            (json!({"$retainKeys": "x"}), 400, "invalid patch format of retainKeys"),
            (json!({"$retainKeys": ["a"], "spec": {}}), 400, "invalid patch format of retainKeys"),
            (
                json!({"spec": {"containers": [{"name": "a", "$patch": "merge"}]}}),
                500,
                "merging lists cannot yet be specified in the patch",
            ),
            (
                json!({"spec": {"containers": [{"image": "x"}]}}),
                500,
                "map: map[image:x] does not contain declared merge key: name",
            ),
            (
                json!({"spec": {"containers": [1]}}),
                500,
                "list element types are not identical: [[map[image:a:1 name:a] map[image:b:1 name:b]] [1]]",
            ),
            (
                json!({"spec": {"$setElementOrder/containers": "x"}}),
                500,
                "expected a []interface {}, but received a string",
            ),
            (
                json!({"spec": {"$setElementOrder/other": []}}),
                500,
                "unable to find api field in struct PodSpec for the json field \"other\"",
            ),
            (
                json!({"spec": {"$setElementOrder/containers": [{"name": "q"}], "containers": [{"name": "a"}]}}),
                500,
                "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:q]]\n",
            ),
            (
                json!({"metadata": {"$deleteFromPrimitiveListfinalizers": ["x/y"]}}),
                400,
                "invalid patch format of primitive list",
            ),
        ] {
            assert_eq!(refusal(&patch), (code, message.to_owned()), "{patch}");
        }
    }

    #[test]
    fn a_patch_keeps_what_it_did_not_use() {
        let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"spec": {}}));
        let mut patch = json!({"metadata": {"labels": {"a": null, "b": "1"}}, "$retainKeys": ["metadata"]});
        let merged = strategic_merge(&pod, patch.as_object_mut().unwrap()).unwrap();
        assert_eq!(merged, json!({"metadata": {"labels": {"b": "1"}}}));
        assert_eq!(patch, json!({"metadata": {"labels": {"b": "1"}}}));
    }
}
