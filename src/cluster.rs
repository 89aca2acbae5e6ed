//! The objects that exist, and the views of them that plugins compute once per state.

pub mod authorizer;
mod collection;
mod definitions;
mod fixture;
mod frozen;
mod gaps;
mod initial;
mod link;
#[cfg(feature = "openshift")]
mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "cluster/without_openshift.rs"]
mod openshift;
mod packed;
mod record;
mod shelved;
pub(crate) mod short_hash;
mod slots;
mod state;
mod stored;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gotext::value::Text;

use kube_api::distribution::Distribution;
use kube_api::resources::NAMESPACES;
use kube_api::{GroupResource, Object, Value, pairs};

pub use fixture::{Fixture, FixtureError, JOINED, is_policy};
pub use gaps::{Gap, gaps};
pub use packed::PackedObject;
pub use record::Mark;
pub(crate) use shelved::{Shelved, shelve};
pub use slots::ObjectNumber;
#[cfg(any(feature = "cli", test))]
pub(crate) use state::server_looks_up;

use collection::Collection;
use definitions::Definitions;
use link::Link;
use packed::{Block, InBlock};
use record::Before;
use state::{RECENT, State, pack};
use stored::Stored;

/// The existing objects. Admitted objects are added; every read sees the newest state. `Stored` documents how they are
/// kept, and which of them are the same tree for every reader.
#[derive(Debug, Default)]
pub struct Cluster {
    state: RwLock<State>,
    definitions: Definitions,
    distribution: Distribution,
    /// The former state of changed objects, if that is recorded.
    before: Mutex<Option<Vec<Before>>>,
    /// The packed object that was read last, unpacked: a request reads the one that it changes several times.
    unpacked: Mutex<Option<(InBlock, Arc<Object>)>>,
    /// The resources whose objects were read, which tests compare with what a plugin says that it reads.
    #[cfg(test)]
    resources_read: Mutex<std::collections::BTreeSet<GroupResource>>,
}

/// The resource, namespace and name of an object.
pub type ObjectKey = (GroupResource, Text, Text);

impl Cluster {
    /// Returns the objects that every API server creates itself: four namespaces, the system priority classes and the
    /// `kubernetes` service. No plugin looks anything up in it.
    pub fn new() -> Self {
        Self::of(Distribution::Kubernetes, |_| false)
    }

