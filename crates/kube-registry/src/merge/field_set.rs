//! Sets of fields, and their application to objects.
//!
//! A set is the JSON of `metadata.managedFields`, `FieldsV1`: a member is a key, the members below it are its value,
//! and `.` in there is the member itself if there are members below.
//!
//! Source: `sigs.k8s.io/structured-merge-diff/v6/{fieldpath,typed,merge}`.

use gotext::value::List;
use gotext::value::Text;
use gotext::value::json;

use crate::conversion::convert;
use crate::merge::part::{Items, Part};
use gotext::encoding_json;
use kube_api::{GroupVersionKind, Map, Object, Value, decode};

/// Returns the fields of both sets.
pub fn union(left: &Map, right: &Map) -> Map {
    combine(left, right, |left, right| left || right)
}

/// Returns the fields of `left` that `right` does not have.
pub(super) fn difference(left: &Map, right: &Map) -> Map {
    combine(left, right, |left, right| left && !right)
}

pub(super) fn intersection(left: &Map, right: &Map) -> Map {
    combine(left, right, |left, right| left && right)
}

fn combine(left: &Map, right: &Map, is_kept: fn(bool, bool) -> bool) -> Map {
    fn below<'a>(set: &'a Map, name: &str) -> Option<&'a Map> {
        set.get(name).and_then(Value::as_object)
    }
    let empty = Map::new();
    let mut set = Map::new();
    let others = entries(right).filter(|(name, _)| !left.contains_key(name));
    for (name, _) in entries(left).chain(others) {
        let (left, right) = (below(left, name), below(right, name));
        let is_member = is_kept(left.is_some_and(is_member), right.is_some_and(is_member));
        let inner = combine(left.unwrap_or(&empty), right.unwrap_or(&empty), is_kept);
        insert(&mut set, name.to_string(), node(is_member, inner));
    }
    set
}

/// Returns the fields of `old` that `new` does not have: also the maps and lists that are gone, of which only the contents
/// are fields otherwise. `changes` are the fields of `new` that differ.
pub(super) fn removed(part: Part, (old, new): (&Value, &Value), changes: &Map) -> Map {
    let contents = difference(&part.fields(old).1, &part.fields(new).1);
    let whole = difference(&part.changes(Some(new), old).unwrap_or_default(), changes);
    union(&contents, &whole)
}

/// Returns the members of a set, without the member that it is itself.
pub(super) fn entries(set: &Map) -> impl Iterator<Item = (&Text, &Map)> {
    set.iter().filter_map(|(name, below)| Some((name, below.as_object()?))).filter(|(name, _)| *name != ".")
}

pub(super) fn is_member(below: &Map) -> bool {
    below.is_empty() || below.contains_key(".")
}

/// Returns the node of a field in a set, which is a member or not, with the members below it; nothing if there are
/// none.
pub(crate) fn node(is_member: bool, mut below: Map) -> Option<Map> {
    match (is_member, below.is_empty()) {
        (false, true) => return None,
        (true, false) => drop(below.insert(".".to_owned(), json!({}))),
        _ => {}
    }
    Some(below)
}

