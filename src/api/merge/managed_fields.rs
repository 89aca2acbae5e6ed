//! Who set which fields: the book that the server keeps in `metadata.managedFields`.
//!
//! It is made only where a message of the server shows it; no report ever does. A set of fields is the JSON that
//! stands in an object, `FieldsV1`: a member is a key, what lies below it is its value, and `.` in there is the member
//! itself where something lies below.
//!
//! Source: `k8s.io/apimachinery/pkg/util/managedfields`, `sigs.k8s.io/structured-merge-diff/v6/{typed,fieldpath}`.

use serde_json::json;

use super::part::{Items, Part};
use crate::api::{Map, Object, Value, decode, go_json};

/// Fields that nobody is said to own.
const UNOWNED: [&str; 2] = ["f:apiVersion", "f:kind"];
const UNOWNED_METADATA: [&str; 10] = [
    ".",
    "f:name",
    "f:namespace",
    "f:creationTimestamp",
    "f:selfLink",
    "f:uid",
    "f:clusterName",
    "f:generation",
    "f:managedFields",
    "f:resourceVersion",
];

/// What the server writes into `metadata.managedFields` of a new object of a built-in kind, as it was decoded; nothing
/// where the object says no more than an empty one. `manager` is who sent it, `time` when.
pub fn of_new(object: &Object, manager: &str, time: &str) -> Option<Value> {
    let mut empty = Object::new(object.kind.clone(), json!({}));
    decode::normalize(&mut empty);
    let part = Part::of(&object.kind, None);
    let fields = stripped(part.changes(Some(&empty.value), &object.value)?)?;
    Some(json!([{
        "manager": manager,
        "operation": "Update",
        "apiVersion": object.kind.api_version(),
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }]))
}

/// Source: `NewStripMetaManager`
fn stripped(mut fields: Map) -> Option<Map> {
    fields.retain(|name, _| !UNOWNED.contains(&name.as_str()));
    if let Some(Value::Object(metadata)) = fields.get_mut("f:metadata") {
        metadata.retain(|name, _| !UNOWNED_METADATA.contains(&name.as_str()));
        if metadata.is_empty() {
            fields.remove("f:metadata");
        }
    }
    (!fields.is_empty()).then_some(fields)
}

impl Part<'_> {
    /// The fields of `new` that are not, or are something else, in `old`: what lies below `new`, and `.` where that
    /// itself is a member; nothing where nothing changes.
    ///
    /// Source: `TypedValue.Compare`, the fields added and modified.
    fn changes(self, old: Option<&Value>, new: &Value) -> Option<Map> {
        let is_new = old.is_none();
        let mut below = Map::new();
        let is_member = match new {
            Value::Object(map) if !self.is_atomic_map() && (!map.is_empty() || has_members(old)) => {
                let old = old.unwrap_or(&Value::Null);
                for (name, value) in map {
                    insert(&mut below, format!("f:{name}"), self.field(name).changes(old.get(name), value));
                }
                is_new || !matches!(old, Value::Object(_) | Value::Null)
            }
            Value::Array(items)
                if !matches!(self.items(), Items::Atomic) && (!items.is_empty() || has_members(old)) =>
            {
                self.changed_items(old, items, &mut below);
                is_new
            }
            // Nothing but what was there is gone.
            Value::Null if has_members(old) && !self.is_whole(old) => false,
            _ => old != Some(new),
        };
        match (is_member, below.is_empty()) {
            (false, true) => return None,
            (true, false) => drop(below.insert(".".to_owned(), json!({}))),
            _ => {}
        }
        Some(below)
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
                // Items that cannot be told apart are one field.
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

    /// What an item of this list is called among the fields.
    fn element(self, item: &Value) -> String {
        match self.items() {
            Items::Keyed(_) => format!("k:{}", go_json::to_string(&self.key_of(item).into_value())),
            Items::Set | Items::Atomic => format!("v:{}", go_json::to_string(item)),
        }
    }

    /// Whether `value` is one field.
    fn is_whole(self, value: Option<&Value>) -> bool {
        match value {
            Some(Value::Object(_)) => self.is_atomic_map(),
            Some(Value::Array(_)) => matches!(self.items(), Items::Atomic),
            _ => true,
        }
    }
}

