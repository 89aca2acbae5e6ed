//! Strategic merge patches: maps merge, lists merge by the keys of their types, and directives in the patch remove,
//! replace and order.
//!
//! Source: `k8s.io/apimachinery/pkg/util/strategicpatch`, `StrategicMergeMapPatch`.

use kube_api::schema;
use kube_api::{Map, Object, Status, Value};

use crate::merge::three_way::{Items, Part, interleaved};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE: &str = "$deleteFromPrimitiveList/";
const ORDER: &str = "$setElementOrder/";

/// Returns `existing`, of a built-in kind, after `patch`.
///
/// # Errors
///
/// Returns the server's error about a patch that is not an object, or whose directives it does not know.
pub fn strategic_merge(existing: &Object, patch: &Value) -> Result<Value, Box<Status>> {
    let Some(patch) = patch.as_object() else {
        return Err(Box::new(Status::new_bad_request("the patch is not a JSON object")));
    };
    let mut current = existing.value.clone();
    schema::forget(&mut current);
    let current = current.as_object().cloned().unwrap_or_default();
    merge_maps(Part::of(&existing.kind), current, patch, false).map(Value::Object)
}

fn merge_maps(part: Part, current: Map, patch: &Map, retains: bool) -> Result<Map, Box<Status>> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => Ok(without(patch, &[DIRECTIVE])),
            Some("delete") => Ok(Map::new()),
            Some("merge") => merge_maps(part, current, &without(patch, &[DIRECTIVE]), retains),
            _ => Err(unknown(directive)),
        };
    }
    let mut merged = current;
    if let Some(Value::Array(kept)) = patch.get(RETAIN_KEYS).filter(|_| retains) {
        merged.retain(|name, _| kept.iter().any(|kept| kept.as_str() == Some(name.as_str())));
    }
    for (name, value) in patch {
        let name = name.as_str();
        if name == RETAIN_KEYS || name.starts_with(ORDER) {
            continue;
        }
        if let Some(field) = name.strip_prefix(DELETE) {
            if let (Some(Value::Array(list)), Value::Array(removed)) = (merged.get(field), value) {
                let left: Vec<_> = list.iter().filter(|item| !removed.contains(item)).cloned().collect();
                merged.insert(field, Value::from(left));
            }
            continue;
        }
        match merged.remove(name) {
            _ if value.is_null() => {}
            old => drop(merged.insert(name, merge_field(part, name, old, value)?)),
        }
    }
    for (name, order) in patch {
        let Some(field) = name.as_str().strip_prefix(ORDER) else { continue };
        let ordered = match (merged.get(field), order) {
            (Some(Value::Array(items)), Value::Array(order)) => {
                // The order of the object before the patch decides about what the patch does not name.
                in_order(&part.items(field), items, order)
            }
            _ => continue,
        };
        merged.insert(field, Value::from(ordered));
    }
    Ok(merged)
}

/// Merges the field `name` of `part`.
fn merge_field(part: Part, name: &str, old: Option<Value>, patch: &Value) -> Result<Value, Box<Status>> {
    let has = |wanted: &str| part.strategies(name).any(|strategy| strategy == wanted);
    match (old, patch) {
        (Some(Value::Object(old)), Value::Object(patch)) => {
            if has("replace") && !patch.contains_key(DIRECTIVE) {
                return Ok(as_added(&Value::Object(patch.clone())));
            }
            merge_maps(part.field(name), old, patch, has("retainKeys")).map(Value::Object)
        }
        (Some(Value::Array(old)), Value::Array(patch)) => {
            let items = part.items(name);
            match items {
                Items::Replaced => Ok(as_added(&Value::Array(patch.clone()))),
                Items::Merged => {
                    let merged =
                        patch.iter().map(|item| (old.iter().position(|known| known == item), item.clone()));
                    let kept = old.iter().enumerate().filter(|(_, item)| !patch.contains(item));
                    Ok(Value::from(interleaved(
                        kept.map(|(index, item)| (index, item.clone())).collect(),
                        merged.collect(),
                    )))
                }
                Items::MergedBy(key) => {
                    merge_items(part.field(name).item(), key, &old, patch, has("retainKeys")).map(Value::from)
                }
            }
        }
        (_, patch) => Ok(as_added(patch)),
    }
}

