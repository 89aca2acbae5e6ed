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
mod slots;
mod stored;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use gotext::value::Text;

use kube_api::distribution::Distribution;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS};
use kube_api::{GroupResource, Object, Value, pairs, secret};

pub use fixture::{Fixture, FixtureError, JOINED, is_policy};
pub use gaps::{Gap, gaps};
pub use packed::PackedObject;
pub use record::Mark;
pub use slots::ObjectNumber;

use collection::Collection;
use definitions::Definitions;
use link::Link;
use packed::{Block, InBlock};
use record::Before;
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

/// The number of objects written last that stay trees, as controllers read them immediately.
const RECENT: usize = 64;

/// The number of further objects that may wait for [`Cluster::pack`].
const UNPACKED: usize = 512;

/// The resources that are looked up for requests about others, and of which there may be an object for each of these.
const MANY: [GroupResource; 3] = [SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS];

/// The number of their objects written or looked up last that stay trees.
const LOOKED_UP: usize = 1024;

/// The resource, namespace and name of an object.
pub type ObjectKey = (GroupResource, Text, Text);

/// The tree of an object that may be replaced by a packed one.
type Unpacked = (GroupResource, ObjectNumber, Arc<Object>);

#[derive(Clone, Debug, Default)]
struct State {
    collections: FxHashMap<GroupResource, Collection>,
    /// The latest writings of objects that may still be trees, oldest first.
    recent: VecDeque<(GroupResource, ObjectNumber)>,
    /// The number of the first of them.
    first_recent: u16,
    /// The objects of which there may be [`MANY`] that may still be trees, in the order of their last look-up.
    looked_up: VecDeque<(GroupResource, ObjectNumber)>,
    /// Whether all objects stay unpacked.
    keeps_trees: bool,
    /// Whether the numbers of removed objects are given to others.
    forgets_names: bool,
    /// Whether plugins look up objects of a resource for requests about others.
    plugins_look_up: Option<LooksUp>,
}

/// Whether objects of a resource are looked up for requests about others.
type LooksUp = fn(&GroupResource) -> bool;

impl State {
    fn collection_mut(&mut self, resource: &GroupResource) -> &mut Collection {
        if !self.collections.contains_key(resource) {
            let is_looked_up =
                server_looks_up(resource) || self.plugins_look_up.is_some_and(|looks_up| looks_up(resource));
            self.collections.insert(resource.clone(), Collection::of(is_looked_up));
        }
        self.collections.get_mut(resource).expect("it was added if it was not there")
    }

    fn put(&mut self, resource: &GroupResource, mut stored: Stored) -> Option<Stored> {
        let writing = self.writing(self.recent.len());
        let is_packed_later = !self.keeps_trees && stored.write_as(writing);
        let collection = self.collection_mut(resource);
        let is_looked_up = collection.is_looked_up;
        let (number, replaced) = collection.put(resource, stored);
        if is_looked_up && !self.keeps_trees {
            self.keep_ready(resource, number);
        } else if is_packed_later {
            self.recent.push_back((resource.clone(), number));
        }
        if self.recent.len() > RECENT + UNPACKED {
            let old = self.unpacked(Block::SIZE);
            let packed = pack(&old);
            self.replace(&old, packed);
        }
        replaced
    }

    /// Keeps an object ready that was written or looked up; of those of which there may be [`MANY`] the last ones.
    fn keep_ready(&mut self, resource: &GroupResource, number: ObjectNumber) {
        if !MANY.contains(resource) {
            return;
        }
        self.looked_up.push_back((resource.clone(), number));
        if self.looked_up.len() < LOOKED_UP + Block::SIZE {
            return;
        }
        let Self { looked_up, collections, .. } = self;
        let tree = |(resource, number): (GroupResource, ObjectNumber)| {
            let stored = collections.get(&resource)?.of_number(number)?;
            let tree = stored.tree().filter(|object| !object.has_written());
            tree.cloned().map(|object| (resource, number, object))
        };
        let old: Vec<Unpacked> = looked_up.drain(..Block::SIZE).filter_map(tree).collect();
        let packed = pack(&old);
        self.replace(&old, packed);
    }

    /// Replaces a packed object that is looked up by its tree.
    fn unpack(&mut self, resource: &GroupResource, packed: &InBlock, object: &Arc<Object>) {
        let Some(collection) = self.collections.get_mut(resource) else { return };
        let Some(number) = collection.number(object.namespace(), object.name()) else { return };
        if collection.unpack(number, packed, object) {
            self.keep_ready(resource, number);
        }
    }

    /// Returns the number of the writing at `position` of the recent ones.
    fn writing(&self, position: usize) -> u16 {
        let position = u16::try_from(position).expect("few writings are recent");
        self.first_recent.wrapping_add(position)
    }

    /// Returns the objects of the `count` oldest recent writings that are still trees and were not written again.
    fn unpacked(&mut self, count: usize) -> Vec<Unpacked> {
        let (first, next) = (self.first_recent, self.writing(count));
        self.first_recent = next;
        let Self { recent, collections, .. } = self;
        let writings = recent.drain(..count).zip((0..).map(|position| first.wrapping_add(position)));
        let tree = |((resource, number), writing): ((GroupResource, ObjectNumber), u16)| {
            let stored = collections.get(&resource)?.of_number(number)?;
            let tree = stored.written_as(writing).filter(|object| !object.has_written());
            tree.cloned().map(|object| (resource, number, object))
        };
        writings.filter_map(tree).collect()
    }

    /// Replaces trees by the same objects, packed.
    fn replace(&mut self, old: &[Unpacked], packed: Vec<InBlock>) {
        for ((resource, number, object), packed) in old.iter().zip(packed) {
            if let Some(collection) = self.collections.get_mut(resource) {
                collection.replace(*number, object, packed);
            }
        }
    }
}

/// Packs objects in blocks. One Secret would keep all of a block in memory, so they have blocks of their own.
fn pack(objects: &[Unpacked]) -> Vec<InBlock> {
    let (mut secret, mut others): (Vec<usize>, Vec<usize>) =
        (0..objects.len()).partition(|position| secret::may_be_kept_in(&objects[*position].2.kind));
    let pack_some = |positions: &[usize]| -> Vec<InBlock> {
        let objects: Vec<_> = positions.iter().map(|position| objects[*position].2.clone()).collect();
        objects.chunks(Block::SIZE).flat_map(Block::pack).collect()
    };
    let packed = pack_some(&secret).into_iter().chain(pack_some(&others));
    secret.append(&mut others);
    let mut packed: Vec<(usize, InBlock)> = secret.into_iter().zip(packed).collect();
    packed.sort_unstable_by_key(|(position, _)| *position);
    packed.into_iter().map(|(_, packed)| packed).collect()
}

/// Whether the server itself looks up objects of `resource` with every request: the rights of users, and the kinds
/// that it serves.
pub(crate) fn server_looks_up(resource: &GroupResource) -> bool {
    *resource == CUSTOM_RESOURCE_DEFINITIONS || authorizer::RESOURCES.contains(resource)
}

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
        let state = State { plugins_look_up: Some(plugins_look_up), ..State::default() };
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
        let packed = pack(&old);
        self.write(|state| state.replace(&old, packed));
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
