//! The storage kinds of objects whose kind is gone, or of which another group has the storage.

use crate::events::event;
use crate::older_releases::conversion;
use crate::{older_releases, table};
use gotext::change::{Change, in_order};
use kube_api::field::Path;
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value, decode, resource, schema};

/// Kinds that moved to another group: the old group, the kind, and the new group and version.
const MOVED: [(&str, &str, &str, &str); 6] = [
    ("extensions", "DaemonSet", "apps", "v1"),
    ("extensions", "Deployment", "apps", "v1"),
    ("extensions", "Ingress", "networking.k8s.io", "v1"),
    ("extensions", "NetworkPolicy", "networking.k8s.io", "v1"),
    ("extensions", "PodSecurityPolicy", "policy", "v1beta1"),
    ("extensions", "ReplicaSet", "apps", "v1"),
];

/// Returns the kind that objects of a `kind` that is gone or has no storage of its own are stored as, if there is one.
pub fn stored_as(kind: &GroupVersionKind) -> Option<(GroupVersionKind, GroupResource)> {
    if kind.group == event::STRATEGY.group && kind.kind == event::STRATEGY.kind {
        let resource = GroupResource::new("", "events");
        return Some((GroupVersionKind::new("", "v1", event::STRATEGY.kind), resource));
    }
    if table::is_present(kind) || older_releases::has_no_heir(kind) {
        return None;
    }
    let old = table::of(kind)?;
    let moved = MOVED.iter().find(|(group, name, ..)| kind.group == *group && kind.kind == *name);
    let stored = if let Some((_, name, group, version)) = moved {
        GroupVersionKind::new(*group, *version, *name)
    } else {
        let heir = table::all().iter().find(|found| found.group == old.group && found.kind == old.kind)?;
        let version = heir.versions.iter().find(|version| **version == "v1").or(heir.versions.first())?;
        GroupVersionKind::new(old.group, *version, old.kind)
    };
    let resource = resource::name_of(&stored)?;
    let resource = GroupResource { group: stored.group.clone(), resource: resource.into() };
    Some((stored, resource))
}

/// Returns `object` as it is stored, with the resource that it then belongs to; nothing if it is stored as it is.
pub fn to_storage(object: &Object) -> Option<(GroupResource, Object)> {
    let (kind, resource) = stored_as(&object.kind)?;
    Some((resource, conversion::convert(object, &kind)))
}

/// Returns `object` as one of `kind`, a version of the same or the kind that replaces it.
pub fn as_kind(object: &Object, kind: &GroupVersionKind) -> Object {
    conversion::convert(object, kind)
}

/// Returns the part of an object, with the fields of the version that replaces `kind`, that meant something else in `kind`.
pub fn other_meaning(kind: &GroupVersionKind, object: &Value) -> Option<&'static str> {
    let selects_all = || object["spec"]["selector"].as_object().is_some_and(Map::is_empty);
    match (&*kind.group, &*kind.version, &*kind.kind) {
        ("policy", "v1beta1", "PodDisruptionBudget") if selects_all() => {
            Some("the empty selector, which selected no pod and now selects all")
        }
        _ => None,
    }
}

/// Returns the changes that make `written`, the text of an object of the kind `old`, one of `new`: fields that moved. What
/// the text leaves out stays out.
pub fn moved_fields(written: &Value, old: &GroupVersionKind, new: &GroupVersionKind) -> Vec<Change> {
    let mut before = Object::new(old.clone(), written.clone());
    decode::normalize(&mut before);
    let mut after = conversion::convert(&before, new);
    schema::forget(&mut before.value);
    schema::forget(&mut after.value);
    let mut changes = Vec::new();
    if let (Value::Object(old), Value::Object(new)) = (&before.value, &after.value) {
        compare(None, old, new, &mut changes);
    }
    let is_about_fields = |change: &&Change| {
        let path = change.path.to_string();
        path != "apiVersion" && !path.starts_with("status")
    };
    // What the encoder adds to both is not written.
    let mut value = written.clone();
    in_order(&changes).filter(is_about_fields).filter(|change| change.apply(&mut value)).cloned().collect()
}

/// Adds the changes that make `old`, which is at `path`, into `new`.
fn compare(path: Option<&Path>, old: &Map, new: &Map, changes: &mut Vec<Change>) {
    let below = |key: &str| match path {
        Some(path) => path.child(key.to_owned()),
        None => Path::named(key.to_owned()),
    };
    let says_nothing = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    let gone: Vec<_> = old.iter().filter(|(key, _)| !new.contains_key(key)).collect();
    // A conversion creates the maps that it looks into.
    let come: Vec<_> =
        new.iter().filter(|(key, value)| !old.contains_key(key) && !says_nothing(value)).collect();
    let is_renamed =
        |before: &Value, after: &Value| before == after || before.is_object() && after.is_object();
    if let [(from, before)] = &*gone
        && let [(to, after)] =
            &*come.iter().filter(|(_, after)| is_renamed(before, after)).collect::<Vec<_>>()
    {
        changes.push(Change::rename(below(from), to.to_string()));
        compare_values(&below(to), before, after, changes);
        let others = come.iter().filter(|(key, _)| key != to);
        changes.extend(others.map(|(key, value)| Change::set(below(key), (*value).clone())));
    } else {
        changes.extend(come.iter().map(|(key, value)| Change::set(below(key), (*value).clone())));
        changes.extend(gone.iter().map(|(key, _)| Change::remove(below(key))));
    }
    for (key, before) in old {
        if let Some(after) = new.get(key) {
            compare_values(&below(key), before, after, changes);
        }
    }
}

fn compare_values(path: &Path, before: &Value, after: &Value, changes: &mut Vec<Change>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => compare(Some(path), old, new, changes),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                compare_values(&path.index(index), old, new, changes);
            }
        }
        _ if before == after => {}
        _ => changes.push(Change::set(path.clone(), after.clone())),
    }
}

/// Returns a stored object as one of `kind`, if that is gone or has no storage of its own.
pub fn from_storage(object: &Object, kind: &GroupVersionKind) -> Option<Object> {
    let (stored, _) = stored_as(kind)?;
    (object.kind == stored).then(|| conversion::convert(object, kind))
}
