//! Server-side apply (`kubectl apply --server-side`): merges a manifest into an existing object.
//!
//! Fields of maps and structs merge one by one, items of a list with keys by their keys, sets are united; everything
//! `atomic` is replaced as a whole. Fields that the manifest does not have stay, unless an earlier manifest set them
//! and no other manager owns them: then they are removed. The fields of earlier manifests are in
//! `metadata.managedFields` or known to the run, which keeps them internally; fields of other managers conflict only if
//! the object records them.
//!
//! Source: `sigs.k8s.io/structured-merge-diff/v6/typed/merge.go`, `k8s.io/apimachinery/pkg/util/managedfields`.

mod field_change;
mod field_set;
pub mod managed_fields;
mod managers;
mod mutation;
mod part;
mod scale_managers;
mod strategic;
mod three_way;

use crate::custom_resource::Version;
use kube_api::{GroupVersionKind, Map, Object, Status, Value};

use crate::merge::field_set::difference;
use crate::merge::managers::Managers;
use crate::merge::part::{ItemKey, Items, Part};

pub use crate::merge::field_change::{FieldChange, Writer, field_changes, keys_of, names_of, writers};
pub use crate::merge::field_set::union;
pub use crate::merge::managers::unknown_versions;
pub use crate::merge::mutation::apply_configuration;
pub use crate::merge::scale_managers::{managers_after_scale, managers_of_scale};
pub use crate::merge::strategic::strategic_merge;
pub use crate::merge::three_way::{last_applied, record_created, sync_last_applied, three_way};

/// The manager that applies a manifest, and its options.
#[derive(Clone, Copy, Debug)]
pub struct Applier<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// Whether it takes over fields of other managers.
    pub forces: bool,
    /// Whether it is `kubectl`, which first takes over the fields that it applied without `--server-side`: a request of
    /// its own. A server does not do that by itself.
    pub migrates: bool,
    /// The subresource that it applies to, or nothing.
    pub sub_resource: &'a str,
}

impl Default for Applier<'_> {
    fn default() -> Self {
        Self { manager: managed_fields::KUBECTL, forces: false, migrates: true, sub_resource: "" }
    }
}

/// The fields that were applied to an object earlier in a run.
#[derive(Debug, Default)]
pub struct Applied {
    /// The manifest.
    pub manifest: Value,
    /// The fields that other managers own, set before or since.
    pub others: Map,
}

/// The result of an apply.
#[derive(Debug)]
pub struct Merged {
    /// The object.
    pub value: Value,
    /// The fields that other managers still own.
    pub others: Map,
}

/// Merges `manifest` of `applier` into `existing`, an object of the same version, to which `before` was applied.
/// `version` is that of a custom resource, whose schema decides how it merges; other kinds merge by their field tables.
///
/// # Errors
///
/// Returns the server's error about a manifest that names managers, has a list with the same key or the same item
/// twice, or changes fields of other managers.
pub fn apply(
    existing: &Object,
    manifest: &Value,
    applier: Applier<'_>,
    before: Option<&Applied>,
    version: Option<&Version>,
) -> Result<Merged, Box<Status>> {
    refuse_managers(manifest)?;
    let root = Part::of(&existing.kind, version);
    let mut repeated = Vec::new();
    root.find_repetitions(manifest, &mut String::new(), &mut repeated);
    refuse(&existing.kind, (existing.namespace(), existing.name()), &repeated)?;
    // A manifest may have fields that are null and of no type.
    let mut merged = root.merge(Some(&existing.value.clone().untyped()), Some(manifest)).unwrap_or_default();
    let mut managers = Managers::of(root, existing, applier);
    if before.is_some() {
        managers.hand_over();
    }
    let (last, others) = match before {
        Some(before) => (Some(managers::applied(root, &before.manifest)), before.others.clone()),
        None => (managers.applied.clone(), managers.of_others(root, existing)),
    };
    if let Some(last) = last {
        merged = root.prune(&merged, &last, &union(&root.fields(manifest).1, &others));
    }
    if !applier.forces {
        let reached = |fields| managed_fields::reached(fields, &existing.kind, applier.sub_resource, version);
        managers.conflicts(root, existing, &merged, reached)?;
    }
    let changes = root.changes(Some(&existing.value), &merged).unwrap_or_default();
    Ok(Merged { value: merged, others: difference(&others, &changes) })
}

/// Checks the types of `manifest`, of an object of `kind` called `name` in `namespace`, as a server-side apply does:
/// no field is unknown, and no item of a list is there twice. `version` is that of a custom resource.
///
/// # Errors
///
/// Returns the server's error, which names the first unknown field of each map.
pub fn check_patch(
    kind: &GroupVersionKind,
    name: (&str, &str),
    manifest: &Value,
    version: Option<&Version>,
) -> Result<(), Box<Status>> {
    refuse_managers(manifest)?;
    let errors = mutation::errors_in(Part::of(kind, version), &without_nulls(manifest), true);
    refuse(kind, name, &errors)
}