/// Merges the items of a list that are distinguished by `key`.
fn merge_items(
    part: Part,
    key: &str,
    old: &[Value],
    patch: &[Value],
    retains: bool,
) -> Result<Vec<Value>, Box<Status>> {
    let directive = |item: &Value| item.get(DIRECTIVE).and_then(Value::as_str).map(str::to_owned);
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace")) {
        let given = patch.iter().filter(|item| directive(item).is_none());
        return Ok(given.map(as_added).collect());
    }
    let is = |item: &Value, other: &Value| item.get(key).is_some() && item.get(key) == other.get(key);
    let is_deleted = |item: &Value| {
        patch.iter().any(|patch| directive(patch).as_deref() == Some("delete") && is(patch, item))
    };
    let mut merged = Vec::new();
    for item in patch {
        if let Some(found) = item.get(DIRECTIVE) {
            match found.as_str() {
                Some("delete") => continue,
                Some("merge") => {}
                _ => return Err(unknown(found)),
            }
        }
        let position = old.iter().position(|known| is(known, item) && !is_deleted(known));
        let value = match (position.and_then(|position| old[position].as_object()), item) {
            (Some(known), Value::Object(item)) => {
                Value::Object(merge_maps(part, known.clone(), &without(item, &[DIRECTIVE]), retains)?)
            }
            (_, item) => as_added(item),
        };
        merged.push((position, value));
    }
    let is_kept = |item: &Value| !is_deleted(item) && !patch.iter().any(|patch| is(patch, item));
    let kept = old.iter().enumerate().filter(|(_, item)| is_kept(item));
    Ok(interleaved(kept.map(|(index, item)| (index, item.clone())).collect(), merged))
}

/// Returns `items` with those of `order` in its order, and before each the others that preceded it.
fn in_order(kind: &Items, items: &[Value], order: &[Value]) -> Vec<Value> {
    let is_same = |item: &Value, named: &Value| match kind {
        Items::MergedBy(key) => item.get(*key).is_some() && item.get(*key) == named.get(*key),
        Items::Merged | Items::Replaced => item == named,
    };
    let named = order.iter().filter_map(|named| items.iter().position(|item| is_same(item, named)));
    let named: Vec<(Option<usize>, Value)> =
        named.map(|position| (Some(position), items[position].clone())).collect();
    let others = items.iter().enumerate().filter(|(_, item)| !order.iter().any(|named| is_same(item, named)));
    interleaved(others.map(|(index, item)| (index, item.clone())).collect(), named)
}

/// Returns `value` as a patch adds it: without directives and without null fields.
fn as_added(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_directive = |name: &str| {
                name == DIRECTIVE
                    || name == RETAIN_KEYS
                    || name.starts_with(ORDER)
                    || name.starts_with(DELETE)
            };
            let given = map.iter().filter(|(name, value)| !value.is_null() && !is_directive(name.as_str()));
            Value::Object(given.map(|(name, value)| (name.clone(), as_added(value))).collect())
        }
        Value::Array(items) => {
            let deletes = |item: &&Value| item.get(DIRECTIVE).and_then(Value::as_str) == Some("delete");
            Value::from(items.iter().filter(|item| !deletes(item)).map(as_added).collect::<Vec<_>>())
        }
        value => value.clone(),
    }
}

fn without(map: &Map, names: &[&str]) -> Map {
    let left = map.iter().filter(|(name, _)| !names.contains(&name.as_str()));
    left.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn unknown(directive: &Value) -> Box<Status> {
    let text = directive.as_str().unwrap_or_default();
    Box::new(Status::new_bad_request(format!("unknown patch type: {text}")))
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    use super::*;

    fn patched(spec: &Value, patch: &Value) -> Value {
        let value = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec});
        let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        strategic_merge(&pod, &json!({"spec": patch})).unwrap()["spec"].clone()
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
        let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
        let merged = strategic_merge(&object, &patch).unwrap();
        assert_eq!(merged["spec"]["strategy"], json!({"type": "Recreate"}));
    }
}
