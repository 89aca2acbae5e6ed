//! The manifests applied to existing objects, for later manifests with fewer fields.

mod entries;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::admission::Operation;
use crate::cluster::Cluster;
use crate::evaluation::Place;
use crate::evaluation::place::RememberedPlace;
use crate::evaluation::target::Target;
use kube_api::{GroupResource, Map, Object};
use kube_registry::merge::{self, Applied};

use entries::Entries;

/// The manifests that were applied to objects of a cluster in a run, by resource and object.
#[derive(Clone, Debug)]
pub(super) struct AppliedManifests {
    cluster: Arc<Cluster>,
    entries: FxHashMap<GroupResource, Entries>,
}

/// What was applied to an object.
#[derive(Clone, Debug)]
enum Entry {
    /// The manifest that created it. There are many, so it is kept small.
    New(RememberedPlace),
    Changed(Box<Changed>),
}

/// What was applied to an object that others changed, or that existed before.
#[derive(Clone, Debug)]
struct Changed {
    place: RememberedPlace,
    others: Map,
    /// Whether the object did not exist before the run.
    is_new: bool,
}

impl AppliedManifests {
    /// Returns the same manifests for `cluster`, a copy of the cluster that they were applied to.
    pub(super) fn over(&self, cluster: Arc<Cluster>) -> Self {
        Self { cluster, entries: self.entries.clone() }
    }
}

impl Entry {
    fn of(place: RememberedPlace, others: Map, is_new: bool) -> Self {
        if is_new && others.is_empty() {
            Self::New(place)
        } else {
            Self::Changed(Box::new(Changed { place, others, is_new }))
        }
    }

    fn place(&self) -> &RememberedPlace {
        match self {
            Self::New(place) => place,
            Self::Changed(changed) => &changed.place,
        }
    }

    fn others(&self) -> Map {
        match self {
            Self::New(_) => Map::new(),
            Self::Changed(changed) => changed.others.clone(),
        }
    }

    fn is_new(&self) -> bool {
        match self {
            Self::New(_) => true,
            Self::Changed(changed) => changed.is_new,
        }
    }
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
    /// Returns the manifests of a run that begins.
    pub(super) fn new(cluster: Arc<Cluster>) -> Self {
        Self { cluster, entries: FxHashMap::default() }
    }

    fn entry(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Entry> {
        let number = self.cluster.known_number(resource, namespace, name)?;
        self.entries.get(resource)?.get(number)
    }

    /// Returns what was applied to an object.
    pub(super) fn of(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Applied> {
        let entry = self.entry(resource, namespace, name)?;
        let manifest = entry.place().place()?.written()?.manifest()?;
        Some(Applied { manifest, others: entry.others() })
    }

    /// Returns the place of the manifest that was applied to an object.
    pub(super) fn place(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Place> {
        self.entry(resource, namespace, name)?.place().place()
    }

    /// Whether a manifest of the run created an object.
    pub(super) fn created(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        self.entry(resource, namespace, name).is_some_and(|entry| entry.is_new())
    }

    /// Whether [`take`](Self::take) will use the former state of the object.
    pub(super) fn knows(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        self.entry(resource, namespace, name).is_some()
    }

    /// Records the changes of a request.
    pub(super) fn take(&mut self, admitted: Admitted<'_>) {
        let Admitted { operation, target, namespace, name, manifest, others, change } = admitted;
        let resource = target.group_resource();
        let number = self.cluster.number(&resource, namespace, name);
        let entries = self.entries.entry(resource).or_default();
        match (operation, manifest, change) {
            (Operation::Create | Operation::Update, Some(place), _) => {
                let is_new =
                    operation == Operation::Create || entries.get(number).is_some_and(|entry| entry.is_new());
                entries.set(number, Some(Entry::of(RememberedPlace::of(place), others, is_new)));
            }
            (Operation::Update, None, (Some(old), Some(new))) => {
                if let Some(entry) = entries.get(number) {
                    let version = target.strategy.definition().map(|(_, version)| version);
                    let others = merge::union(&entry.others(), &merge::changes(&old, &new, version));
                    let entry = Entry::of(entry.place().clone(), others, entry.is_new());
                    entries.set(number, Some(entry));
                }
            }
            (Operation::Create, None, _) | (Operation::Delete, _, (_, None)) => entries.set(number, None),
            _ => {}
        }
    }
}
