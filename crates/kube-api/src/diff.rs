//! The difference of two values as a JSON patch (RFC 6902) that a person can read.

mod list;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{Map, Value};
use gotext::pointer::escape;
use gotext::value::Text;

/// One step from the value before to the value after. Steps are applied in order: an index counts the items that remain
/// after the steps before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum PatchOperation {
    /// Adds a value under a new key, or before the item at an index.
    Add {
        /// Returns the place, as a JSON pointer (RFC 6901).
        path: String,
        /// The new value.
        value: Value,
    },
    /// Removes a key or an item.
    Remove {
        /// Returns the place, as a JSON pointer (RFC 6901).
        path: String,
    },
    /// Replaces a value.
    Replace {
        /// Returns the place, as a JSON pointer (RFC 6901).
        path: String,
        /// The new value.
        value: Value,
    },
}

impl PatchOperation {
    /// Returns the place, as a JSON pointer (RFC 6901).
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Remove { path } | Self::Replace { path, .. } => path,
        }
    }

    /// Returns the new value, unless this is a removal.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Add { value, .. } | Self::Replace { value, .. } => Some(value),
            Self::Remove { .. } => None,
        }
    }
}

/// Returns the steps from `before` to `after`; none if they are equal.
pub fn json_patch(before: &Value, after: &Value) -> Vec<PatchOperation> {
    let mut patch = Patch { pointer: String::new(), operations: Vec::new() };
    patch.change(before, after);
    patch.operations
}

/// The steps found so far, and the current place.
struct Patch {
    pointer: String,
    operations: Vec<PatchOperation>,
}

impl Patch {
    fn change(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            _ if before == after => {}
            (Value::Object(before), Value::Object(after)) => self.change_map(before, after),
            (Value::Array(before), Value::Array(after)) => list::change(self, before, after),
            _ => self.replace(after),
        }
    }

    fn change_map(&mut self, before: &Map, after: &Map) {
        let keys: BTreeSet<&Text> = before.keys().chain(after.keys()).collect();
        for key in keys {
            self.at(&escape(key), |patch| match (before.look_up(key), after.look_up(key)) {
                (Some(before), Some(after)) => patch.change(before, after),
                (None, Some(after)) => patch.add(after),
                (_, None) => patch.remove(),
            });
        }
    }

    /// Calls `look` one step further down.
    fn at(&mut self, step: &str, look: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(step);
        look(self);
        self.pointer.truncate(length);
    }

    fn at_index(&mut self, index: usize, look: impl FnOnce(&mut Self)) {
        self.at(&index.to_string(), look);
    }

    fn add(&mut self, value: &Value) {
        self.operations.push(PatchOperation::Add { path: self.pointer.clone(), value: value.clone() });
    }

    fn remove(&mut self) {
        self.operations.push(PatchOperation::Remove { path: self.pointer.clone() });
    }

    fn replace(&mut self, value: &Value) {
        self.operations.push(PatchOperation::Replace { path: self.pointer.clone(), value: value.clone() });
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use proptest::prelude::*;

    use super::*;
    use crate::json_patch as patch;

    fn diff(before: &Value, after: &Value) -> Value {
        gotext::value::to_value(json_patch(before, after)).unwrap()
    }

    #[test]
    fn maps_differ_key_by_key() {
        let before = json!({"a": 1, "b": {"c": 1, "d/e~f": 2}, "g": [], "same": {"x": [1]}});
        let after = json!({"b": {"c": 2, "new": null}, "g": {}, "same": {"x": [1]}});
        assert_eq!(
            diff(&before, &after),
            json!([
                {"op": "remove", "path": "/a"},
                {"op": "replace", "path": "/b/c", "value": 2},
                {"op": "remove", "path": "/b/d~1e~0f"},
                {"op": "add", "path": "/b/new", "value": null},
                {"op": "replace", "path": "/g", "value": {}},
            ])
        );
        assert_eq!(diff(&before, &before), json!([]));
    }

    #[test]
    fn lists_differ_item_by_item() {
        for (before, after, patch) in [
            (
                json!([1, 2]),
                json!([1, 2, 3, 4]),
                json!([
                    {"op": "add", "path": "/2", "value": 3},
                    {"op": "add", "path": "/3", "value": 4},
                ]),
            ),
            (
                json!([1, 2, 3, 4]),
                json!([2, 4]),
                json!([
                    {"op": "remove", "path": "/0"},
                    {"op": "remove", "path": "/1"},
                ]),
            ),
            (json!([1, 2, 3]), json!([1, 9, 3]), json!([{"op": "replace", "path": "/1", "value": 9}])),
            (json!([1, 2, 3]), json!([1, 2, 5, 3]), json!([{"op": "add", "path": "/2", "value": 5}])),
            (
                json!([{"key": "a", "effect": "NoSchedule"}, {"key": "b"}]),
                json!([{"key": "new"}, {"key": "a", "effect": "NoExecute"}, {"key": "b"}]),
                json!([
                    {"op": "add", "path": "/0", "value": {"key": "new"}},
                    {"op": "replace", "path": "/1/effect", "value": "NoExecute"},
                ]),
            ),
        ] {
            assert_eq!(diff(&before, &after), patch, "{before} {after}");
        }
    }

    #[test]
    fn items_with_names_are_known_by_them() {
        let before = json!([{"name": "app", "image": "a"}, {"name": "log", "image": "b"}]);
        let after = json!([{"name": "proxy", "image": "a"}, {"name": "app", "image": "c"}, {"name": "log", "image": "b"}]);
        assert_eq!(
            diff(&before, &after),
            json!([
                {"op": "add", "path": "/0", "value": {"name": "proxy", "image": "a"}},
                {"op": "replace", "path": "/1/image", "value": "c"},
            ])
        );
        let renamed = json!([{"name": "web", "image": "a"}, {"name": "log", "image": "b"}]);
        assert_eq!(
            diff(&before, &renamed),
            json!([
                {"op": "remove", "path": "/0"},
                {"op": "add", "path": "/0", "value": {"name": "web", "image": "a"}},
            ])
        );
    }

    #[test]
    fn very_long_lists_are_not_aligned() {
        let before: Vec<usize> = (0..3000).collect();
        let after: Vec<usize> = (1..3002).collect();
        assert_eq!(json_patch(&json!(before), &json!(after)).len(), 3001);
        let appended: Vec<usize> = (0..3001).collect();
        assert_eq!(json_patch(&json!(before), &json!(appended)).len(), 1);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..4).prop_map(Value::from),
            "[a-c~/]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 5, |inner| {
            let named =
                ("[a-d]", inner.clone()).prop_map(|(name, value)| json!({"name": name, "value": value}));
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(named, 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-d~/]{0,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn applied_it_gives_the_value_after(before in value(), after in value()) {
            // The document of a patch is a map or a list.
            let (before, after) = (json!({"it": before}), json!({"it": after}));
            let operations = diff(&before, &after);
            prop_assert_eq!(before == after, operations == json!([]));
            let applied = patch::decode(&operations).and_then(|patch| patch.apply(before));
            prop_assert_eq!(applied, Ok(after));
        }
    }
}
