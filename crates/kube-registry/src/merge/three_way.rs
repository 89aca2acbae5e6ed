//! Client-side apply (`kubectl apply` without `--server-side`): the manifest wins, fields of an earlier manifest that
//! this one does not have are removed, and everything else stays.
//!
//! The patch that `kubectl` sends is not built: it would be computed from the object that is then patched, so both
//! steps are one here. Built-in kinds merge by the strategies of a strategic merge patch, custom resources as JSON.
//!
//! Source: `k8s.io/apimachinery/pkg/util/strategicpatch`, `k8s.io/apimachinery/pkg/util/jsonmergepatch`.

use gotext::encoding_json;
use kube_api::schema::{self, Field, Shape, Type};
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupVersionKind, Map, Object, Value};

/// Returns the manifest that `kubectl apply` left in an object.
pub fn last_applied(object: &Object) -> Option<Value> {
    let text = object.annotation(LAST_APPLIED)?;
    encoding_json::from_slice(text.as_bytes()).ok().filter(Value::is_object)
}

/// Brings the record of a client-side apply in `merged` up to date with the `manifest` that `kubectl` applied on the
/// server, if there is such a record.
///
/// Source: `lastAppliedUpdater`
pub fn sync_last_applied(merged: &mut Value, manifest: &Value) {
    let Some(record) = merged.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations")) else {
        return;
    };
    if record.get(LAST_APPLIED).is_none() {
        return;
    }
    let mut manifest = manifest.clone();
    if let Some(annotations) = manifest
        .get_mut("metadata")
        .and_then(|metadata| metadata.get_mut("annotations"))
        .and_then(Value::as_object_mut)
    {
        annotations.remove(LAST_APPLIED);
    }
    record[LAST_APPLIED] = Value::from(encoding_json::to_string(&manifest) + "\n");
}

/// Returns `existing` after `manifest` is applied to it. `original` is the manifest that was applied before.
pub fn three_way(existing: &Object, manifest: &Value, original: Option<&Value>, is_custom: bool) -> Value {
    let Some(manifest) = manifest.as_object() else { return manifest.clone() };
    let mut manifest = manifest.clone();
    annotate(&mut manifest, existing);
    let mut original = original.and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(Value::Object(metadata)) = original.get_mut("metadata")
        && let Some(Value::Object(annotations)) = metadata.get_mut("annotations")
    {
        annotations.remove(LAST_APPLIED);
    }
    let mut current = existing.value.clone();
    // A manifest may have fields that the type lacks, such as directives of a patch.
    schema::forget(&mut current);
    let current = current.as_object().cloned().unwrap_or_default();
    let part = if is_custom { Part::Json } else { Part::of(&existing.kind) };
    Value::Object(part.merge_maps(&original, &manifest, current, false))
}

/// Gives `manifest` the annotations that `kubectl` always sends, so that those of others stay, and its record if
/// `existing` has one.
fn annotate(manifest: &mut Map, existing: &Object) {
    let is_annotated = existing.has(["metadata", "annotations"]);
    let Some(Value::Object(metadata)) = manifest.get_mut("metadata") else { return };
    match metadata.get_mut("annotations") {
        Some(Value::Object(annotations)) => drop(annotations.remove(LAST_APPLIED)),
        _ if is_annotated => drop(metadata.insert("annotations", Value::from(Map::new()))),
        _ => return,
    }
    if existing.annotation(LAST_APPLIED).is_none() {
        return;
    }
    let record = Value::from(record(manifest, existing.namespace()));
    if let Some(annotations) =
        manifest.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"))
        && let Some(annotations) = annotations.as_object_mut()
    {
        annotations.insert(LAST_APPLIED, record);
    }
}

/// Returns the text by which `kubectl` records `manifest` in the object.
///
/// Source: `k8s.io/kubectl/pkg/util/apply.go`, `GetModifiedConfiguration`.
fn record(manifest: &Map, namespace: &str) -> String {
    let mut manifest = Value::from(manifest.clone());
    if !namespace.is_empty() {
        manifest["metadata"]["namespace"] = namespace.into();
    }
    encoding_json::to_string(&manifest) + "\n"
}