fn has_no_entry(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

impl Part<'_> {
    /// Returns the fields of `new` that are absent or different in `old`: those below `new`, and `.` if that itself is
    /// a member; nothing if nothing changes.
    ///
    /// Source: `TypedValue.Compare`, the fields added and modified.
    pub(super) fn changes(self, old: Option<&Value>, new: &Value) -> Option<Map> {
        let is_new = old.is_none();
        let mut below = Map::new();
        let is_member = match new {
            Value::Object(map) if !self.is_atomic_map() && (!map.is_empty() || has_members(old)) => {
                let old = old.unwrap_or(&Value::Null);
                for (name, value) in map {
                    insert(
                        &mut below,
                        format!("f:{name}"),
                        self.field(name).changes(old.look_up(name), value),
                    );
                }
                is_new || !matches!(old, Value::Object(_) | Value::Null)
            }
            Value::Array(items)
                if !matches!(self.items(), Items::Atomic) && (!items.is_empty() || has_members(old)) =>
            {
                self.changed_items(old, items, &mut below);
                is_new
            }
            // The old contents are all that is gone.
            Value::Null if has_members(old) && !self.is_whole(old) => false,
            _ => old != Some(new),
        };
        node(is_member, below)
    }

    /// Whether an object of `kind` has fields that are known in the version `other`, too. All versions of a custom resource
    /// have the same.
    pub(super) fn is_convertible(self, kind: &GroupVersionKind, other: &GroupVersionKind) -> bool {
        kind.group == other.group
            && match self {
                Self::Typed(..) => decode::is_registered(other),
                Self::Described { .. } => true,
                Self::Deduced => false,
            }
    }

    /// Returns the fields of `new` that are absent or different in `old`, and those that it no longer has, as objects of
    /// `kind`; nothing if the fields of `kind` are the same as theirs.
    ///
    /// Source: `merge.Updater.update`
    pub(super) fn changes_as(
        self,
        kind: &GroupVersionKind,
        old: &Object,
        new: &Object,
    ) -> Option<(Map, Map)> {
        if *kind == new.kind || !matches!(self, Self::Typed(..)) {
            return None;
        }
        let (old, new) = (convert(old, kind)?, convert(new, kind)?);
        let part = Part::of(kind, None);
        let changes = part.changes(Some(&old.value), &new.value).unwrap_or_default();
        let removed = removed(part, (&old.value, &new.value), &changes);
        Some((changes, removed))
    }

    fn changed_items(self, old: Option<&Value>, new: &[Value], below: &mut Map) {
        let element = |item| self.element(item);
        let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let before: Vec<_> = old.iter().map(element).collect();
        let now: Vec<_> = new.iter().map(element).collect();
        for (index, name) in now.iter().enumerate() {
            if now[..index].contains(name) {
                continue;
            }
            let theirs: Vec<_> = before.iter().zip(old).filter(|(known, _)| *known == name).collect();
            let ours: Vec<_> = now.iter().zip(new).filter(|(known, _)| *known == name).collect();
            let changes = match (theirs.as_slice(), ours.as_slice()) {
                ([(_, theirs)], [(_, ours)]) => self.item().changes(Some(theirs), ours),
                (_, [(_, ours)]) => self.item().changes(None, ours),
                // Items that cannot be distinguished are one field.
                ([] | [_], _) => Some(Map::new()),
                (theirs, ours) => {
                    let values = |items: &[(&String, &Value)]| {
                        items.iter().map(|(_, item)| (*item).clone()).collect::<Vec<_>>()
                    };
                    (values(theirs) != values(ours)).then(Map::new)
                }
            };
            insert(below, name.clone(), changes);
        }
    }

    /// Returns the fields of `value`, and whether it is a field itself.
    ///
    /// Source: `TypedValue.ToFieldSet`
    pub(super) fn fields(self, value: &Value) -> (bool, Map) {
        let mut below = Map::new();
        match value {
            Value::Object(map) if !self.is_atomic_map() => {
                for (name, value) in map {
                    let (is_leaf, inner) = self.field(name).fields(value);
                    let is_member = is_leaf || has_no_entry(value) || !self.is_named(name);
                    insert(&mut below, format!("f:{name}"), node(is_member, inner));
                }
                (false, below)
            }
            Value::Array(items) if !matches!(self.items(), Items::Atomic) => {
                for item in items {
                    let name = self.element(item);
                    // Items that cannot be distinguished are one field.
                    let is_repeated = below.contains_key(&name);
                    let inner = if is_repeated { Map::new() } else { self.item().fields(item).1 };
                    insert(&mut below, name, node(true, inner));
                }
                (false, below)
            }
            _ => (true, below),
        }
    }

    /// Returns the fields of `set`, and the struct fields that contain others of them.
    ///
    /// Source: `Set.EnsureNamedFieldsAreMembers`
    fn with_named(self, set: &Map) -> Map {
        let mut all = Map::new();
        for (name, below) in entries(set) {
            let (part, is_named) = match name.strip_prefix("f:") {
                Some(field) => (self.field(field), self.is_named(field)),
                None => (self.item(), false),
            };
            insert(&mut all, name.to_string(), node(is_named || is_member(below), part.with_named(below)));
        }
        all
    }

    /// Returns `value` without the fields of `set`; null if nothing is left.
    ///
    /// Source: `TypedValue.RemoveItems`
    fn without(self, value: &Value, set: &Map) -> Value {
        // The rest of a part after a removal; the part itself if nothing is removed.
        let rest = |part: Self, value: &Value, below: &Map| match (part.without(value, below), value) {
            (Value::Null, Value::Object(_)) => Value::Object(Map::new()),
            (Value::Null, Value::Array(_)) => Value::Array(List::default()),
            (rest, _) => rest,
        };
        let mut is_touched = false;
        let mut keep = |part: Self, value: &Value, name: &str| match set.get(name).and_then(Value::as_object)
        {
            None => Some(value.clone()),
            Some(below) if is_member(below) => None,
            Some(below) => {
                is_touched = true;
                Some(rest(part, value, below))
            }
        };
        match value {
            Value::Object(map) if !self.is_atomic_map() => {
                let kept = map.iter().filter_map(|(name, value)| {
                    Some((name.clone(), keep(self.field(name), value, &format!("f:{name}"))?))
                });
                let kept: Map = kept.collect();
                if kept.is_empty() && !is_touched { Value::Null } else { Value::Object(kept) }
            }
            Value::Array(items) if !matches!(self.items(), Items::Atomic) => {
                let kept = items.iter().filter_map(|item| keep(self.item(), item, &self.element(item)));
                let kept: Vec<_> = kept.collect();
                if kept.is_empty() && !is_touched { Value::Null } else { Value::from(kept) }
            }
            Value::Object(_) | Value::Array(_) => Value::Null,
            scalar => scalar.clone(),
        }
    }

    /// Returns `merged` without the fields that its manager owned before (`last`) and that are now unowned (`managed`
    /// are those that are owned).
    ///
    /// Source: `Updater.prune`
    pub(super) fn prune(self, merged: &Value, last: &Map, managed: &Map) -> Value {
        let fields = |value: &Value| self.with_named(&self.fields(value).1);
        let (last, managed) = (self.with_named(last), self.with_named(managed));
        let all = fields(merged);
        let pruned = self.without(merged, &last);
        let pruned = self.without(merged, &difference(&all, &union(&fields(&pruned), &managed)));
        self.without(merged, &intersection(&difference(&all, &fields(&pruned)), &last))
    }

    /// Returns the name of an item of this list among the fields.
    pub(super) fn element(self, item: &Value) -> String {
        match self.items() {
            Items::Keyed(_) => format!("k:{}", encoding_json::to_string(&self.key_of(item).into_value())),
            Items::Set | Items::Atomic => format!("v:{}", encoding_json::to_string(item)),
        }
    }

    /// Whether `value` is a single field.
    fn is_whole(self, value: Option<&Value>) -> bool {
        match value {
            Some(Value::Object(_)) => self.is_atomic_map(),
            Some(Value::Array(_)) => matches!(self.items(), Items::Atomic),
            _ => true,
        }
    }
}

