//! The objects by resource. Those that are not read again soon are packed.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS};
use kube_api::{GroupResource, Object, secret};

use super::authorizer;
use super::collection::Collection;
use super::packed::{Block, InBlock};
use super::slots::ObjectNumber;
use super::stored::Stored;

/// The number of objects written last that stay trees, as controllers read them immediately.
pub(super) const RECENT: usize = 64;

/// The number of further objects that may wait for [`Cluster::pack`](super::Cluster::pack).
pub(super) const UNPACKED: usize = 512;

/// The resources that are looked up for requests about others, and of which there may be an object for each of these.
const MANY: [GroupResource; 3] = [SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS];

/// The number of their objects written or looked up last that stay trees.
pub(super) const MAX_LOOKED_UP: usize = 1024;

/// The tree of an object that may be replaced by a packed one.
type Unpacked = (GroupResource, ObjectNumber, Arc<Object>);

/// The objects by resource, and which of them may still be trees.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) collections: FxHashMap<GroupResource, Collection>,
    /// The latest writings of objects that may still be trees, oldest first.
    pub(super) recent: VecDeque<(GroupResource, ObjectNumber)>,
    /// The number of the first of them.
    first_recent: u16,
    /// The objects of which there may be [`MANY`] that may still be trees, in the order of their last look-up.
    looked_up: VecDeque<(GroupResource, ObjectNumber)>,
    /// Whether all objects stay unpacked.
    pub(super) keeps_trees: bool,
    /// Whether the numbers of removed objects are given to others.
    pub(super) forgets_names: bool,
    /// Whether plugins look up objects of a resource for requests about others.
    plugins_look_up: Option<LooksUp>,
}

/// Whether objects of a resource are looked up for requests about others.
type LooksUp = fn(&GroupResource) -> bool;

impl State {
    /// Returns no objects; plugins look up those of the resources that `plugins_look_up` names.
    pub(super) fn of(plugins_look_up: LooksUp) -> Self {
        Self { plugins_look_up: Some(plugins_look_up), ..Self::default() }
    }

    pub(super) fn collection_mut(&mut self, resource: &GroupResource) -> &mut Collection {
        if !self.collections.contains_key(resource) {
            let is_looked_up =
                server_looks_up(resource) || self.plugins_look_up.is_some_and(|looks_up| looks_up(resource));
            self.collections.insert(resource.clone(), Collection::of(is_looked_up));
        }
        self.collections.get_mut(resource).expect("it was added if it was not there")
    }

    pub(super) fn put(&mut self, resource: &GroupResource, mut stored: Stored) -> Option<Stored> {
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
            self.replace(pack(old));
        }
        replaced
    }

    /// Keeps an object ready that was written or looked up; of those of which there may be [`MANY`] the last ones.
    fn keep_ready(&mut self, resource: &GroupResource, number: ObjectNumber) {
        if !MANY.contains(resource) {
            return;
        }
        self.looked_up.push_back((resource.clone(), number));
        if self.looked_up.len() < MAX_LOOKED_UP + Block::SIZE {
            return;
        }
        let Self { looked_up, collections, .. } = self;
        let old = looked_up.drain(..Block::SIZE).filter_map(|of| tree(collections, of, Stored::tree));
        let packed = pack(old.collect());
        self.replace(packed);
    }

    /// Replaces a packed object that is looked up by its tree.
    pub(super) fn unpack(&mut self, resource: &GroupResource, packed: &InBlock, object: &Arc<Object>) {
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
    pub(super) fn unpacked(&mut self, count: usize) -> Vec<Unpacked> {
        let (first, next) = (self.first_recent, self.writing(count));
        self.first_recent = next;
        let Self { recent, collections, .. } = self;
        let writings = recent.drain(..count).zip((0..).map(|position| first.wrapping_add(position)));
        let old =
            writings.filter_map(|(of, writing)| tree(collections, of, |stored| stored.written_as(writing)));
        old.collect()
    }

    /// Replaces trees by the same objects, packed.
    pub(super) fn replace(&mut self, packed: Vec<(Unpacked, InBlock)>) {
        for ((resource, number, object), packed) in packed {
            if let Some(collection) = self.collections.get_mut(&resource) {
                collection.replace(number, &object, packed);
            }
        }
    }
}

/// Returns the tree of the object with a number of a resource, if it has one that may be replaced.
fn tree(
    collections: &FxHashMap<GroupResource, Collection>,
    (resource, number): (GroupResource, ObjectNumber),
    tree_of: impl Fn(&Stored) -> Option<&Arc<Object>>,
) -> Option<Unpacked> {
    let stored = collections.get(&resource)?.of_number(number)?;
    let object = tree_of(&stored).filter(|object| !object.has_written())?.clone();
    Some((resource, number, object))
}

/// Packs objects in blocks. One Secret would keep all of a block in memory, so they have blocks of their own.
pub(super) fn pack(objects: Vec<Unpacked>) -> Vec<(Unpacked, InBlock)> {
    let is_secret = |(.., object): &Unpacked| secret::may_be_kept_in(&object.kind);
    let (secrets, others): (Vec<Unpacked>, Vec<Unpacked>) = objects.into_iter().partition(is_secret);
    let packed = [secrets, others].into_iter().flat_map(|objects| {
        let trees: Vec<_> = objects.iter().map(|(.., object)| object.clone()).collect();
        let packed: Vec<InBlock> = trees.chunks(Block::SIZE).flat_map(Block::pack).collect();
        objects.into_iter().zip(packed)
    });
    packed.collect()
}

/// Whether the server itself looks up objects of `resource` with every request: the rights of users, and the kinds
/// that it serves.
pub(crate) fn server_looks_up(resource: &GroupResource) -> bool {
    *resource == CUSTOM_RESOURCE_DEFINITIONS || authorizer::RESOURCES.contains(resource)
}
