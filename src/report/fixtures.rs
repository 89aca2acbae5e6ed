//! The places of the objects of the cluster.

mod places;

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use crate::admission::Evidence;
use crate::evaluation::{Outcome, Place, RememberedPlace};
use crate::plugin;
use kube_api::{GroupResource, Object, Value};

use places::Places;

/// The places of the objects that the user gave, and of those created in the run.
#[derive(Debug, Default)]
pub struct Fixtures {
    places: RwLock<Places>,
    /// File and line of the objects that were looked up before the results were stored.
    learned: RwLock<BTreeMap<(ObjectName, String), (String, usize)>>,
}

/// Resource, namespace and name.
type ObjectName = (GroupResource, String, String);

impl Fixtures {
    /// Returns a copy of the places, which later changes do not affect.
    #[must_use]
    pub fn copy(&self) -> Self {
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        Self { places: RwLock::new(places.clone()), learned: RwLock::new(learned.clone()) }
    }

    /// Records that `object` was written at `place`.
    pub fn insert(&self, resource: &GroupResource, object: &Object, place: Place) {
        let place = RememberedPlace::Whole(Box::new(place));
        self.write().set(resource, object.namespace(), object.name(), place);
    }

    /// Records the first place of an admitted request's object, if it is of a kind that plugins cite as evidence.
    pub fn remember(&self, outcome: &Outcome) {
        let resource = outcome.resource.group_resource();
        if let (Some(object), Some(place), true) =
            (&outcome.object, &outcome.place, plugin::looks_up(&resource))
        {
            let (namespace, name) = (object.namespace(), object.name());
            let mut places = self.write();
            if places.get(&resource, namespace, name).is_none() {
                let place = match place.field() {
                    Some(_) => RememberedPlace::Whole(Box::new(place.clone())),
                    None => RememberedPlace::of(place),
                };
                places.set(&resource, namespace, name, place);
            }
        }
    }

    /// Returns the place of `object`, if the user wrote it.
    pub fn place(&self, resource: &GroupResource, object: &Object) -> Option<Place> {
        self.place_of(resource, object.namespace(), object.name())
    }

    fn place_of(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Place> {
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        let place = places.get(resource, namespace, name)?;
        drop(places);
        place.place()
    }

    /// Records that the object of `evidence` was written in the `line` of `file`.
    #[doc(hidden)]
    pub fn learn(&self, evidence: &Evidence, file: &str, line: usize) {
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        learned.insert(learned_key(evidence), (file.to_owned(), line));
    }

    /// Returns file and line of the object of `evidence`, if the user wrote it.
    pub fn locate(&self, evidence: &Evidence) -> Option<(String, usize)> {
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        if !learned.is_empty() {
            return learned.get(&learned_key(evidence)).cloned();
        }
        let place = self.place_of(&evidence.resource, &evidence.namespace, &evidence.name)?;
        let path = evidence.path.as_ref();
        let found = path.and_then(|path| Some(place.written()?.nearest(path)));
        let (line, _) = found.unwrap_or_else(|| place.line_column());
        Some((place.file().to_owned(), line))
    }

    /// Returns the names of the objects of `resource` in `namespace` that the user wrote, sorted.
    pub fn names(&self, resource: &GroupResource, namespace: &str) -> Vec<String> {
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        places.names(resource, namespace)
    }

    /// Returns an object as the user wrote it.
    pub fn written(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Value> {
        let place = self.place_of(resource, namespace, name)?;
        Some(place.written()?.node()?.clone().into_value())
    }

    fn write(&self) -> RwLockWriteGuard<'_, Places> {
        self.places.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn learned_key(evidence: &Evidence) -> (ObjectName, String) {
    let Evidence { resource, namespace, name, .. } = evidence;
    (key(resource, namespace, name), evidence.says.clone())
}

fn key(resource: &GroupResource, namespace: &str, name: &str) -> ObjectName {
    (resource.clone(), namespace.to_owned(), name.to_owned())
}
