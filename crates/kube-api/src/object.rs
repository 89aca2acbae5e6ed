//! An object: a value tree and its kind, which decides how it is read.

mod empty_field;

use std::borrow::Cow;
use std::fmt;

use gotext::encoding_json;
use gotext::value::json;

use crate::field::Path;
use crate::{GroupVersionKind, secret};
use gotext::quantity::Quantity;

pub(crate) use empty_field::EmptyField;

use gotext::value::Steps;
pub use gotext::value::{Map, Value};

/// An object of the API: its value tree, with `apiVersion` and `kind` in it, and its kind.
#[derive(Clone, PartialEq)]
pub struct Object {
    /// The kind of the value.
    pub kind: GroupVersionKind,
    /// The whole object.
    pub value: Value,
    /// The fields that were given empty and are not in `value`.
    empty_fields: Vec<EmptyField>,
    /// The quantities that were written differently than they are in `value`.
    spellings: Vec<(Path, Quantity)>,
    /// JSON of any type that was written differently than the server would write it, as written.
    written: Vec<(Path, String)>,
}

/// Formats the object without the values that Secrets keep.
impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.clone();
        if secret::is_kept_in(self) {
            secret::for_each(&mut shown, |_, value| *value = "***".into());
        }
        formatter
            .debug_struct("Object")
            .field("kind", &self.kind)
            .field("value", &shown.value)
            .finish_non_exhaustive()
    }
}

impl Object {
    /// Returns an object of `kind`.
    pub fn new(kind: GroupVersionKind, value: Value) -> Self {
        Self { kind, value, empty_fields: Vec::new(), spellings: Vec::new(), written: Vec::new() }
    }

    /// Whether the list or map at the named fields was given with nothing in it. No encoding has it, so it is not in
    /// the value, but plugins of the server that check for `nil` see it.
    pub fn was_given_empty(&self, fields: &[&str]) -> bool {
        self.empty_fields.iter().any(|empty| empty.is_at(fields))
    }

    /// Makes the list or map that was given empty at the named fields absent.
    pub fn forget_empty(&mut self, fields: &[&str]) {
        self.empty_fields.retain(|empty| !empty.is_at(fields));
    }

    /// Returns the object as the server has it in memory, where lists and maps that were given empty are not absent.
    /// They stay at their paths: an item that was moved since does not carry them along.
    pub fn in_memory(&self) -> Cow<'_, Self> {
        if self.empty_fields.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut object = self.clone();
        for empty in &self.empty_fields {
            empty.write(&mut object.value);
        }
        Cow::Owned(object)
    }

    /// Records the fields that were given empty.
    pub(super) fn remember_empty(&mut self, fields: Vec<EmptyField>) {
        self.empty_fields.extend(fields);
    }

    /// Removes all fields with empty values, and forgets how quantities were written. JSON of any type is stored as it
    /// was written.
    pub fn forget_all_empty(&mut self) {
        self.empty_fields.clear();
        self.spellings.clear();
    }

    /// Forgets how JSON of any type was written: a client that reads manifests writes it anew.
    pub fn forget_written(&mut self) {
        self.written.clear();
    }

    /// Whether JSON of any type was written differently than the server would write it.
    pub fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// Returns the quantity at `path` as written, if that differs from the value.
    pub fn quantity_as_read(&self, path: &Path) -> Option<&Quantity> {
        self.spellings.iter().find(|(own, _)| own == path).map(|(_, quantity)| quantity)
    }

    /// Returns the JSON values of any type that were written differently than the server would write them, each with its
    /// path, the server's text, and the text as written, which Go prints without blanks.
    pub fn json_as_written(&self) -> impl Iterator<Item = (&Path, String, String)> {
        self.written.iter().filter_map(|(path, text)| {
            let sorted = encoding_json::to_string(path.value_in(&self.value)?);
            Some((path, sorted, encoding_json::compact(text)))
        })
    }

    /// Returns the object as it differs from `other` for Go, which compares JSON of any type by its bytes: what was
    /// written differently is text.
    pub fn beside(&self, other: &Self) -> Cow<'_, Self> {
        let differing = |one: &Self, other: &Self| {
            one.written.iter().filter(|entry| !other.written.contains(entry)).cloned().collect::<Vec<_>>()
        };
        let differing: Vec<_> = differing(self, other).into_iter().chain(differing(other, self)).collect();
        let mut object = Cow::Borrowed(self);
        for (path, text) in differing {
            if path.value_in(&self.value).is_some_and(|own| path.value_in(&other.value) == Some(own)) {
                let slot = path.value_in_mut(&mut object.to_mut().value).expect("the value that was found");
                *slot = text.into();
            }
        }
        object
    }

    /// Records how JSON of any type was written.
    pub(super) fn remember_written(&mut self, written: Vec<(Path, String)>) {
        self.written = written;
    }

    /// Records how quantities were written.
    pub(super) fn remember_spellings(&mut self, spellings: Vec<(Path, Quantity)>) {
        self.spellings = spellings;
    }

    /// Returns `metadata.name`, or nothing.
    pub fn name(&self) -> &str {
        self.text(["metadata", "name"])
    }

    /// Returns `metadata.generateName`, or nothing.
    pub fn generate_name(&self) -> &str {
        self.text(["metadata", "generateName"])
    }

    /// Returns `metadata.namespace`, or nothing.
    pub fn namespace(&self) -> &str {
        self.text(["metadata", "namespace"])
    }

    /// Returns `metadata.labels[key]`.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.at(["metadata", "labels", key])?.as_str()
    }

    /// Returns `metadata.annotations[key]`.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.at(["metadata", "annotations", key])?.as_str()
    }

    /// Returns `metadata.labels` as pairs, ordered by key.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(self.at(["metadata", "labels"]))
    }

    /// Returns the value at the named fields.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn at(&self, fields: impl Steps) -> Option<&Value> {
        self.value.at(fields)
    }

    /// Returns the map at the named fields.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn child(&self, fields: impl Steps) -> Option<&Map> {
        self.value.child(fields)
    }

    gotext::readers!();

    /// Returns the value at `path`.
    pub fn get(&self, path: &Path) -> Option<&Value> {
        path.value_in(&self.value)
    }

    /// Writes `value` at the named fields, creating the maps on the way.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn set(&mut self, fields: impl Steps, value: impl Into<Value>) {
        let (last, parents) = fields.names().split_last().expect("a field to write has a name");
        map_at(&mut self.value, parents).insert(*last, value.into());
    }

    /// Writes `value` at the named fields unless something is there.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn insert_default(&mut self, fields: impl Steps, value: impl Into<Value>) {
        if !self.has(fields.names()) {
            self.set(fields, value);
        }
    }

    /// Removes the value at the named fields and returns it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn remove(&mut self, fields: impl Steps) -> Option<Value> {
        let (last, parents) = fields.names().split_last()?;
        let mut map = self.value.as_object_mut()?;
        for field in parents {
            map = map.get_mut(field)?.as_object_mut()?;
        }
        map.remove(last)
    }

    /// Appends `item` to the list at the named fields, creating it if absent.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn append(&mut self, fields: impl Steps, item: impl Into<Value>) {
        let (last, parents) = fields.names().split_last().expect("a list has a name");
        append(map_at(&mut self.value, parents), last, item);
    }

    /// Returns the value at the named fields, to change it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn at_mut(&mut self, fields: impl Steps) -> Option<&mut Value> {
        fields.names().iter().try_fold(&mut self.value, |value, field| value.get_mut(*field))
    }
}

