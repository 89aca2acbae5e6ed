//! The fields in which two objects differ, and the managers that wrote them.
//!
//! Items of lists with keys are the same if their keys are, wherever they are; sets have no order. The rest of a list is
//! compared by position if both are as long, and is one field otherwise, or if several of its texts or numbers differ.

use std::collections::BTreeSet;

use crate::custom_resource::Version;
use crate::merge::part::{Items, Part};
use gotext::encoding_json;
use kube_api::field::{Path, Segment};
use kube_api::{Map, Object, Value};

/// A field in which two objects differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// The names of the fields from the root to this one, as `metadata.managedFields` has them: `f:spec`,
    /// `k:{"name":"web"}`.
    pub names: Vec<String>,
    /// The field in the object before, or as far as that has it in the one after.
    pub path: Path,
    /// Its value before; nothing if it was absent.
    pub before: Option<Value>,
    /// Its value after; nothing if it is absent.
    pub after: Option<Value>,
}

/// A manager of fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Writer {
    /// Its name.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// The subresource by which it wrote, or nothing.
    pub sub_resource: String,
    /// When it wrote last, or nothing.
    pub time: String,
}

/// Returns the fields in which `before` and `after` differ, in the order of their names. An absent field is equal to an
/// empty one, and two scalars are equal if `is_same` says so. `version` is that of a custom resource.
pub fn field_changes(
    before: &Object,
    after: &Object,
    version: Option<&Version>,
    is_same: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<FieldChange> {
    let mut walk = Walk { is_same, names: Vec::new(), path: None, found: Vec::new() };
    walk.compare(Part::of(&after.kind, version), Some(&before.value), Some(&after.value));
    walk.found
}

/// Returns the managers of the field of `object` that `names` lead to: its owners, those of the smallest field around it
/// that is written as a whole, and those of fields in it.
pub fn writers(object: &Object, names: &[String]) -> Vec<Writer> {
    let entries = object.list(["metadata", "managedFields"]).iter();
    let owns = |entry: &&Value| {
        entry.get("fieldsV1").and_then(Value::as_object).is_some_and(|set| is_owned(set, names))
    };
    let writer = |entry: &Value| Writer {
        manager: entry.text("manager").to_owned(),
        operation: entry.text("operation").to_owned(),
        sub_resource: entry.text("subresource").to_owned(),
        time: entry.text("time").to_owned(),
    };
    let found: BTreeSet<Writer> = entries.filter(owns).map(writer).collect();
    found.into_iter().collect()
}

/// Returns the names of the fields that lead to `path` in `object`, as `metadata.managedFields` has them. `version` is
/// that of a custom resource.
pub fn names_of(object: &Object, path: &Path, version: Option<&Version>) -> Vec<String> {
    let mut part = Part::of(&object.kind, version);
    let mut value = Some(&object.value);
    let mut names = Vec::new();
    for segment in path.segments() {
        match segment {
            Segment::Field(name) => {
                names.push(format!("f:{name}"));
                (part, value) = (part.field(name), value.and_then(|value| value.look_up(name)));
            }
            Segment::Key(name) => {
                names.push(format!("f:{name}"));
                (part, value) = (part.field(name), value.and_then(|value| value.look_up(name)));
            }
            Segment::Index(index) => {
                let item = value.and_then(|value| value.get(*index));
                let is_atomic = matches!(part.items(), Items::Atomic);
                let name = item.filter(|_| !is_atomic).map(|item| part.element(item));
                names.push(name.unwrap_or_else(|| format!("i:{index}")));
                (part, value) = (part.item(), item);
            }
        }
    }
    names
}

fn is_owned(set: &Map, names: &[String]) -> bool {
    let Some((first, rest)) = names.split_first() else { return true };
    match set.get(first.as_str()).and_then(Value::as_object) {
        // It is written as a whole.
        Some(below) if below.is_empty() => true,
        Some(below) => is_owned(below, rest),
        None => false,
    }
}

/// Whether the server's encoder may leave `value` out.
fn is_nothing(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Object(map)) => map.values().all(|value| is_nothing(Some(value))),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    }
}

struct Walk<'a> {
    is_same: &'a dyn Fn(&Value, &Value) -> bool,
    names: Vec<String>,
    path: Option<Path>,
    found: Vec<FieldChange>,
}

