//! The owners of fields, as the server records them in `metadata.managedFields`.
//!
//! It is computed only if a message of the server shows it; reports never do.
//!
//! Source: `k8s.io/apimachinery/pkg/util/managedfields`.

use gotext::value::json;

use crate::NOW;
use crate::merge::part::Part;
use kube_api::{Map, Object, Value, decode};

/// Fields without an owner.
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

/// Returns what the server writes into `metadata.managedFields` of a new object of a built-in kind, as it was decoded;
/// nothing if the object has no more than an empty one. The `options` of the request name the sender.
pub fn of_received(object: &Object, options: Option<&Value>) -> Option<Value> {
    let manager = options.and_then(|options| options.get("fieldManager")).and_then(Value::as_str);
    // Without a manager it is the client's name, which is unknown.
    let manager = manager.filter(|manager| !manager.is_empty()).unwrap_or("unknown");
    of_new(object, manager, NOW)
}

/// Ensures that what a request gives as the managers of `object` can be read: else those of the replaced object count, if
/// there is one.
///
/// Source: `decodeLiveOrNew`
pub fn settle(object: &mut Object, old: Option<&Object>) {
    const PATH: [&str; 2] = ["metadata", "managedFields"];
    let entries = object.list(PATH);
    if entries.is_empty() || entries.iter().all(is_readable) {
        return;
    }
    match old.and_then(|old| old.at(PATH)) {
        Some(before) => object.set(PATH, before.clone()),
        None => drop(object.remove(PATH)),
    }
}

/// Whether an entry names a manager and fields.
///
/// Source: `DecodeManagedFields`
fn is_readable(entry: &Value) -> bool {
    let text = |field: &str| entry[field].as_str().unwrap_or_default();
    ["Apply", "Update"].contains(&text("operation"))
        && !text("apiVersion").is_empty()
        && text("fieldsType") == "FieldsV1"
        && is_readable_set(&entry["fieldsV1"])
}

/// Whether the names in a set of fields have a known form; unknown kinds of names are ignored.
///
/// Source: `fieldpath.DeserializePathElement`
fn is_readable_set(set: &Value) -> bool {
    let Some(members) = set.as_object() else { return set.is_null() };
    members.iter().all(|(name, below)| {
        let is_name_readable = match name.split_at_checked(2) {
            _ if name.as_str() == "." => true,
            Some(("f:", _)) => true,
            Some(("i:", index)) => index.parse::<i64>().is_ok(),
            Some(("v:", value)) => serde_json::from_str::<Value>(value).is_ok(),
            Some(("k:", keys)) => serde_json::from_str::<Value>(keys).is_ok_and(|keys| keys.is_object()),
            Some((kind, _)) => kind.ends_with(':'),
            None => false,
        };
        is_name_readable && is_readable_set(below)
    })
}

/// Returns the entries for a sender called `manager` and a request at `time`.
fn of_new(object: &Object, manager: &str, time: &str) -> Option<Value> {
    let fields = owned(of_all(object, Part::of(&object.kind, None)));
    if fields.is_empty() {
        return None;
    }
    Some(json!([{
        "manager": manager,
        "operation": "Update",
        "apiVersion": object.kind.api_version(),
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }]))
}

/// Returns the fields of `object` that an empty one does not have.
pub(super) fn of_all(object: &Object, part: Part) -> Map {
    let mut empty = Object::new(object.kind.clone(), json!({}));
    decode::normalize(&mut empty);
    part.changes(Some(&empty.value), &object.value).unwrap_or_default()
}

/// Returns the fields of a set that can have an owner.
///
/// Source: `NewStripMetaManager`
pub(super) fn owned(mut fields: Map) -> Map {
    fields.retain(|name, _| !UNOWNED.contains(&name.as_str()));
    if let Some(Value::Object(metadata)) = fields.get_mut("f:metadata") {
        metadata.retain(|name, _| !UNOWNED_METADATA.contains(&name.as_str()));
        if metadata.is_empty() {
            fields.remove("f:metadata");
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::GroupVersionKind;

    fn pod(spec: &Value) -> Object {
        let metadata = json!({"name": "web", "namespace": "shop", "uid": "u"});
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec});
        Object::new(GroupVersionKind::new("", "v1", "Pod"), pod)
    }

    fn spec_of_new(spec: &Value) -> Value {
        let managed = of_new(&pod(spec), "unknown", "t").expect("has fields");
        managed[0]["fieldsV1"]["f:spec"].clone()
    }

    #[test]
    fn names_the_manager_and_the_time() {
        let mut pod = pod(&json!({"nodeName": "a"}));
        pod.set(["metadata", "labels"], json!({"app": "web"}));
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
        pod.remove(["spec"]);
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
        pod.set(["metadata", "finalizers"], json!(["a/b"]));
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