/// Whether a map or list has members; an empty one is a field itself.
fn has_members(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(map)) => !map.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    }
}

pub(crate) fn insert(set: &mut Map, name: String, below: Option<Map>) {
    if let Some(below) = below {
        set.insert(name, Value::Object(below));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::{GroupVersionKind, Object};

    fn pod(spec: &Value) -> Object {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec});
        Object::new(GroupVersionKind::new("", "v1", "Pod"), pod)
    }

    fn changes(old: &Value, new: &Value) -> Value {
        let (old, new) = (pod(old), pod(new));
        Part::of(&new.kind, None).changes(Some(&old.value), &new.value).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn only_what_changes_is_owned() {
        let old = json!({"nodeName": "a", "hostname": "h", "containers": [{"name": "a", "image": "1", "tty": true}]});
        let new = json!({"nodeName": "a", "hostname": "i", "containers": [{"name": "a", "image": "2"}, {"name": "b"}]});
        assert_eq!(changes(&old, &old), Value::Null);
        assert_eq!(
            changes(&old, &new),
            json!({"f:spec": {
                "f:containers": {
                    "k:{\"name\":\"a\"}": {"f:image": {}},
                    "k:{\"name\":\"b\"}": {".": {}, "f:name": {}},
                },
                "f:hostname": {},
            }})
        );
        let emptied = json!({"nodeName": "a", "hostname": "h", "containers": null});
        assert_eq!(changes(&old, &emptied), Value::Null);
    }

    #[test]
    fn items_that_cannot_be_distinguished_are_one_field() {
        let once = json!({"containers": [{"name": "a", "image": "1"}]});
        let twice = json!({"containers": [{"name": "a", "image": "1"}, {"name": "a", "image": "2"}]});
        let other = json!({"containers": [{"name": "a", "image": "1"}, {"name": "a", "image": "3"}]});
        let marked = json!({"f:spec": {"f:containers": {"k:{\"name\":\"a\"}": {}}}});
        assert_eq!(changes(&once, &twice), marked);
        assert_eq!(changes(&twice, &other), marked);
        assert_eq!(changes(&twice, &twice), Value::Null);
        assert_eq!(
            changes(&twice, &once),
            json!({"f:spec": {"f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:image": {}}}}})
        );
    }

    #[test]
    fn every_item_and_key_of_a_manifest_is_a_field() {
        let ports = json!([{"containerPort": 80}, {"containerPort": 80, "name": "b"}]);
        let manifest = json!({
            "nodeSelector": {"a": "1"},
            "overhead": {"cpu": "1"},
            "containers": [{"name": "a", "args": ["x"], "ports": ports, "resources": {}}],
            "volumes": [],
            "hostname": null,
        });
        let (_, fields) = Part::of(&pod(&manifest).kind, None).fields(&pod(&manifest).value);
        assert_eq!(
            fields["f:spec"],
            json!({
                "f:nodeSelector": {},
                "f:overhead": {"f:cpu": {}},
                "f:containers": {"k:{\"name\":\"a\"}": {
                    ".": {},
                    "f:name": {},
                    "f:args": {},
                    "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {}},
                    "f:resources": {},
                }},
                "f:hostname": {},
            })
        );
    }

    #[test]
    fn sets_are_combined_member_by_member() {
        let set = |value: Value| value.as_object().cloned().expect("a set");
        let left = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}));
        let right = set(json!({"f:a": {"f:b": {}, "f:d": {}}, "f:e": {}}));
        assert_eq!(
            union(&left, &right),
            set(json!({"f:a": {".": {}, "f:b": {}, "f:d": {}}, "f:c": {}, "f:e": {}}))
        );
        assert_eq!(difference(&left, &right), set(json!({"f:a": {}, "f:c": {}})));
        assert_eq!(intersection(&left, &right), set(json!({"f:a": {"f:b": {}}})));
        assert_eq!(difference(&left, &left), Map::new());
    }
}