impl Walk<'_> {
    fn compare(&mut self, part: Part<'_>, before: Option<&Value>, after: Option<&Value>) {
        if before == after || is_nothing(before) && is_nothing(after) {
            return;
        }
        match (before, after) {
            (Some(Value::Object(_)), Some(Value::Object(_))) => self.compare_maps(part, before, after),
            // The keys of a map are fields of their own, those of a struct only with it.
            (Some(Value::Object(one)), other) | (other, Some(Value::Object(one)))
                if is_nothing(other) && self.path.is_some() && one.keys().all(|key| !part.is_named(key)) =>
            {
                self.compare_maps(part, before, after);
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) => self.compare_lists(part, old, new),
            (Some(Value::Array(old)), None | Some(Value::Null)) => self.compare_lists(part, old, &[]),
            (None | Some(Value::Null), Some(Value::Array(new))) => self.compare_lists(part, &[], new),
            (Some(old), Some(new)) if (self.is_same)(old, new) => {}
            _ => self.find(before, after),
        }
    }

    fn compare_maps(&mut self, part: Part<'_>, before: Option<&Value>, after: Option<&Value>) {
        let maps = [before, after].map(|value| value.and_then(Value::as_object));
        let names: BTreeSet<&str> =
            maps.iter().flatten().flat_map(|map| map.keys()).map(|name| &**name).collect();
        for name in names {
            let [old, new] = maps.map(|map| map.and_then(|map| map.get(name)));
            // Most are: no name is written for them.
            if old == new {
                continue;
            }
            let segment = if part.is_named(name) {
                Segment::Field(name.to_owned().into())
            } else {
                Segment::Key(name.to_owned())
            };
            self.below(format!("f:{name}"), &segment, |walk| {
                walk.compare(part.field(name), old, new);
            });
        }
    }

    fn compare_lists(&mut self, part: Part<'_>, old: &[Value], new: &[Value]) {
        let names = |items: &[Value]| -> Option<Vec<String>> {
            if matches!(part.items(), Items::Atomic) {
                return None;
            }
            let names: Vec<String> = items.iter().map(|item| part.element(item)).collect();
            let different: BTreeSet<&String> = names.iter().collect();
            (different.len() == names.len()).then_some(names)
        };
        let (Some(old_names), Some(new_names)) = (names(old), names(new)) else {
            return self.compare_atomic_lists(part, old, new);
        };
        for (index, (name, item)) in old_names.iter().zip(old).enumerate() {
            let other = new_names.iter().position(|other| other == name).map(|position| &new[position]);
            self.below(name.clone(), &Segment::Index(index), |walk| {
                walk.compare_items(part, Some(item), other);
            });
        }
        for (index, (name, item)) in new_names.iter().zip(new).enumerate() {
            if !old_names.contains(name) {
                self.below(name.clone(), &Segment::Index(index), |walk| {
                    walk.compare_items(part, None, Some(item));
                });
            }
        }
    }

    fn compare_items(&mut self, part: Part<'_>, before: Option<&Value>, after: Option<&Value>) {
        if before.is_some() && after.is_some() {
            self.compare(part.item(), before, after);
        } else {
            // An item is there or not, also an empty one.
            self.find(before, after);
        }
    }

    fn compare_atomic_lists(&mut self, part: Part<'_>, old: &[Value], new: &[Value]) {
        if old.len() != new.len() || self.is_rewritten(old, new) {
            let list = |items: &[Value]| (!items.is_empty()).then(|| Value::from(items.to_vec()));
            return self.find(list(old).as_ref(), list(new).as_ref());
        }
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            self.below(format!("i:{index}"), &Segment::Index(index), |walk| {
                walk.compare(part.item(), Some(old), Some(new));
            });
        }
    }

    /// Whether several of the texts or numbers in a list of the same length differ: an item was removed and one added,
    /// which moves those between.
    fn is_rewritten(&self, old: &[Value], new: &[Value]) -> bool {
        let differ =
            |(old, new): &(&Value, &Value)| !old.is_object() && !old.is_array() && !(self.is_same)(old, new);
        old.iter().zip(new).filter(differ).nth(1).is_some()
    }

    fn below(&mut self, name: String, segment: &Segment, compare: impl FnOnce(&mut Self)) {
        let path = match (&self.path, segment) {
            (Some(path), segment) => path.then(segment),
            (None, Segment::Field(name)) => Path::named(name.clone()),
            (None, Segment::Key(name)) => Path::named(name.clone()),
            (None, Segment::Index(index)) => Path::named(index.to_string()),
        };
        let parent = self.path.replace(path);
        self.names.push(name);
        compare(self);
        self.names.pop();
        self.path = parent;
    }

    fn find(&mut self, before: Option<&Value>, after: Option<&Value>) {
        let Some(path) = self.path.clone() else { return };
        let (before, after) = (before.cloned(), after.cloned());
        self.found.push(FieldChange { names: self.names.clone(), path, before, after });
    }
}

