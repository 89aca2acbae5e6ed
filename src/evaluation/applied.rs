//! The manifests applied to existing objects, for later manifests with fewer fields.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::admission::Operation;
use crate::api::{GroupResource, Map, Object};
use crate::evaluation::Place;
use crate::evaluation::place::RememberedPlace;
use crate::evaluation::target::Target;
use crate::registry::merge::{self, Applied};
use crate::value::Text;

/// The manifests that were applied in a run, by resource, namespace and name of their object.
#[derive(Clone, Debug, Default)]
pub(super) struct AppliedManifests(FxHashMap<GroupResource, FxHashMap<Text, FxHashMap<Text, Entry>>>);

#[derive(Clone, Debug)]
struct Entry {
    place: RememberedPlace,
    others: Map,
    /// Whether the object did not exist before the run.
    is_new: bool,
}

/// The relevant parts of an admitted request.
pub(super) struct Admitted<'a> {
    pub(super) operation: Operation,
    pub(super) target: &'a Target,
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    /// The manifest that was applied; none for an `AdmissionReview` or a subresource.
    pub(super) manifest: Option<&'a Place>,
    /// The fields that other managers still own, if it was applied to an object.
    pub(super) others: Map,
    /// The stored object before and after.
    pub(super) change: (Option<Arc<Object>>, Option<Arc<Object>>),
}

impl AppliedManifests {
    fn entry(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<&Entry> {
        self.0.get(resource)?.get(namespace)?.get(name)
    }

    /// Returns what was applied to an object.
    pub(super) fn of(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Applied> {
        let entry = self.entry(resource, namespace, name)?;
        let manifest = entry.place.place()?.written()?.manifest()?;
        Some(Applied { manifest, others: entry.others.clone() })
    }

    /// Returns the place of the manifest that was applied to an object.
    pub(super) fn place(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Place> {
        self.entry(resource, namespace, name)?.place.place()
    }

    /// Whether a manifest of the run created an object.
    pub(super) fn created(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        self.entry(resource, namespace, name).is_some_and(|entry| entry.is_new)
    }

    /// Whether [`take`](Self::take) will use the former state of the object.
    pub(super) fn knows(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        self.entry(resource, namespace, name).is_some()
    }

    /// Records the changes of a request.
    pub(super) fn take(&mut self, admitted: Admitted<'_>) {
        let Admitted { operation, target, namespace, name, manifest, others, change } = admitted;
        let manifests = self.0.entry(target.group_resource()).or_default();
        let manifests = manifests.entry(namespace.into()).or_default();
        match (operation, manifest, change) {
            (Operation::Create | Operation::Update, Some(place), _) => {
                let is_new =
                    operation == Operation::Create || manifests.get(name).is_some_and(|entry| entry.is_new);
                let entry = Entry { place: RememberedPlace::of(place), others, is_new };
                manifests.insert(name.into(), entry);
            }
            (Operation::Update, None, (Some(old), Some(new))) => {
                if let Some(entry) = manifests.get_mut(name) {
                    let version = target.strategy.definition().map(|(_, version)| version);
                    entry.others = merge::union(&entry.others, &merge::changes(&old, &new, version));
                }
            }
            (Operation::Create, None, _) | (Operation::Delete, _, (_, None)) => drop(manifests.remove(name)),
            _ => {}
        }
    }
}
