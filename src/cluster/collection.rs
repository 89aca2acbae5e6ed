//! The objects of one resource.

use std::collections::{BTreeMap, BTreeSet, hash_map};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::link::Link;
use super::stored::Stored;
use crate::api::{GroupResource, Object};
use crate::value::Text;

/// The objects of a resource, and the index by which controllers find them.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// Whether its objects are looked up for requests about others.
    pub(super) is_looked_up: bool,
    /// Rises with every change.
    pub(super) revision: u64,
    /// By name; objects without a namespace are in the one without a name.
    namespaces: BTreeMap<Text, Namespace>,
}

#[derive(Debug, Default)]
struct Namespace {
    /// By name.
    objects: BTreeMap<Text, Stored>,
    /// The names of objects by the fingerprint of each of their links.
    linked: FxHashMap<u64, Names>,
}

/// Names of objects, mostly one.
#[derive(Debug)]
enum Names {
    One(Text),
    Many(BTreeSet<Text>),
}

impl Collection {
    /// Returns a collection for objects that plugins look up, or do not.
    pub(super) fn of(is_looked_up: bool) -> Self {
        Self { is_looked_up, ..Self::default() }
    }

    /// Stores an object; returns the one before.
    pub(super) fn put(
        &mut self,
        resource: &GroupResource,
        (namespace, name): (Text, Text),
        mut stored: Stored,
    ) -> Option<Stored> {
        self.revision += 1;
        let namespace = self.namespaces.entry(namespace).or_default();
        if let Some(old) = namespace.objects.get(&name) {
            unlink(&mut namespace.linked, resource, &name, old);
        }
        let object = stored.object();
        let links = Link::all(resource, &object);
        stored.is_linked = !links.is_empty();
        for link in links {
            match namespace.linked.entry(link.fingerprint()) {
                hash_map::Entry::Vacant(entry) => drop(entry.insert(Names::One(name.clone()))),
                hash_map::Entry::Occupied(mut entry) => entry.get_mut().insert(&name),
            }
        }
        namespace.objects.insert(name, stored)
    }

    /// Removes an object and returns it.
    pub(super) fn remove(&mut self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Stored> {
        self.revision += 1;
        let namespace = self.namespaces.get_mut(namespace)?;
        let removed = namespace.objects.remove(name)?;
        unlink(&mut namespace.linked, resource, name, &removed);
        Some(removed)
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<&Stored> {
        self.namespaces.get(namespace)?.objects.get(name)
    }

    pub(super) fn get_mut(&mut self, namespace: &str, name: &str) -> Option<&mut Stored> {
        self.namespaces.get_mut(namespace)?.objects.get_mut(name)
    }

    /// Returns the objects of one namespace, ordered by name.
    pub(super) fn list(&self, namespace: &str) -> impl Iterator<Item = &Stored> {
        self.namespaces.get(namespace).into_iter().flat_map(|namespace| namespace.objects.values())
    }

    /// Returns the objects of all namespaces, ordered by namespace and name.
    pub(super) fn list_all(&self) -> impl Iterator<Item = &Stored> {
        self.namespaces.values().flat_map(|namespace| namespace.objects.values())
    }

    /// Returns the objects of one namespace that have one of `links`, ordered by name, each with the number of equal
    /// objects that it represents.
    pub(super) fn linked(
        &self,
        resource: &GroupResource,
        namespace: &str,
        links: &[Link<'_>],
    ) -> Vec<(Arc<Object>, u64)> {
        let Some(Namespace { objects, linked }) = self.namespaces.get(namespace) else { return Vec::new() };
        let mut names = BTreeSet::new();
        for link in links {
            match linked.get(&link.fingerprint()) {
                Some(Names::One(name)) => drop(names.insert(name)),
                Some(Names::Many(several)) => names.extend(several),
                None => {}
            }
        }
        let stored = names.into_iter().filter_map(|name| objects.get(name));
        let found = stored.map(|stored| (stored.object(), stored.count));
        found
            .filter(|(object, _)| Link::all(resource, object).iter().any(|own| links.contains(own)))
            .collect()
    }
}

/// Removes the links of `stored` from the index `linked`.
fn unlink(linked: &mut FxHashMap<u64, Names>, resource: &GroupResource, name: &str, stored: &Stored) {
    if !stored.is_linked {
        return;
    }
    for link in Link::all(resource, &stored.object()) {
        if let hash_map::Entry::Occupied(mut entry) = linked.entry(link.fingerprint())
            && entry.get_mut().remove(name)
        {
            entry.remove();
        }
    }
}

impl Names {
    fn insert(&mut self, name: &Text) {
        match self {
            Self::One(one) if one == name => {}
            Self::One(one) => *self = Self::Many([one.clone(), name.clone()].into()),
            Self::Many(names) => drop(names.insert(name.clone())),
        }
    }

    /// Removes `name`; returns whether none is left.
    fn remove(&mut self, name: &str) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Many(names) => {
                names.remove(name);
                names.is_empty()
            }
        }
    }
}