/// Returns the text by which `kubectl` records `manifest` in an object that it creates.
pub fn record_created(manifest: &Map, namespace: &str) -> String {
    let mut manifest = manifest.clone();
    if let Some(Value::Object(metadata)) = manifest.get_mut("metadata") {
        match metadata.get_mut("annotations") {
            Some(Value::Object(annotations)) => drop(annotations.remove(LAST_APPLIED)),
            _ => drop(metadata.insert("annotations", Value::from(Map::new()))),
        }
    }
    record(&manifest, namespace)
}

/// The type of a value, as far as patching needs it.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A type of the field tables.
    Typed(&'static Type),
    /// A value of any type in a strategic merge patch.
    Unknown,
    /// A value in a JSON merge patch.
    Json,
}

/// The way that a list is patched.
pub(super) enum Items {
    Replaced,
    Merged,
    MergedBy(&'static str),
}

impl Part {
    pub(super) fn of(kind: &GroupVersionKind) -> Self {
        schema::of(kind).map_or(Self::Unknown, Self::Typed)
    }

    fn known(self, name: &str) -> Option<&'static Field> {
        match self {
            Self::Typed(kind) => kind.field(name),
            Self::Unknown | Self::Json => None,
        }
    }

    pub(super) fn field(self, name: &str) -> Self {
        match self {
            Self::Typed(Type { shape: Shape::Map { value, .. }, .. }) => Self::Typed(value.get()),
            Self::Typed(_) => {
                self.known(name).map_or(Self::Unknown, |field| Self::Typed(field.reference.get()))
            }
            Self::Unknown | Self::Json => self,
        }
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Typed(Type { shape: Shape::List(item), .. }) => Self::Typed(item.get()),
            Self::Typed(_) | Self::Unknown => Self::Unknown,
            Self::Json => Self::Json,
        }
    }

    pub(super) fn strategies(self, name: &str) -> impl Iterator<Item = &'static str> {
        self.known(name).and_then(|field| field.patch).into_iter().flat_map(|(names, _)| names.split(','))
    }

    pub(super) fn items(self, name: &str) -> Items {
        let patch = self.known(name).and_then(|field| field.patch);
        match patch {
            Some((_, key)) if self.strategies(name).any(|strategy| strategy == "merge") => {
                key.map_or(Items::Merged, Items::MergedBy)
            }
            _ => Items::Replaced,
        }
    }

    /// Merges maps; `keeps_only` removes fields that the manifest does not have.
    fn merge_maps(self, original: &Map, manifest: &Map, current: Map, keeps_only: bool) -> Map {
        let mut merged = current;
        if keeps_only {
            merged.retain(|name, _| manifest.contains_key(name.as_str()));
        }
        merged
            .retain(|name, _| manifest.contains_key(name.as_str()) || !original.contains_key(name.as_str()));
        for (name, value) in manifest {
            let before = original.get(name);
            match self.merge(name, before, value, merged.remove(name.as_str())) {
                Some(value) => drop(merged.insert(name.clone(), value)),
                None => drop(merged.remove(name.as_str())),
            }
        }
        merged
    }

    /// Merges the field `name`; nothing if it is removed.
    fn merge(
        self,
        name: &str,
        original: Option<&Value>,
        manifest: &Value,
        current: Option<Value>,
    ) -> Option<Value> {
        let empty = Map::new();
        match (manifest, current) {
            (Value::Null, current) => match self {
                // A null is not a change of a JSON merge patch, and removes fields of an earlier manifest.
                Self::Json => current.filter(|_| original.is_none_or(Value::is_null)),
                Self::Typed(_) | Self::Unknown => None,
            },
            (Value::Object(manifest), Some(Value::Object(current))) => {
                let mut strategies = self.strategies(name);
                if strategies.any(|strategy| strategy == "replace") {
                    return Some(without_nulls(&Value::Object(manifest.clone())));
                }
                let keeps_only = self.strategies(name).any(|strategy| strategy == "retainKeys");
                let original = original.and_then(Value::as_object).unwrap_or(&empty);
                Some(Value::Object(self.field(name).merge_maps(original, manifest, current, keeps_only)))
            }
            (Value::Array(manifest), Some(Value::Array(current))) => {
                let original = original.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let list = self.field(name);
                Some(Value::from(match self.items(name) {
                    Items::Replaced => manifest.to_vec(),
                    Items::Merged => united(original, manifest, &current),
                    Items::MergedBy(key) => {
                        let keeps_only = self.strategies(name).any(|strategy| strategy == "retainKeys");
                        list.item().merge_items(key, keeps_only, original, manifest, &current)
                    }
                }))
            }
            (value, _) => Some(without_nulls(value)),
        }
    }

    /// Returns the items of a list that are distinguished by `key`.
    fn merge_items(
        self,
        key: &str,
        keeps_only: bool,
        original: &[Value],
        manifest: &[Value],
        current: &[Value],
    ) -> Vec<Value> {
        let all = original.iter().chain(manifest).chain(current);
        if !all.clone().all(|item| item.get(key).is_some()) {
            return manifest.to_vec();
        }
        let empty = Map::new();
        let position = |items: &[Value], wanted: &Value, nth: usize| {
            let mut found = items.iter().enumerate().filter(|(_, item)| item.get(key) == wanted.get(key));
            found.nth(nth).map(|(position, _)| position)
        };
        let nth = |items: &[Value], index: usize| {
            let wanted = items.get(index).and_then(|item| item.get(key));
            items.iter().take(index).filter(|item| item.get(key) == wanted).count()
        };
        // The positions of the object's items: a key may occur more than once, and then the order distinguishes them.
        let mut merged = Vec::with_capacity(manifest.len());
        for (index, item) in manifest.iter().enumerate() {
            let turn = nth(manifest, index);
            let existing = position(current, item, turn);
            let before = position(original, item, turn).and_then(|position| original[position].as_object());
            let value = match (item, existing.and_then(|position| current[position].as_object())) {
                (Value::Object(item), Some(existing)) => Value::Object(self.merge_maps(
                    before.unwrap_or(&empty),
                    item,
                    existing.clone(),
                    keeps_only,
                )),
                (item, _) => without_nulls(item),
            };
            merged.push((existing, value));
        }
        let is_kept = |item: &Value, turn: usize| {
            position(manifest, item, turn).is_none() && position(original, item, turn).is_none()
        };
        let kept = current.iter().enumerate().filter(|(index, item)| is_kept(item, nth(current, *index)));
        interleaved(kept.map(|(index, item)| (index, item.clone())).collect(), merged)
    }
}

