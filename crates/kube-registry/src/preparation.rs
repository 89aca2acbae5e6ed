//! What the preparation of several kinds for an update has in common: which parts of the stored object stay.

use crate::strategy::Context;
use kube_api::Map;
use kube_api::tree::{child_mut, child_or_insert, copy};

/// Restores the named fields of the metadata.
pub(super) fn copy_metadata(map: &mut Map, old: &Map, fields: &[&'static str]) {
    let empty = Map::new();
    let old = old.child("metadata").unwrap_or(&empty);
    let metadata = child_or_insert(map, "metadata");
    for field in fields {
        copy(metadata, old, field);
    }
}

/// Restores the metadata except the managed fields.
pub(super) fn copy_all_metadata(map: &mut Map, old: &Map) {
    let managed_fields = child_mut(map, "metadata").and_then(|metadata| metadata.remove("managedFields"));
    copy(map, old, "metadata");
    let metadata = child_or_insert(map, "metadata");
    metadata.remove("managedFields");
    metadata.extend(managed_fields.map(|fields| ("managedFields".to_owned(), fields)));
}

/// Prepares an update through `status` that may change metadata too.
pub(super) fn keep_spec(map: &mut Map, old: &Map, _: &Context<'_>) {
    copy(map, old, "spec");
}

/// Prepares an update through `status` that changes the status alone.
pub(super) fn keep_spec_and_metadata(map: &mut Map, old: &Map, _: &Context<'_>) {
    copy(map, old, "spec");
    reset_metadata_for_status(map, old);
}

/// Source: `metav1.ResetObjectMetaForStatus`
pub(super) fn reset_metadata_for_status(map: &mut Map, old: &Map) {
    const KEPT: [&str; 6] =
        ["deletionTimestamp", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"];
    copy_metadata(map, old, &KEPT);
}

/// Restores what updates cannot change: the time of creation, the marks of deletion, and the uid, unless one is given.
pub(super) fn keep_metadata(map: &mut Map, old: &Map) {
    let Some(old) = old.child("metadata") else { return };
    let metadata = child_or_insert(map, "metadata");
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if old.has(field) {
            copy(metadata, old, field);
        }
    }
    for field in ["uid", "deletionGracePeriodSeconds"] {
        if old.has(field) && !metadata.has(field) {
            copy(metadata, old, field);
        }
    }
}
