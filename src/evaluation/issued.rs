//! The values that a server issues to the objects that it stores: uids, times, generations, and the owners of fields.
//! Evaluations of manifests leave them out, as they differ from cluster to cluster and decide nothing.
//!
//! Source: `rest.BeforeCreate` and `rest.BeforeUpdate` of `k8s.io/apiserver/pkg/registry/rest`

use std::sync::Arc;

use kube_api::{Map, Object, Value, name_generator};
use kube_registry::custom_resource::Version;
use kube_registry::has_generation;
use kube_registry::merge;
use kube_registry::merge::managed_fields::{self, Write};

const UID: [&str; 2] = ["metadata", "uid"];
const CREATED: [&str; 2] = ["metadata", "creationTimestamp"];
const GENERATION: [&str; 2] = ["metadata", "generation"];
const MANAGERS: [&str; 2] = ["metadata", "managedFields"];

/// The sender of a request, as the owner of fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    /// The field manager.
    pub(super) manager: String,
    /// The manifest of a server-side apply.
    pub(super) applied: Option<Arc<Value>>,
    /// Whether it resets the managers of the object.
    pub(super) resets: bool,
}

/// The metadata that count as the specification does if a request changes them, by group and kind.
///
/// Source: `PrepareForUpdate` of the strategies
const COUNTED: [(&str, &str, &str); 2] =
    [("apps", "Deployment", "annotations"), ("discovery.k8s.io", "EndpointSlice", "labels")];

/// Fills in the identity of an object that exists without a request for it, if it has none.
pub(crate) fn issue_identity(object: &mut Object, seed: u64, now: &str) {
    object.insert_default(UID, name_generator::generate_uid(seed));
    object.insert_default(CREATED, now);
    if has_generation(&object.kind) {
        object.insert_default(GENERATION, 1);
    }
}

/// Counts a change of `object` that no request made: its generation, if the specification changed.
#[cfg(feature = "serve")]
pub(crate) fn issue_change(object: &mut Object, old: &Object) {
    for path in [UID, CREATED] {
        if let Some(value) = old.at(path) {
            object.insert_default(path, value.clone());
        }
    }
    count(object, old, false);
}

/// A request that stores an object.
pub(super) struct Storing<'a> {
    pub(super) writer: &'a Writer,
    pub(super) sub_resource: &'a str,
    /// The version of a custom resource.
    pub(super) version: Option<&'a Version>,
    /// The number of the request.
    pub(super) ordinal: u64,
    /// The object as plugins found it.
    pub(super) received: &'a Object,
    pub(super) now: &'a str,
    /// The scale before the request, and the path of the field that it sets, if the request is for one.
    pub(super) scale: Option<(&'a Object, Vec<&'a str>)>,
}

/// Issues what `object` gets when it is stored, new or in place of `old`.
pub(super) fn issue(object: &mut Object, old: Option<&Object>, storing: &Storing<'_>) {
    if let Some(old) = old {
        let is_counted = storing.sub_resource.is_empty() && is_metadata_changed(object, old);
        count(object, old, is_counted);
    } else {
        // The server overwrites an identity that a plugin wrote.
        for path in [UID, CREATED] {
            if object.at(path) != storing.received.at(path) {
                object.remove(path);
            }
        }
        issue_identity(object, storing.ordinal, storing.now);
    }
    issue_owners(object, old, storing);
}

/// Issues the owners of the fields of an object, also of one that is only answered.
pub(super) fn issue_owners(object: &mut Object, old: Option<&Object>, storing: &Storing<'_>) {
    let Writer { manager, applied, resets } = storing.writer;
    let write = Write {
        manager,
        applied: applied.as_deref(),
        sub_resource: storing.sub_resource,
        time: storing.now,
        version: storing.version,
        resets: *resets,
    };
    let managers = match (&storing.scale, old) {
        (Some((scale, replicas)), Some(old)) => {
            merge::managers_after_scale(&write, (old, replicas.as_slice()), scale, storing.received)
        }
        _ => managed_fields::after(&write, old, storing.received),
    };
    object.set(MANAGERS, managers);
    if object.list(MANAGERS).is_empty() {
        object.remove(MANAGERS);
    }
}

/// Sets the generation of `object`, which replaces `old`: a new one if `is_counted`, or if the specification differs.
fn count(object: &mut Object, old: &Object, is_counted: bool) {
    if !has_generation(&object.kind) {
        return;
    }
    let before = old.int(GENERATION);
    let is_leaving =
        !old.has(["metadata", "deletionTimestamp"]) && object.has(["metadata", "deletionTimestamp"]);
    let is_counted = is_counted || is_leaving || is_changed(object, old);
    object.set(GENERATION, before + i64::from(is_counted));
}

/// Whether metadata differ that a kind counts as well.
fn is_metadata_changed(object: &Object, old: &Object) -> bool {
    let is_of =
        |(group, kind, _): &&(&str, &str, &str)| object.kind.group == *group && *object.kind.kind == **kind;
    let name = COUNTED.iter().find(is_of).map(|(_, _, name)| ["metadata", *name]);
    name.is_some_and(|path| object.at(path) != old.at(path))
}

/// Whether anything but metadata and status differs.
fn is_changed(object: &Object, old: &Object) -> bool {
    const REST: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];
    let empty = Map::new();
    let (new, old) = (object.value.as_object().unwrap_or(&empty), old.value.as_object().unwrap_or(&empty));
    let fields = |map: &Map| {
        let fields = map.iter().filter(|(name, _)| !REST.contains(&name.as_str()));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    fields(new) != fields(old)
}
