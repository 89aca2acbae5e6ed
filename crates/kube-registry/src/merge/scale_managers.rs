//! The owners of a number of replicas, as the `scale` subresource shows and changes them.
//!
//! Source: `k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go`

use gotext::value::json;

use crate::merge::field_set::{difference, is_member};
use crate::merge::managed_fields::{self, PATH, Write};
use kube_api::{Map, Object, Value};

/// The field that a scale sets.
const REPLICAS: [&str; 2] = ["spec", "replicas"];

/// Returns the entries of the managers that own the field `replicas` of `parent`, as those of its scale.
pub fn managers_of_scale(parent: &Object, replicas: &[&str]) -> Value {
    let owners = entries(parent).filter(|entry| owns(entry, replicas));
    let of_scale = owners.map(|entry| {
        let mut entry = entry.clone();
        entry["apiVersion"] = "autoscaling/v1".into();
        entry["fieldsV1"] = Value::Object(set_of(&REPLICAS));
        entry
    });
    of_scale.collect::<Vec<_>>().into()
}

/// Returns `metadata.managedFields` of `parent`, whose field `replicas` a request set by changing the scale `old` to
/// `new`.
pub fn managers_after_scale(
    write: &Write<'_>,
    (parent, replicas): (&Object, &[&str]),
    old: &Object,
    new: &Object,
) -> Value {
    let mut old = old.clone();
    old.set(PATH, managers_of_scale(parent, replicas));
    let scaled = managed_fields::after(&Write { version: None, ..*write }, Some(&old), new);
    let mut scaled: Vec<Value> = scaled.as_array().cloned().unwrap_or_default();
    let mut merged = Vec::new();
    for entry in entries(parent) {
        if !owns(entry, replicas) {
            merged.push(entry.clone());
        } else if let Some(position) = scaled.iter().position(|other| is_of_same(other, entry)) {
            scaled.remove(position);
            merged.push(entry.clone());
        } else if let Some(fields) = entry.get("fieldsV1").and_then(Value::as_object) {
            let left = difference(fields, &set_of(replicas));
            if !left.is_empty() {
                let mut entry = entry.clone();
                entry["fieldsV1"] = Value::Object(left);
                merged.push(entry);
            }
        }
    }
    for mut entry in scaled.into_iter().filter(|entry| owns(entry, &REPLICAS)) {
        // A manager keeps the time of its entry in the parent, and a new one has none.
        let time =
            entries(parent).find(|other| is_of_same(other, &entry)).and_then(|other| other.get("time"));
        let time = time.cloned();
        merged.retain(|other| !is_of_same(other, &entry));
        if let Some(written) = entry.as_object_mut() {
            written.remove("time");
        }
        if let Some(time) = time {
            entry["time"] = time;
        }
        entry["apiVersion"] = parent.kind.api_version().into();
        entry["fieldsV1"] = Value::Object(set_of(replicas));
        merged.push(entry);
    }
    managed_fields::sort(&mut merged);
    merged.into()
}

/// Returns the entries in the versions of the group of `parent`.
fn entries(parent: &Object) -> impl Iterator<Item = &Value> {
    let group = parent.kind.group.as_ref();
    parent.list(PATH).iter().filter(move |entry| {
        let (own, _) = entry.text("apiVersion").rsplit_once('/').unwrap_or_default();
        own == group
    })
}

/// Whether an entry has the field at `path`.
fn owns(entry: &Value, path: &[&str]) -> bool {
    let fields = entry.get("fieldsV1").and_then(Value::as_object);
    let found = path.iter().try_fold(fields, |set, step| {
        set.map(|set| set.get(&format!("f:{step}")).and_then(Value::as_object))
    });
    found.flatten().is_some_and(is_member)
}

/// Returns the set with the field at `path`.
fn set_of(path: &[&str]) -> Map {
    let around = |inner: Value, step: &&str| json!({(format!("f:{step}")): inner});
    let set = path.iter().rev().fold(json!({}), around);
    set.as_object().cloned().unwrap_or_default()
}

/// Whether entries are of one manager, which has one for each version that it updates.
///
/// Source: `BuildManagerIdentifier`
fn is_of_same(left: &Value, right: &Value) -> bool {
    let is_same = |field: &str| left.text(field) == right.text(field);
    let is_apply = left.text("operation") == "Apply";
    ["manager", "operation", "subresource"].into_iter().all(is_same) && (is_apply || is_same("apiVersion"))
}