/// Returns a map of texts as pairs, ordered by key.
pub fn pairs(map: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

/// Appends `item` to the list `field` of `map`, creating it if absent.
#[cfg_attr(debug_assertions, track_caller)]
pub fn append(map: &mut Map, field: &str, item: impl Into<Value>) {
    let list = map.entry(field).or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    list.as_array_mut().expect("made a list above").push(item.into());
}

fn map_at<'a>(value: &'a mut Value, fields: &[&str]) -> &'a mut Map {
    let mut value = value;
    for field in fields {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        value = value.as_object_mut().expect("made a map above").entry(*field).or_insert(Value::Null);
    }
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("made a map above")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Segment;

    fn object(value: Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", "Pod"), value)
    }

    #[test]
    fn writing_makes_the_maps_on_the_way() {
        let mut pod = object(json!({"metadata": {"name": "web"}}));
        pod.set(["metadata", "labels", "app"], "web");
        pod.insert_default(["metadata", "name"], "other");
        pod.append(["metadata", "finalizers"], "a");
        pod.append(["metadata", "finalizers"], "b");
        assert_eq!(
            pod.value,
            json!({"metadata": {"name": "web", "labels": {"app": "web"}, "finalizers": ["a", "b"]}})
        );
        assert_eq!(pod.remove(["metadata", "labels", "app"]), Some(json!("web")));
        assert_eq!(pod.label("app"), None);
    }

    #[test]
    fn null_is_as_good_as_absent() {
        let mut pod = object(json!({"spec": {"nodeName": null}}));
        assert_eq!(pod.at(["spec", "nodeName"]), None);
        pod.insert_default(["spec", "nodeName"], "node-1");
        assert_eq!(pod.text(["spec", "nodeName"]), "node-1");
    }

    #[test]
    fn what_was_given_empty_is_in_memory_only() {
        let mut pod = object(json!({"spec": {"containers": [{"name": "a"}], "volumes": [{"name": "b"}]}}));
        let empty = |value: Value, steps: &[Segment]| {
            let mut empty = EmptyField::of(&value).expect("is empty");
            steps.iter().rev().for_each(|step| empty.push(step.clone()));
            empty
        };
        let field = |name: &'static str| Segment::Field(name.into());
        pod.remember_empty(vec![
            empty(json!([]), &[field("spec"), field("containers"), Segment::Index(0), field("env")]),
            empty(json!([]), &[field("spec"), field("containers"), Segment::Index(1), field("env")]),
            empty(json!([]), &[field("spec"), field("volumes")]),
            empty(json!({}), &[field("spec"), field("overhead")]),
        ]);
        assert_eq!(
            pod.in_memory().value["spec"],
            json!({"containers": [{"name": "a", "env": []}], "volumes": [{"name": "b"}], "overhead": {}})
        );
        assert!(pod.was_given_empty(&["spec", "overhead"]) && pod.at(["spec", "overhead"]).is_none());
        pod.forget_empty(&["spec", "overhead"]);
        assert!(!pod.was_given_empty(&["spec", "overhead"]));
    }
}