/// Whether something is in a map or list; an empty one is a field like any other.
fn has_members(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(map)) => !map.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    }
}

fn insert(set: &mut Map, name: String, below: Option<Map>) {
    if let Some(below) = below {
        set.insert(name, Value::Object(below));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::GroupVersionKind;

    fn pod(spec: &Value) -> Object {
        let metadata = json!({"name": "web", "namespace": "shop", "uid": "u"});
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec});
        Object::new(GroupVersionKind::new("", "v1", "Pod"), pod)
    }

    fn spec_of_new(spec: &Value) -> Value {
        let managed = of_new(&pod(spec), "unknown", "t").expect("has fields");
        managed[0]["fieldsV1"]["f:spec"].clone()
    }

    fn changes(old: &Value, new: &Value) -> Value {
        let (old, new) = (pod(old), pod(new));
        Part::of(&new.kind, None).changes(Some(&old.value), &new.value).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn tells_who_made_what_and_when() {
        let mut pod = pod(&json!({"nodeName": "a"}));
        pod.set(&["metadata", "labels"], json!({"app": "web"}));
        assert_eq!(
            of_new(&pod, "curl", "2026-01-01T00:00:00Z"),
            Some(json!([{
                "manager": "curl",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-01-01T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                    "f:spec": {"f:nodeName": {}},
                },
            }]))
        );
    }

    #[test]
    fn an_object_without_fields_has_no_owner() {
        let mut pod = pod(&Value::Null);
        pod.remove(&["spec"]);
        assert_eq!(of_new(&pod, "curl", "t"), None);
    }

    #[test]
    fn items_with_keys_are_called_by_them() {
        let ports = json!([{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]);
        let containers = json!([{"name": "<a>", "ports": ports}]);
        assert_eq!(
            spec_of_new(&json!({"containers": containers})),
            json!({"f:containers": {"k:{\"name\":\"\\u003ca\\u003e\"}": {
                ".": {},
                "f:name": {},
                "f:ports": {
                    ".": {},
                    "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}},
                    "k:{\"containerPort\":53,\"protocol\":\"UDP\"}":
                        {".": {}, "f:containerPort": {}, "f:protocol": {}},
                },
            }}})
        );
    }

    #[test]
    fn items_of_a_set_are_fields_and_what_is_atomic_is_one() {
        let mut pod = pod(&json!({
            "nodeSelector": {"a": "1"},
            "overhead": {"cpu": "1"},
            "tolerations": [{"key": "a"}],
            "securityContext": {"supplementalGroups": [1]},
        }));
        pod.set(&["metadata", "finalizers"], json!(["a/b"]));
        assert_eq!(
            of_new(&pod, "curl", "t").expect("has fields")[0]["fieldsV1"],
            json!({
                "f:metadata": {"f:finalizers": {".": {}, "v:\"a/b\"": {}}},
                "f:spec": {
                    "f:nodeSelector": {},
                    "f:overhead": {".": {}, "f:cpu": {}},
                    "f:securityContext": {".": {}, "f:supplementalGroups": {}},
                    "f:tolerations": {},
                },
            })
        );
    }

    #[test]
    fn an_empty_map_or_list_is_a_field() {
        assert_eq!(
            spec_of_new(&json!({"securityContext": {}, "volumes": [], "overhead": null})),
            json!({"f:overhead": {}, "f:securityContext": {}, "f:volumes": {}})
        );
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
    fn items_that_cannot_be_told_apart_are_one_field() {
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
    fn what_is_of_any_type_is_one_field_or_deduced() {
        let kind = GroupVersionKind::new("apps", "v1", "ControllerRevision");
        let revision = json!({"metadata": {"name": "a"}, "data": {"spec": {"a": 1}}, "revision": 0});
        assert_eq!(
            of_new(&Object::new(kind, revision), "curl", "t").expect("has fields")[0]["fieldsV1"],
            json!({"f:data": {}})
        );
        let kind = GroupVersionKind::new("example.com", "v1", "Free");
        let free = json!({"spec": {"list": [{"a": 1}], "map": {"a": 2}}});
        assert_eq!(
            of_new(&Object::new(kind, free), "curl", "t").expect("has fields")[0]["fieldsV1"],
            json!({"f:spec": {".": {}, "f:list": {}, "f:map": {".": {}, "f:a": {}}}})
        );
    }
}