/// Returns the items of a list of scalars that is a set.
fn united(original: &[Value], manifest: &[Value], current: &[Value]) -> Vec<Value> {
    let position = |item: &Value| current.iter().position(|known| known == item);
    let merged = manifest.iter().map(|item| (position(item), item.clone())).collect();
    let kept =
        current.iter().enumerate().filter(|(_, item)| !manifest.contains(item) && !original.contains(item));
    interleaved(kept.map(|(index, item)| (index, item.clone())).collect(), merged)
}

/// Returns the items of the manifest in its order, and before each of them the items of the object alone that preceded
/// it there.
///
/// Source: `mergeSortedSlice`
pub(super) fn interleaved(kept: Vec<(usize, Value)>, merged: Vec<(Option<usize>, Value)>) -> Vec<Value> {
    let mut list = Vec::with_capacity(kept.len() + merged.len());
    let mut kept = kept.into_iter().peekable();
    for (position, item) in merged {
        while let Some((_, value)) = kept.next_if(|(index, _)| position.is_some_and(|at| *index < at)) {
            list.push(value);
        }
        list.push(item);
    }
    list.extend(kept.map(|(_, item)| item));
    list
}

/// Returns `value` as a patch adds it.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let given = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::from(items.iter().map(without_nulls).collect::<Vec<_>>()),
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    fn deployment(spec: &Value) -> Value {
        let metadata = json!({"name": "web", "namespace": "shop"});
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    }

    fn spec(existing: &Value, original: &Value, manifest: &Value) -> Value {
        let existing = Object::new(GroupVersionKind::new("apps", "v1", "Deployment"), deployment(existing));
        let merged = three_way(&existing, &deployment(manifest), Some(&deployment(original)), false);
        merged["spec"].clone()
    }

    #[test]
    fn annotations_of_others_stay_and_the_record_changes() {
        let kind = GroupVersionKind::new("", "v1", "ConfigMap");
        let settings = |metadata: Value| {
            let mut settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
            settings["metadata"]["name"] = "settings".into();
            settings
        };
        let record = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"settings\",\
                      \"namespace\":\"shop\"}}\n";
        let annotations =
            json!({"others": "stay", LAST_APPLIED: "{\"metadata\":{\"annotations\":{\"own\":\"x\"}}}"});
        let existing = settings(json!({"namespace": "shop", "annotations": annotations}));
        let existing = Object::new(kind, existing);
        let original = last_applied(&existing);
        let merged = three_way(&existing, &settings(json!({})), original.as_ref(), false);
        assert_eq!(merged["metadata"]["annotations"], json!({"others": "stay", LAST_APPLIED: record}));
    }

    #[test]
    fn a_field_that_the_type_lacks_stays_for_the_decoder() {
        let kind = GroupVersionKind::new("apps", "v1", "Deployment");
        let mut existing = Object::new(kind, deployment(&json!({"replicas": 3})));
        schema::know(schema::of(&existing.kind).expect("a kind of the tables"), &mut existing.value);
        let mut manifest = deployment(&json!({"replicas": 3}));
        manifest["$patch"] = "delete".into();
        let merged = three_way(&existing, &manifest, None, false);
        assert_eq!(merged, manifest);
    }

    #[test]
    fn fields_of_an_earlier_manifest_go_and_the_rest_stays() {
        let existing = json!({"replicas": 3, "paused": true, "minReadySeconds": 5});
        assert_eq!(
            spec(&existing, &json!({"replicas": 2, "paused": true}), &json!({"replicas": 2})),
            json!({"replicas": 2, "minReadySeconds": 5})
        );
        assert_eq!(
            spec(&existing, &json!({}), &json!({"paused": null})),
            json!({"replicas": 3, "minReadySeconds": 5})
        );
    }

    #[test]
    fn items_with_keys_merge_by_them() {
        let containers = |list: Value| json!({"template": {"spec": {"containers": list}}});
        let existing = containers(json!([
            {"name": "sidecar", "image": "s"},
            {"name": "web", "image": "1", "tty": true, "env": [{"name": "A", "value": "a"}, {"name": "B", "value": "b"}]},
            {"name": "old", "image": "o"},
        ]));
        let original = containers(json!([
            {"name": "web", "image": "1", "env": [{"name": "A", "value": "a"}]},
            {"name": "old"},
        ]));
        let manifest = containers(json!([{"name": "new", "image": "n"}, {"name": "web", "image": "2"}]));
        assert_eq!(
            spec(&existing, &original, &manifest),
            containers(json!([
                {"name": "new", "image": "n"},
                {"name": "sidecar", "image": "s"},
                {"name": "web", "image": "2", "tty": true},
            ]))
        );
    }

    #[test]
    fn a_strategy_keeps_only_what_it_says() {
        let existing = json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}});
        let manifest = json!({"strategy": {"type": "Recreate"}});
        assert_eq!(spec(&existing, &json!({}), &manifest), manifest);
    }

    #[test]
    fn custom_resources_merge_as_json() {
        let kind = GroupVersionKind::new("example.com", "v1", "Backup");
        let existing = Object::new(kind, json!({"spec": {"a": 1, "b": [1, 2], "c": {"d": 1, "e": 2}}}));
        let original = json!({"spec": {"a": 1, "c": {"d": 1}}});
        let merged = three_way(&existing, &json!({"spec": {"b": [3], "c": {}}}), Some(&original), true);
        assert_eq!(merged, json!({"spec": {"b": [3], "c": {"e": 2}}}));
    }
}
