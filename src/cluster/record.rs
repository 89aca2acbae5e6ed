//! The record of changes, which are undone for the next document or the next keystroke.

use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use crate::cluster::stored::Stored;
use crate::cluster::{Cluster, ObjectKey};

/// The state that undoes a change.
#[derive(Debug)]
pub(super) enum Before {
    Object { key: ObjectKey, stored: Option<Stored> },
    Count { key: ObjectKey, count: u64 },
}

/// A state of a cluster whose changes are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(usize);

impl Cluster {
    /// Records the former state of changed objects from now on, until [`undo`](Self::undo).
    pub fn record(&self) {
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Restores the state at the call of [`record`](Self::record).
    pub fn undo(&self) {
        let changes = self.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.undo_all(changes.unwrap_or_default());
    }

    /// Returns the objects that were changed since the record began or this was called last, in the order of their first
    /// change. The record continues.
    pub fn take_changed(&self) -> Vec<ObjectKey> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = before.as_mut().map(std::mem::take).unwrap_or_default();
        let mut seen = FxHashSet::default();
        let keys = changes.into_iter().map(|(Before::Object { key, .. } | Before::Count { key, .. })| key);
        keys.filter(|key| seen.insert(key.clone())).collect()
    }

    /// Returns the current state for [`undo_to`](Self::undo_to), while changes are recorded.
    pub fn mark(&self) -> Mark {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        Mark(before.as_ref().map_or(0, Vec::len))
    }

    /// Restores the state `mark` of the same record, which continues.
    pub fn undo_to(&self, mark: Mark) {
        let mut kept = self.before.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        let changes = kept.split_off(mark.0.min(kept.len()));
        self.undo_all(changes);
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }

    fn undo_all(&self, changes: Vec<Before>) {
        for change in changes.into_iter().rev() {
            match change {
                Before::Object { key: (resource, ..), stored: Some(stored) } => {
                    self.write(|state| state.put(&resource, stored));
                }
                Before::Object { key: (resource, namespace, name), stored: None } => {
                    self.write(|state| {
                        let forgets_names = state.forgets_names;
                        let collection = state.collection_mut(&resource);
                        if forgets_names {
                            collection.remove_name(&resource, &namespace, &name);
                        } else {
                            collection.forget(&resource, &namespace, &name);
                        }
                    });
                }
                Before::Count { key: (resource, namespace, name), count } => {
                    self.set_count(&resource, &namespace, &name, count);
                }
            }
        }
    }

    pub(super) fn is_recording(&self) -> bool {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn note(&self, change: Before) {
        if let Some(changes) = &mut *self.before.lock().unwrap_or_else(PoisonError::into_inner) {
            changes.push(change);
        }
    }
}
