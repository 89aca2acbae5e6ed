//! The owners of fields, as the server records them in `metadata.managedFields`.
//!
//! It is computed only if a message of the server shows it; reports never do.
//!
//! Source: `k8s.io/apimachinery/pkg/util/managedfields`.

use gotext::value::json;

use crate::NOW;
use crate::custom_resource::Version;
use crate::merge::field_set::{difference, intersection, removed, union};
use crate::merge::part::Part;
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupVersionKind, Map, Object, Value, decode, kinds, resource};

/// The manager of `kubectl apply --server-side`, for which the server respects client-side applies.
pub(super) const KUBECTL: &str = "kubectl";

/// The manager that owns all of an object that was never applied to.
pub(super) const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The path of the field with the managers.
pub(super) const PATH: [&str; 2] = ["metadata", "managedFields"];

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

/// A request by which a manager comes to own fields.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// The manifest of a server-side apply; other requests own the fields that they change.
    pub applied: Option<&'a Value>,
    /// The subresource, or nothing.
    pub sub_resource: &'a str,
    /// The time, in RFC 3339.
    pub time: &'a str,
    /// The version of a custom resource.
    pub version: Option<&'a Version>,
    /// Whether it resets the managers of the object.
    pub resets: bool,
}

/// The fields of one manager.
struct Entry {
    written: Value,
    fields: Map,
}

impl Entry {
    fn of(written: &Value) -> Option<Self> {
        Some(Self { fields: written.get("fieldsV1")?.as_object()?.clone(), written: written.clone() })
    }

    fn is_of(&self, write: &Write<'_>, api_version: &str) -> bool {
        let operation = write.operation();
        let is_version = operation == "Apply" || self.written["apiVersion"] == api_version;
        self.written["manager"] == write.manager
            && self.written["operation"] == operation
            && self.written.text("subresource") == write.sub_resource
            && is_version
    }

    fn into_value(self) -> Value {
        let Self { mut written, fields } = self;
        written["fieldsV1"] = Value::Object(fields);
        written
    }
}

/// Sorts entries.
///
/// Source: `sortEncodedManagedFields`
pub(super) fn sort(entries: &mut [Value]) {
    entries.sort_by_cached_key(|entry| {
        let text = |field: &str| entry.text(field).to_owned();
        (text("operation"), text("time"), text("manager"), text("apiVersion"), text("subresource"))
    });
}

impl Write<'_> {
    fn operation(&self) -> &'static str {
        if self.applied.is_some() { "Apply" } else { "Update" }
    }

    /// Returns an entry of this manager, without a time if it changed nothing.
    fn entry(&self, api_version: &str, fields: Map, is_change: bool) -> Entry {
        let mut written = json!({
            "manager": self.manager,
            "operation": self.operation(),
            "apiVersion": api_version,
            "fieldsType": "FieldsV1",
        });
        if is_change {
            written["time"] = self.time.into();
        }
        if !self.sub_resource.is_empty() {
            written["subresource"] = self.sub_resource.into();
        }
        Entry { written, fields }
    }
}

/// Returns `metadata.managedFields` after `write` turned `old`, if there was one, into `new`. The object is as it was
/// sent: what plugins change has no owner.
///
/// Source: `fieldmanager.managedFieldsUpdater`, `merge.Updater`
pub fn after(write: &Write<'_>, old: Option<&Object>, new: &Object) -> Value {
    let part = Part::of(&new.kind, write.version);
    let api_version = new.kind.api_version();
    let is_own = write.sub_resource.is_empty();
    let before: &[Value] = match old {
        _ if is_own && write.resets => &[],
        Some(old) if !is_own || new.list(PATH).is_empty() => old.list(PATH),
        _ => new.list(PATH),
    };
    let is_tracked = before.iter().any(|entry| Entry::of(entry).is_some());
    // What is owned in a version that does not exist, or of another group, as with the two kinds of events, is lost.
    let is_convertible = |entry: &&Value| {
        let kind = GroupVersionKind::from_api_version(entry.text("apiVersion"), &new.kind.kind);
        kind.group == new.kind.group && (write.version.is_some() || decode::is_registered(&kind))
    };
    let mut entries: Vec<Entry> = before.iter().filter(is_convertible).filter_map(Entry::of).collect();
    // An object without managers gets some when it is created, or by the first apply.
    if !is_tracked && write.applied.is_none() && old.is_some_and(|old| old.has(["metadata", "uid"])) {
        return Value::from(Vec::<Value>::new());
    }
    let changes = match old {
        Some(old) => part.changes(Some(&old.value), &new.value).unwrap_or_default(),
        None => of_all(new, part),
    };
    let reached = |fields| reached(owned(fields), &new.kind, write.sub_resource, write.version);
    // The annotation of `kubectl apply` follows a server-side apply, and stays with its owner.
    let follows = write.applied.is_some() && write.manager == KUBECTL;
    let followed = if follows { last_applied_field() } else { Map::new() };
    let removed = old.map(|old| removed(part, (&old.value, &new.value), &changes));
    let mut removed = reached(removed.unwrap_or_default());
    let mut changes = difference(&reached(changes), &followed);
    if let (Some(old), Some(_), false) = (old, write.applied, is_tracked) {
        let first = Write { manager: BEFORE_FIRST_APPLY, applied: None, ..*write };
        entries.push(first.entry(&api_version, reached(of_all(old, part)), true));
    }
    let is_changed = !changes.is_empty() || !removed.is_empty();
    let mut is_merged = true;
    let own = entries.iter().position(|entry| entry.is_of(write, &api_version));
    if let (Some(old), Some(manifest)) = (old, write.applied) {
        // A manifest takes what differs before defaults are filled in, and removes no more than its manager owned.
        changes = part.changes(Some(&old.value), manifest).unwrap_or_default();
        removed = own.map_or_else(Map::new, |own| intersection(&removed, &entries[own].fields));
        is_merged = !changes.is_empty() || !removed.is_empty();
        changes = reached(changes);
    }
    for entry in &mut entries {
        let kind = GroupVersionKind::from_api_version(entry.written.text("apiVersion"), &new.kind.kind);
        let theirs = old.and_then(|old| part.changes_as(&kind, old, new));
        let theirs = theirs.map(|(changes, removed)| (reached(changes), reached(removed)));
        let (changes, removed) =
            theirs.as_ref().map_or((&changes, &removed), |(changes, gone)| (changes, gone));
        entry.fields = difference(&difference(&entry.fields, changes), removed);
    }
    let fields = match write.applied {
        Some(manifest) => reached(part.fields(manifest).1),
        None => own.map_or_else(|| changes.clone(), |own| union(&entries[own].fields, &changes)),
    };
    let is_written = write.applied.is_some() || !changes.is_empty();
    match own {
        Some(own) if is_written => {
            let time = entries[own].written.get("time").cloned();
            entries[own] = write.entry(&api_version, fields, is_changed);
            if let (Some(time), false) = (time, is_changed) {
                entries[own].written["time"] = time;
            }
        }
        None if is_written => entries.push(write.entry(&api_version, fields, is_merged)),
        _ => {}
    }
    entries.retain(|entry| !entry.fields.is_empty());
    let mut entries: Vec<Value> = entries.into_iter().map(Entry::into_value).collect();
    sort(&mut entries);
    entries.into()
}