/// Returns the text of a JSON value in the name of a field, such as the keys of an item.
pub fn keys_of(name: &str) -> Option<Value> {
    let (_, text) = name.split_once(':')?;
    encoding_json::from_slice(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn pod(value: Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", "Pod"), value)
    }

    fn changed(before: Value, after: Value) -> Vec<String> {
        let changes = field_changes(&pod(before), &pod(after), None, &|old, new| old == new);
        let shown = |value: &Option<Value>| value.as_ref().map_or("absent".to_owned(), ToString::to_string);
        changes
            .iter()
            .map(|change| format!("{}: {} → {}", change.path, shown(&change.before), shown(&change.after)))
            .collect()
    }

    #[test]
    fn a_list_whose_items_moved_is_one_field() {
        let spec = |args: Value| json!({"spec": {"containers": [{"name": "a", "args": args}]}});
        assert_eq!(
            changed(spec(json!(["a", "b", "c"])), spec(json!(["b", "c", "d"]))),
            [r#"spec.containers[0].args: ["a","b","c"] → ["b","c","d"]"#]
        );
        assert_eq!(
            changed(spec(json!(["a", "b"])), spec(json!(["a", "c"]))),
            [r#"spec.containers[0].args[1]: "b" → "c""#]
        );
    }

    #[test]
    fn every_field_is_named_alone() {
        let before = json!({"metadata": {"labels": {"a": "1"}}, "spec": {
            "containers": [{"name": "a", "image": "1"}, {"name": "b", "args": ["x"]}], "nodeSelector": {},
        }});
        let after = json!({"metadata": {"labels": {"a": "1"}, "annotations": {"x/y": "z"}}, "spec": {
            "containers": [{"name": "b", "args": ["y"], "env": [{"name": "E"}]}, {"name": "a", "image": "2"}],
            "securityContext": {"runAsUser": 1},
        }});
        assert_eq!(
            changed(before, after),
            [
                "metadata.annotations[x/y]: absent → \"z\"",
                "spec.containers[0].image: \"1\" → \"2\"",
                "spec.containers[1].args[0]: \"x\" → \"y\"",
                "spec.containers[1].env[0]: absent → {\"name\":\"E\"}",
                "spec.securityContext: absent → {\"runAsUser\":1}",
            ]
        );
    }

    #[test]
    fn the_order_of_items_with_keys_is_no_difference() {
        let list = |names: [&str; 2]| {
            let items: Vec<Value> = names.map(|name| json!({"name": name})).to_vec();
            json!({"spec": {"containers": items}})
        };
        assert_eq!(changed(list(["a", "b"]), list(["b", "a"])), Vec::<String>::new());
    }

    #[test]
    fn a_field_is_written_by_those_who_own_it_or_the_whole() {
        let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": fields}});
        let object = pod(json!({"metadata": {"managedFields": [
            entry("image", json!({"f:containers": {"k:{\"name\":\"a\"}": {"f:image": {}}}})),
            entry("whole", json!({"f:tolerations": {}})),
            entry("item", json!({"f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}}})),
        ]}}));
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let writers = writers(&object, &names).into_iter();
            writers.map(|writer| writer.manager).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&["f:spec", "f:containers", "k:{\"name\":\"a\"}", "f:image"]), "image");
        assert_eq!(of(&["f:spec", "f:tolerations", "i:0", "f:key"]), "whole");
        assert_eq!(of(&["f:spec", "f:containers", "k:{\"name\":\"a\"}"]), "image item");
        assert_eq!(of(&["f:spec", "f:nodeName"]), "");
    }
}