fn refuse_managers(manifest: &Value) -> Result<(), Box<Status>> {
    if manifest["metadata"]["managedFields"].is_array() {
        return Err(Box::new(Status::new_bad_request("metadata.managedFields must be nil")));
    }
    Ok(())
}

/// Returns `value` without the fields that are null, which have any type.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::from(items.iter().map(without_nulls).collect::<Vec<_>>()),
        value => value.clone(),
    }
}

fn refuse(
    kind: &GroupVersionKind,
    (namespace, name): (&str, &str),
    errors: &[String],
) -> Result<(), Box<Status>> {
    let errors = match errors {
        [] => return Ok(()),
        [one] => one.clone(),
        several => several.iter().fold("errors:".to_owned(), |all, error| all + "\n  " + error),
    };
    Err(Box::new(Status::from_error(format!(
        "failed to create typed patch object ({namespace}/{name}; {kind}): {errors}"
    ))))
}

/// Returns the fields of `new` that are absent or different in `old`.
pub fn changes(old: &Object, new: &Object, version: Option<&Version>) -> Map {
    Part::of(&new.kind, version).changes(Some(&old.value), &new.value).unwrap_or_default()
}

impl Part<'_> {
    /// Merges an existing value and the manifest's; either may be absent.
    fn merge<'v>(self, old: Option<&'v Value>, new: Option<&'v Value>) -> Option<Value> {
        // Null instead of a map or a list does not affect its contents.
        let given = |value: Option<&'v Value>| value.filter(|value| !value.is_null());
        match (given(old), given(new)) {
            (Some(Value::Object(map)), None) if !self.is_atomic_map() => Some(Value::Object(map.clone())),
            (Some(Value::Object(old)), Some(Value::Object(new))) if !self.is_atomic_map() => {
                Some(Value::Object(self.merge_maps(old, new)))
            }
            (Some(Value::Array(items)), None) if !matches!(self.items(), Items::Atomic) => {
                Some(Value::Array(items.clone()))
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if !matches!(self.items(), Items::Atomic) => {
                Some(Value::from(self.merge_lists(old, new)))
            }
            _ => new.or(old).cloned(),
        }
    }

    fn merge_maps(self, old: &Map, new: &Map) -> Map {
        let mut merged = old.clone();
        for (name, value) in new {
            if let Some(value) = self.field(name).merge(old.get(name), Some(value)) {
                merged.insert(name.clone(), value);
            }
        }
        merged
    }

    /// Merges the items of both lists: those of the manifest in its order, and before each the existing ones that
    /// preceded it.
    fn merge_lists(self, old: &[Value], new: &[Value]) -> Vec<Value> {
        let old_keys: Vec<_> = old.iter().map(|item| self.key_of(item)).collect();
        let new_keys: Vec<_> = new.iter().map(|item| self.key_of(item)).collect();
        let item_part = self.item();
        // Items that exist twice are not merged into.
        let existing = |key: &ItemKey| {
            let mut found = old_keys.iter().zip(old).filter(|(known, _)| *known == key);
            found.next().map(|(_, item)| item).filter(|_| found.next().is_none())
        };
        let mut shared = new_keys.iter().filter(|key| old_keys.contains(key)).peekable();
        let mut merged = Vec::with_capacity(old.len().max(new.len()));
        let mut taken: Vec<&ItemKey> = Vec::new();
        let (mut left, mut right) = (0, 0);
        while left < old.len() || right < new.len() {
            if let (Some(old_key), Some(new_key)) = (old_keys.get(left), new_keys.get(right)) {
                if old_key == new_key {
                    taken.push(new_key);
                    merged.extend(item_part.merge(existing(new_key), Some(&new[right])));
                    (left, right) = (left + 1, right + 1);
                    shared.next();
                    continue;
                }
                if new_keys.contains(old_key) && shared.peek().is_some_and(|next| *next != old_key) {
                    // It comes later, in the manifest's place.
                    left += 1;
                    continue;
                }
            }
            if let Some(old_key) = old_keys.get(left) {
                if !new_keys.contains(old_key) {
                    merged.push(old[left].clone());
                    left += 1;
                    continue;
                }
                if taken.contains(&old_key) {
                    left += 1;
                }
            }
            if let Some(new_key) = new_keys.get(right) {
                taken.push(new_key);
                merged.extend(item_part.merge(existing(new_key), Some(&new[right])));
                right += 1;
                if shared.peek() == Some(&new_key) {
                    shared.next();
                }
            }
        }
        merged
    }

    /// Records the lists of a manifest whose items cannot be distinguished; `path` is the path to `value`.
    fn find_repetitions(self, value: &Value, path: &mut String, errors: &mut Vec<String>) {
        let length = path.len();
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    path.extend([".", name]);
                    self.field(name).find_repetitions(value, path, errors);
                    path.truncate(length);
                }
            }
            Value::Array(items) => {
                let is_atomic = matches!(self.items(), Items::Atomic);
                let mut seen: Vec<ItemKey> = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let step = if is_atomic {
                        format!("[{index}]")
                    } else {
                        let key = self.key_of(item);
                        let step = key.to_string();
                        if seen.contains(&key) {
                            errors.push(format!("{path}: duplicate entries for key {step}"));
                        }
                        seen.push(key);
                        step
                    };
                    path.push_str(&step);
                    self.item().find_repetitions(item, path, errors);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use kube_api::schema;

    use super::*;
    use crate::custom_resource::CustomResource;

    fn applied(existing: Value, manifest: &Value) -> Result<Value, String> {
        let text = |field: &str| existing[field].as_str().unwrap_or_default();
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        let merged = apply(&Object::new(kind, existing), manifest, Applier::default(), None, None);
        merged.map(|merged| merged.value).map_err(|status| status.message)
    }

    fn pod(spec: &Value) -> Value {
        let metadata = json!({"name": "web", "namespace": "shop"});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    }

    #[test]
    fn fields_of_the_manifest_win_and_others_stay() {
        let existing = pod(&json!({"nodeName": "a", "hostname": "h", "nodeSelector": {"a": "1", "b": "1"}}));
        let mut manifest =
            pod(&json!({"hostname": "i", "nodeSelector": {"b": "2"}, "overhead": {"cpu": "1"}}));
        manifest["metadata"] = json!({"name": "web", "labels": {"app": "web"}});
        let merged = applied(existing.clone(), &manifest).expect("merges");
        // A node selector is replaced as a whole.
        let spec =
            json!({"nodeName": "a", "hostname": "i", "nodeSelector": {"b": "2"}, "overhead": {"cpu": "1"}});
        assert_eq!(merged["spec"], spec);
        assert_eq!(merged["metadata"], json!({"name": "web", "namespace": "shop", "labels": {"app": "web"}}));
        assert_eq!(applied(existing.clone(), &existing).expect("merges"), existing);
        let null = applied(existing, &pod(&json!({"hostname": null, "volumes": null}))).expect("merges");
        assert_eq!(null["spec"]["hostname"], Value::Null);
        assert_eq!(null["spec"]["nodeName"], "a");
    }

    #[test]
    fn a_field_that_is_null_may_be_unknown() {
        let kind = GroupVersionKind::new("", "v1", "Pod");
        let mut existing = pod(&json!({"nodeName": "a"}));
        schema::know(schema::of(&kind).expect("a kind of the tables"), &mut existing);
        let merged = applied(existing, &pod(&json!({"a": null}))).expect("merges");
        assert_eq!(merged["spec"], json!({"nodeName": "a", "a": null}));
    }

    #[test]
    fn items_with_keys_merge_by_them() {
        let container = |name: &str, image: &str| json!({"name": name, "image": image, "tty": true});
        let existing = json!([container("a", "1"), container("side", "1"), container("b", "1")]);
        let manifest = json!([{"name": "b", "image": "2"}, {"name": "new"}, {"name": "a", "image": "2"}]);
        let containers = |list| pod(&json!({"containers": list}));
        let merged = applied(containers(existing), &containers(manifest)).expect("merges");
        assert_eq!(
            merged["spec"]["containers"],
            json!([container("side", "1"), container("b", "2"), {"name": "new"}, container("a", "2")])
        );
    }

    #[test]
    fn a_port_without_a_protocol_is_tcp() {
        let container = |port: Value| pod(&json!({"containers": [{"name": "a", "ports": [port]}]}));
        let existing = container(json!({"containerPort": 80, "protocol": "TCP", "name": "web"}));
        let merged = applied(existing, &container(json!({"containerPort": 80, "hostPort": 8080})));
        let port = json!({"containerPort": 80, "protocol": "TCP", "name": "web", "hostPort": 8080});
        assert_eq!(merged.expect("merges")["spec"]["containers"][0]["ports"], json!([port]));
    }

    #[test]
    fn sets_unite_and_other_lists_are_replaced() {
        let with = |finalizers: Value, arguments: Value| {
            let mut pod = pod(&json!({"containers": [{"name": "a", "args": arguments}]}));
            pod["metadata"]["finalizers"] = finalizers;
            pod
        };
        let existing = with(json!(["a/a", "a/b"]), json!(["x", "y"]));
        let merged = applied(existing, &with(json!(["a/c", "a/a"]), json!(["z"]))).expect("merges");
        assert_eq!(merged["metadata"]["finalizers"], json!(["a/c", "a/a", "a/b"]));
        assert_eq!(merged["spec"]["containers"][0]["args"], json!(["z"]));
    }

    #[test]
    fn items_of_a_manifest_can_be_distinguished() {
        let ports = json!([{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]);
        let manifest = pod(&json!({"containers": [{"name": "a", "ports": ports}]}));
        assert_eq!(
            applied(pod(&json!({})), &manifest).expect_err("has the port twice"),
            "failed to create typed patch object (shop/web; /v1, Kind=Pod): .spec.containers[name=\"a\"].ports: \
             duplicate entries for key [containerPort=80,protocol=\"TCP\"]"
        );
        let mut twice = pod(&json!({"containers": [{"name": "a"}, {"name": "a"}]}));
        twice["metadata"]["finalizers"] = json!(["a", "a"]);
        assert_eq!(
            applied(pod(&json!({})), &twice).expect_err("has two things twice"),
            "failed to create typed patch object (shop/web; /v1, Kind=Pod): errors:\n  .metadata.finalizers: duplicate \
             entries for key [=\"a\"]\n  .spec.containers: duplicate entries for key [name=\"a\"]"
        );
    }

    #[test]
    fn a_manifest_has_no_unknown_fields() {
        let kind = GroupVersionKind::new("", "v1", "Pod");
        let check = |spec: &Value| {
            let refused = check_patch(&kind, ("shop", "web"), &pod(spec), None).err();
            refused.map_or_else(String::new, |status| format!("{} {}", status.code, status.message))
        };
        let probe = json!({"httpGet": {"port": "http"}, "exec": null});
        let limits = json!({"cpu": 1, "memory": "1Gi"});
        let valid = json!({"name": "a", "livenessProbe": probe, "resources": {"limits": limits}});
        assert_eq!(check(&json!({"containers": [valid]})), "");
        assert_eq!(
            check(&json!({"containers": [{"name": "a", "imagePullPolcy": "Always"}]})),
            "500 failed to create typed patch object (shop/web; /v1, Kind=Pod): \
             .spec.containers[name=\"a\"].imagePullPolcy: field not declared in schema"
        );
        assert_eq!(
            check(&json!({"hostNetwork": "yes", "nodeName": 1})),
            "500 failed to create typed patch object (shop/web; /v1, Kind=Pod): errors:\n  .spec.hostNetwork: expected \
             boolean, got &{yes}\n  .spec.nodeName: expected string, got &value.valueUnstructured{Value:1}"
        );
    }

    #[test]
    fn a_manifest_names_no_managers() {
        let mut manifest = pod(&json!({}));
        manifest["metadata"]["managedFields"] = json!([]);
        let refusal = applied(pod(&json!({})), &manifest).expect_err("names managers");
        assert_eq!(refusal, "metadata.managedFields must be nil");
    }

    #[test]
    fn custom_resources_merge_by_their_schema() {
        let item = json!({"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer", "default": 80}}});
        let properties = json!({
            "targets": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["host", "port"],
                "items": item,
            },
            "days": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "plain": {"type": "array", "items": {"type": "string"}},
            "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        });
        let schema = json!({
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": properties}},
        });
        let version = json!({"name": "v1", "schema": {"openAPIV3Schema": schema}});
        let definition = json!({"spec": {"group": "ops.example.com", "versions": [version]}});
        let kind = GroupVersionKind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        let definition = CustomResource::new(&Object::new(kind, definition));
        let existing = json!({
            "metadata": {"finalizers": ["a/a"]},
            "spec": {
                "targets": [{"host": "a", "port": 80, "on": true}],
                "days": ["mon"],
                "plain": ["x"],
                "whole": {"a": "1"},
                "free": {"a": {"b": 1}, "list": [1]},
            },
        });
        let manifest = json!({
            "metadata": {"finalizers": ["a/b"]},
            "spec": {
                "targets": [{"host": "a", "off": false}, {"host": "a", "port": 81}],
                "days": ["tue"],
                "plain": ["y"],
                "whole": {"b": "2"},
                "free": {"a": {"c": 2}, "list": [2]},
            },
        });
        let existing = Object::new(GroupVersionKind::new("ops.example.com", "v1", "Backup"), existing);
        let merged =
            apply(&existing, &manifest, Applier::default(), None, definition.version("v1")).expect("merges");
        assert_eq!(
            merged.value,
            json!({
                "metadata": {"finalizers": ["a/a", "a/b"]},
                "spec": {
                    "targets": [{"host": "a", "port": 80, "on": true, "off": false}, {"host": "a", "port": 81}],
                    "days": ["mon", "tue"],
                    "plain": ["y"],
                    "whole": {"b": "2"},
                    "free": {"a": {"b": 1, "c": 2}, "list": [2]},
                },
            })
        );
    }
}
