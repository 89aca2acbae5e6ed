//! What manifests said of the objects that exist, for the next manifest that says less.

use std::collections::HashMap;
use std::sync::Arc;

use crate::admission::Operation;
use crate::api::{GroupResource, Map, Object};
use crate::evaluation::Place;
use crate::evaluation::target::Target;
use crate::registry::merge::{self, Applied};

type Key = (GroupResource, String, String);

/// The manifests that were applied in a run, by object.
#[derive(Clone, Debug, Default)]
pub(super) struct AppliedManifests(HashMap<Key, Entry>);

#[derive(Clone, Debug)]
struct Entry {
    place: Place,
    others: Map,
    /// Whether the object did not exist before the run.
    is_new: bool,
}

/// A request that was admitted, as far as it matters here.
pub(super) struct Admitted<'a> {
    pub(super) operation: Operation,
    pub(super) target: &'a Target,
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    /// The manifest that was applied; none of an `AdmissionReview`, nor of a subresource.
    pub(super) manifest: Option<&'a Place>,
    /// What others own still, where it was applied to an object.
    pub(super) others: Map,
    /// The stored object before and after.
    pub(super) change: (Option<Arc<Object>>, Option<Arc<Object>>),
}

impl AppliedManifests {
    /// What was applied to an object.
    pub(super) fn of(&self, target: &Target, namespace: &str, name: &str) -> Option<Applied> {
        let entry = self.0.get(&key(target, namespace, name))?;
        let manifest = entry.place.written()?.manifest()?;
        Some(Applied { manifest, others: entry.others.clone() })
    }

    /// Where the manifest is that was applied to an object.
    pub(super) fn place(&self, target: &Target, namespace: &str, name: &str) -> Option<&Place> {
        self.0.get(&key(target, namespace, name)).map(|entry| &entry.place)
    }

    /// Where the manifest is that was applied to an object of `resource`.
    pub(super) fn place_of(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<&Place> {
        let key = (resource.clone(), namespace.to_owned(), name.to_owned());
        self.0.get(&key).map(|entry| &entry.place)
    }

    /// Whether a manifest of the run created an object.
    pub(super) fn created(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        let key = (resource.clone(), namespace.to_owned(), name.to_owned());
        self.0.get(&key).is_some_and(|entry| entry.is_new)
    }

    /// Whether [`take`](Self::take) will look at the object as it was.
    pub(super) fn knows(&self, target: &Target, namespace: &str, name: &str) -> bool {
        self.0.contains_key(&key(target, namespace, name))
    }

    /// Takes down what a request has changed.
    pub(super) fn take(&mut self, admitted: Admitted<'_>) {
        let Admitted { operation, target, namespace, name, manifest, others, change } = admitted;
        let key = key(target, namespace, name);
        match (operation, manifest, change) {
            (Operation::Create | Operation::Update, Some(place), _) => {
                let is_new =
                    operation == Operation::Create || self.0.get(&key).is_some_and(|entry| entry.is_new);
                self.0.insert(key, Entry { place: place.clone(), others, is_new });
            }
            (Operation::Update, None, (Some(old), Some(new))) => {
                if let Some(entry) = self.0.get_mut(&key) {
                    let version = target.strategy.definition().map(|(_, version)| version);
                    entry.others = merge::union(&entry.others, &merge::changes(&old, &new, version));
                }
            }
            (Operation::Create, None, _) | (Operation::Delete, _, (_, None)) => drop(self.0.remove(&key)),
            _ => {}
        }
    }
}

fn key(target: &Target, namespace: &str, name: &str) -> Key {
    (target.group_resource(), namespace.to_owned(), name.to_owned())
}
