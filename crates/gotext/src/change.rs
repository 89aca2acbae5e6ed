//! Changes of one field of a value.

use crate::path::{Path, Segment};
use crate::value::{List, Map, Value};

/// A change of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The field.
    pub path: Path,
    /// What happens to it.
    pub action: Action,
}

/// What happens to a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It gets this value; the maps on the way to it are created.
    Set(Value),
    /// The list gets another item at its end; it is created if there is none.
    Append(Value),
    /// It is removed: a field of a map, or an item of a list.
    Remove,
    /// It gets another name, and keeps its value.
    Rename(String),
}

impl Change {
    /// Returns the change that gives `path` a value.
    pub fn set(path: Path, value: impl Into<Value>) -> Self {
        Self { path, action: Action::Set(value.into()) }
    }

    /// Returns the change that adds an item to the list at `path`.
    pub fn append(path: Path, item: impl Into<Value>) -> Self {
        Self { path, action: Action::Append(item.into()) }
    }

    /// Returns the change that removes `path`.
    pub fn remove(path: Path) -> Self {
        Self { path, action: Action::Remove }
    }

    /// Returns the change that calls the field at `path` `name`.
    pub fn rename(path: Path, name: impl Into<String>) -> Self {
        Self { path, action: Action::Rename(name.into()) }
    }

    /// Returns the same change of a value that has this one's root at `path`.
    #[must_use]
    pub fn within(&self, path: &Path) -> Self {
        Self { path: path.join(&self.path), action: self.action.clone() }
    }

    /// Changes `root`; returns whether that was possible: lists have the items that the path names, and what is removed
    /// or renamed exists.
    pub fn apply(&self, root: &mut Value) -> bool {
        let segments = self.path.segments();
        let Some((last, way)) = segments.split_last() else { return false };
        let creates = matches!(self.action, Action::Set(_) | Action::Append(_));
        let parent = way.iter().try_fold(root, |value, segment| step(value, segment, creates));
        let Some(parent) = parent else { return false };
        match &self.action {
            Action::Set(value) => set(parent, last, value.clone()),
            Action::Append(item) => append(parent, last, item.clone()),
            Action::Remove => remove(parent, last).is_some(),
            Action::Rename(name) => match (remove(parent, last), parent.as_object_mut()) {
                (Some(value), Some(map)) => map.insert(name.as_str(), value).is_none(),
                _ => false,
            },
        }
    }
}

/// Returns `changes` in an order in which none changes the path of a later one: what is removed from lists comes last,
/// and the last items first.
pub fn in_order(changes: &[Change]) -> impl Iterator<Item = &Change> {
    let is_removal = |change: &&Change| change.action == Action::Remove;
    let removals = changes.iter().rev().filter(is_removal);
    changes.iter().filter(move |change| !is_removal(change)).chain(removals)
}

/// Returns the name of a step into a map.
pub fn key_of(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Field(name) => Some(name),
        Segment::Key(name) => Some(name),
        Segment::Index(_) => None,
    }
}

/// Turns an unset value into an empty map, and returns the map.
fn map_of(value: &mut Value) -> Option<&mut Map> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

fn step<'v>(value: &'v mut Value, segment: &Segment, creates: bool) -> Option<&'v mut Value> {
    match (segment, key_of(segment)) {
        (Segment::Index(index), _) => value.as_array_mut()?.get_mut(*index),
        (_, Some(key)) if creates => Some(map_of(value)?.entry(key).or_insert(Value::Null)),
        (_, Some(key)) => value.as_object_mut()?.get_mut(key),
        (_, None) => None,
    }
}

fn set(parent: &mut Value, end: &Segment, value: Value) -> bool {
    let place = step(parent, end, true);
    place.map(|place| *place = value).is_some()
}

fn append(parent: &mut Value, end: &Segment, item: Value) -> bool {
    let Some(list) = step(parent, end, true) else { return false };
    if list.is_null() {
        *list = Value::Array(List::default());
    }
    list.as_array_mut().map(|list| list.push(item)).is_some()
}

fn remove(parent: &mut Value, end: &Segment) -> Option<Value> {
    match (end, key_of(end)) {
        (Segment::Index(index), _) => {
            let list = parent.as_array_mut()?;
            (*index < list.len()).then(|| list.remove(*index))
        }
        (_, Some(key)) => parent.as_object_mut()?.remove(key),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn changed(mut value: Value, change: &Change) -> Option<Value> {
        change.apply(&mut value).then_some(value)
    }

    #[test]
    fn creates_the_maps_on_the_way() {
        let path = Path::new("spec.containers").index(0).child("securityContext").child("privileged");
        let pod = json!({"spec": {"containers": [{"name": "a", "securityContext": null}]}});
        assert_eq!(
            changed(pod.clone(), &Change::set(path.clone(), false)),
            Some(json!({"spec": {"containers": [{"name": "a", "securityContext": {"privileged": false}}]}}))
        );
        assert_eq!(changed(pod.clone(), &Change::remove(path)), None);
        let missing = Path::new("spec.containers").index(1).child("name");
        assert_eq!(changed(pod, &Change::set(missing, "b")), None);
    }

    #[test]
    fn adds_removes_and_renames() {
        let map = || json!({"a": [1, 2], "b": 3});
        let list = Path::new("a");
        assert_eq!(changed(map(), &Change::append(list.clone(), 4)), Some(json!({"a": [1, 2, 4], "b": 3})));
        assert_eq!(
            changed(map(), &Change::append(Path::new("c"), 4)),
            Some(json!({"a": [1, 2], "b": 3, "c": [4]}))
        );
        assert_eq!(changed(map(), &Change::remove(list.index(0))), Some(json!({"a": [2], "b": 3})));
        assert_eq!(changed(map(), &Change::remove(list.index(2))), None);
        assert_eq!(changed(map(), &Change::rename(Path::new("b"), "c")), Some(json!({"a": [1, 2], "c": 3})));
        assert_eq!(changed(map(), &Change::rename(Path::new("b"), "a")), None);
    }
}
