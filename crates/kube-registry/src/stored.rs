//! The storage kinds of objects whose kind is gone.

use crate::older_releases::conversion;
use crate::table;
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value, resource};

/// Kinds that moved to another group: the old group, the kind, and the new group and version.
const MOVED: [(&str, &str, &str, &str); 6] = [
    ("extensions", "DaemonSet", "apps", "v1"),
    ("extensions", "Deployment", "apps", "v1"),
    ("extensions", "Ingress", "networking.k8s.io", "v1"),
    ("extensions", "NetworkPolicy", "networking.k8s.io", "v1"),
    ("extensions", "PodSecurityPolicy", "policy", "v1beta1"),
    ("extensions", "ReplicaSet", "apps", "v1"),
];

/// Returns the kind that objects of a `kind` that is gone are stored as, if there is one.
pub fn stored_as(kind: &GroupVersionKind) -> Option<(GroupVersionKind, GroupResource)> {
    if table::is_present(kind) {
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

/// Returns a stored object as one of `kind`, if that is gone.
pub fn from_storage(object: &Object, kind: &GroupVersionKind) -> Option<Object> {
    let (stored, _) = stored_as(kind)?;
    (object.kind == stored).then(|| conversion::convert(object, kind))
}