    /// Returns a cluster with the same objects, which later changes of this one do not affect.
    #[must_use]
    pub fn copy(&self) -> Self {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner).clone();
        Self { state: RwLock::new(state), distribution: self.distribution, ..Self::default() }
    }

    /// Returns the objects that every API server of `distribution` creates itself, and its initial kinds.
    ///
    /// `plugins_look_up` decides of which resources plugins look up objects for requests about others: these are kept
    /// ready. For the plugins that kadmit has it is [`plugin::looks_up`](crate::plugin::looks_up).
    pub fn of(distribution: Distribution, plugins_look_up: fn(&GroupResource) -> bool) -> Self {
        let state = State::of(plugins_look_up);
        let cluster = Self { distribution, state: RwLock::new(state), ..Self::default() };
        cluster.put_initial_objects();
        cluster
    }

    /// Returns the same cluster without packed objects, which takes more memory and less time.
    #[must_use]
    pub fn keeping_trees(self) -> Self {
        self.write(|state| state.keeps_trees = true);
        self
    }

    /// Returns the same cluster without the names of removed objects, whose numbers others get.
    #[must_use]
    pub fn forgetting_names(self) -> Self {
        self.write(|state| state.forgets_names = true);
        self
    }

    /// Packs all objects except those written last. Another thread than the one that evaluates may call it from time to
    /// time, and does not block that one; otherwise it has more to do itself.
    pub fn pack(&self) {
        let old = self.write(|state| {
            let count = state.recent.len().saturating_sub(RECENT);
            state.unpacked(count - count % Block::SIZE)
        });
        let packed = pack(old);
        self.write(|state| state.replace(packed));
    }

    /// Returns the distribution of the cluster.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }

    /// Returns the object `name`; `namespace` is empty for resources without namespaces.
    pub fn get(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Object>> {
        let (stored, is_looked_up) = self.read_of(resource, |state| {
            let collection = state.collections.get(resource)?;
            Some((collection.get(namespace, name)?, collection.is_looked_up))
        })?;
        let Some(packed) = stored.packed() else { return Some(stored.object()) };
        let object = self.unpacked(&packed);
        if is_looked_up {
            self.write(|state| state.unpack(resource, &packed, &object));
        }
        Some(object)
    }

    /// Returns a packed object, unpacked.
    fn unpacked(&self, packed: &InBlock) -> Arc<Object> {
        let mut last = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, object)) = &*last
            && of.is(packed)
        {
            return object.clone();
        }
        let object = Arc::new(packed.block.object(packed.position));
        *last = Some((packed.clone(), object.clone()));
        object
    }

    /// Whether there is an object `name`; `namespace` is empty for resources without namespaces.
    pub fn contains(&self, resource: &GroupResource, namespace: &str, name: &str) -> bool {
        self.read_of(resource, |state| state.collections.get(resource)?.get(namespace, name).map(drop))
            .is_some()
    }

    /// Returns the objects of one namespace, ordered by name; for resources without namespaces `namespace` is empty.
    pub fn list(&self, resource: &GroupResource, namespace: &str) -> Vec<Arc<Object>> {
        self.read_of(resource, |state| {
            let collection = state.collections.get(resource).into_iter();
            collection.flat_map(|collection| collection.list(namespace)).flat_map(Stored::replicas).collect()
        })
    }

    /// Returns the objects of one namespace that the object `name` of `kind` controls, ordered by name, each with the
    /// number of equal objects that it represents.
    pub fn list_controlled(
        &self,
        resource: &GroupResource,
        namespace: &str,
        kind: &str,
        name: &str,
    ) -> Vec<(Arc<Object>, u64)> {
        self.linked(resource, namespace, &[Link::Controller(kind, name)])
    }

    /// Returns the `Pods` or `ReplicaSets` of one namespace that nothing controls and that have a label.
    pub fn list_uncontrolled(
        &self,
        resource: &GroupResource,
        namespace: &str,
        (key, value): (&str, &str),
    ) -> Vec<Arc<Object>> {
        let found = self.linked(resource, namespace, &[Link::Label(key, value)]);
        found.into_iter().map(|(object, _)| object).collect()
    }

    /// Returns the objects of one namespace, ordered by name, whose selector may match `labels`: it requires one of
    /// them, or none by name. `resource` is one whose objects adopt others.
    pub fn list_selecting(
        &self,
        resource: &GroupResource,
        namespace: &str,
        labels: Option<&Value>,
    ) -> Vec<Arc<Object>> {
        let required = pairs(labels).chain([("", "")]);
        let links: Vec<_> = required.map(|(key, value)| Link::Selected(key, value)).collect();
        let found = self.linked(resource, namespace, &links);
        found.into_iter().map(|(object, _)| object).collect()
    }

    fn linked(
        &self,
        resource: &GroupResource,
        namespace: &str,
        links: &[Link<'_>],
    ) -> Vec<(Arc<Object>, u64)> {
        self.read_of(resource, |state| {
            let collection = state.collections.get(resource);
            collection.map(|collection| collection.linked(resource, namespace, links)).unwrap_or_default()
        })
    }

    /// Returns the objects of all namespaces, ordered by namespace and name.
    pub fn list_all(&self, resource: &GroupResource) -> Vec<Arc<Object>> {
        self.read_of(resource, |state| {
            let collection = state.collections.get(resource).into_iter();
            collection.flat_map(Collection::list_all).flat_map(Stored::replicas).collect()
        })
    }

    /// Reads objects of `resource`.
    fn read_of<T>(&self, resource: &GroupResource, read: impl FnOnce(&State) -> T) -> T {
        #[cfg(test)]
        self.resources_read.lock().expect("no test panics while it reads").insert(resource.clone());
        #[cfg(not(test))]
        let _ = resource;
        self.read(read)
    }

    /// Returns the resources whose objects were read since this was called last.
    #[cfg(test)]
    pub(crate) fn take_resources_read(&self) -> std::collections::BTreeSet<GroupResource> {
        std::mem::take(&mut self.resources_read.lock().expect("no test panics while it reads"))
    }

    /// Returns the objects of all resources in one namespace, ordered by resource and name, each with the number of
    /// equal objects that it represents.
    pub fn list_namespace(&self, namespace: &str) -> Vec<(GroupResource, Arc<Object>, u64)> {
        self.read(|state| {
            let mut collections: Vec<_> = state.collections.iter().collect();
            collections.sort_unstable_by_key(|(resource, _)| *resource);
            let objects = collections.into_iter().flat_map(|(resource, collection)| {
                collection.list(namespace).map(move |object| (resource, object))
            });
            objects.map(|(resource, stored)| (resource.clone(), stored.object(), stored.count())).collect()
        })
    }

    /// Calls `found` for every object, in no order.
    #[expect(clippy::iter_over_hash_type, reason = "the caller orders what it takes")]
    #[cfg(feature = "report")]
    pub fn for_each(&self, mut found: impl FnMut(&GroupResource, &Object)) {
        self.read(|state| {
            for (resource, collection) in &state.collections {
                collection.list_all().for_each(|stored| found(resource, &stored.object()));
            }
        });
    }

    /// Returns all objects, ordered by resource, namespace and name, each with the number of equal objects that it
    /// represents.
    pub fn list_everything(&self) -> Vec<(GroupResource, Arc<Object>, u64)> {
        self.read(|state| {
            let mut collections: Vec<_> = state.collections.iter().collect();
            collections.sort_unstable_by_key(|(resource, _)| *resource);
            let objects = collections.into_iter().flat_map(|(resource, collection)| {
                collection.list_all().map(move |object| (resource, object))
            });
            objects.map(|(resource, stored)| (resource.clone(), stored.object(), stored.count())).collect()
        })
    }

    /// Returns the number of equal objects that the object `name` represents; 0 if there is none.
    pub fn count(&self, resource: &GroupResource, namespace: &str, name: &str) -> u64 {
        self.read(|state| state.collections.get(resource)?.get(namespace, name).map(|stored| stored.count()))
            .unwrap_or(0)
    }

    /// Returns the Namespace `name`.
    pub fn namespace(&self, name: &str) -> Option<Arc<Object>> {
        self.get(&NAMESPACES, "", name)
    }

    /// Returns a number that grows whenever an object of `resource` is created, changed or removed.
    pub fn revision(&self, resource: &GroupResource) -> u64 {
        self.read(|state| state.collections.get(resource).map_or(0, |collection| collection.revision))
    }

    /// Returns a number that grows whenever an object that is looked up for requests about others is created, changed or
    /// removed.
    pub fn looked_up_revision(&self) -> u64 {
        self.read(|state| {
            let looked_up = state.collections.values().filter(|collection| collection.is_looked_up);
            looked_up.map(|collection| collection.revision).sum()
        })
    }

    /// Stores `object`, replacing any with its name.
    pub fn put(&self, resource: &GroupResource, object: Arc<Object>) {
        let key = self.is_recording().then(|| {
            let (namespace, name) = (object.namespace().into(), object.name().into());
            (resource.clone(), namespace, name)
        });
        let stored = self.write(|state| {
            let before = state.put(resource, Stored::new(object));
            // What is recorded may be forgotten, and with `forgets_names` everything.
            if key.is_none() && !state.forgets_names {
                state.collection_mut(resource).freeze();
            }
            before
        });
        if let Some(key) = key {
            self.note(Before::Object { key, stored });
        }
    }

    /// Lets the object `name` represent `count` objects that are equal except for their generated names.
    pub fn set_count(&self, resource: &GroupResource, namespace: &str, name: &str, count: u64) {
        let before = self.write(|state| {
            let collection = state.collections.get_mut(resource)?;
            let stored = collection.get_mut(namespace, name)?;
            let before = stored.count();
            stored.set_count(count);
            collection.revision += 1;
            Some(before)
        });
        if let Some(count) = before.filter(|_| self.is_recording()) {
            self.note(Before::Count { key: (resource.clone(), namespace.into(), name.into()), count });
        }
    }

    /// Returns the number of the object `name`, or of its name if it does not exist.
    pub fn number(&self, resource: &GroupResource, namespace: &str, name: &str) -> ObjectNumber {
        self.write(|state| state.collection_mut(resource).numbered(namespace, name))
    }

    /// Returns the number of the object `name` if it has one: if the object exists or did, or someone asked for its
    /// [`number`](Self::number).
    pub fn known_number(
        &self,
        resource: &GroupResource,
        namespace: &str,
        name: &str,
    ) -> Option<ObjectNumber> {
        self.read(|state| state.collections.get(resource)?.number(namespace, name))
    }

    /// Removes the object `name`.
    pub fn remove(&self, resource: &GroupResource, namespace: &str, name: &str) {
        let stored = self.write(|state| {
            let collection = state.collections.get_mut(resource)?;
            if state.forgets_names {
                collection.remove_name(resource, namespace, name)
            } else {
                collection.remove(resource, namespace, name)
            }
        });
        if let Some(stored) = stored.filter(|_| self.is_recording()) {
            let key = (resource.clone(), namespace.into(), name.into());
            self.note(Before::Object { key, stored: Some(stored) });
        }
    }

    fn read<T>(&self, body: impl FnOnce(&State) -> T) -> T {
        body(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A value computed from the objects of some resources, cached until one of them changes.
#[derive(Debug)]
pub struct Derived<T> {
    resources: &'static [GroupResource],
    kept: Mutex<Option<(u64, Arc<T>)>>,
}

impl<T> Derived<T> {
    /// Returns a value that depends only on `resources`.
    pub const fn of(resources: &'static [GroupResource]) -> Self {
        Self { resources, kept: Mutex::new(None) }
    }

    /// Returns the value for the current state of `cluster`, computed by `compute` if that state is new.
    pub fn get(&self, cluster: &Cluster, compute: impl FnOnce() -> T) -> Arc<T> {
        let revision = self.resources.iter().map(|resource| cluster.revision(resource)).sum();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, value)) if *of == revision => value.clone(),
            _ => {
                let value = Arc::new(compute());
                *kept = Some((revision, value.clone()));
                value
            }
        }
    }
}

#[cfg(test)]
mod tests;