/// The groups whose kinds let a request for the status change no metadata; all others let it change them.
const STATUS_WITHOUT_METADATA: [&str; 8] = [
    "admissionregistration.k8s.io",
    "apiregistration.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Returns the fields that a request for an object of `kind` through `sub_resource` can reach: the status is written
/// through its own. `version` is that of a custom resource.
///
/// Source: `GetResetFields` of the strategies
pub(super) fn reached(
    mut fields: Map,
    kind: &GroupVersionKind,
    sub_resource: &str,
    version: Option<&Version>,
) -> Map {
    match sub_resource {
        "" => {
            let has_status = match version {
                Some(version) => version.has_status,
                None => resource::by_kind(kind).is_some_and(|found| found.subresource("status").is_some()),
            };
            if has_status {
                fields.remove("f:status");
            }
            fields
        }
        "status" => {
            fields.remove("f:spec");
            let lacks_metadata = version.is_some()
                || STATUS_WITHOUT_METADATA.contains(&&*kind.group)
                || kind.group == "networking.k8s.io" && kind.kind == "ServiceCIDR";
            let unreached = if lacks_metadata {
                fields.remove("f:metadata");
                return fields;
            } else if kind.is(kinds::DEPLOYMENT) {
                "f:labels"
            } else if kind.is(kinds::POD) {
                "f:ownerReferences"
            } else {
                return fields;
            };
            if let Some(Value::Object(metadata)) = fields.get_mut("f:metadata") {
                metadata.remove(unreached);
                if metadata.is_empty() {
                    fields.remove("f:metadata");
                }
            }
            fields
        }
        _ => fields,
    }
}

/// Ensures that what a request gives as the managers of `object` can be read: else those of the replaced object count, if
/// there is one.
///
/// Source: `decodeLiveOrNew`
pub fn settle(object: &mut Object, old: Option<&Object>) {
    if is_reset(object) {
        drop(object.remove(PATH));
        return;
    }
    let entries = object.list(PATH);
    if entries.is_empty() || entries.iter().all(is_readable) {
        return;
    }
    match old.and_then(|old| old.at(PATH)) {
        Some(before) => object.set(PATH, before.clone()),
        None => drop(object.remove(PATH)),
    }
}

/// Whether `object` resets its managers: it has an empty list of them, or one empty entry.
///
/// Source: `isResetManagedFields`
pub fn is_reset(object: &Object) -> bool {
    match object.list(PATH) {
        [] => object.was_given_empty(&PATH),
        [entry] => entry.as_object().is_none_or(Map::is_empty),
        _ => false,
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

/// Returns the field with the annotation of `kubectl apply`.
pub(super) fn last_applied_field() -> Map {
    let field = json!({"f:metadata": {"f:annotations": {(format!("f:{LAST_APPLIED}")): {}}}});
    field.as_object().cloned().unwrap_or_default()
}

/// Returns the fields of `object` that an empty one does not have.
pub(super) fn of_all(object: &Object, part: Part) -> Map {
    let empty = decode::empty(&object.kind);
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
    fn what_is_removed_whole_has_no_owner() {
        let write = Write {
            manager: "curl",
            applied: None,
            sub_resource: "",
            time: "t",
            version: None,
            resets: false,
        };
        let container =
            |env: Value| pod(&json!({"containers": [{"name": "a", "env": env}], "nodeName": "n"}));
        let mut old = container(json!([{"name": "X", "value": "1"}]));
        old.set(["metadata", "labels"], json!({"app": "web"}));
        old.set(["metadata", "finalizers"], json!(["a/b"]));
        old.set(["metadata", "managedFields"], after(&write, None, &old));
        let new = pod(&json!({"containers": [{"name": "a"}], "nodeName": "n"}));
        let containers = json!({"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}});
        assert_eq!(
            after(&write, Some(&old), &new)[0]["fieldsV1"],
            json!({"f:spec": {"f:containers": containers, "f:nodeName": {}}})
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
