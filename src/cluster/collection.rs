//! The objects of one resource.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashTable;

use super::frozen::Frozen;
use super::link::Link;
use super::packed::InBlock;
use super::short_hash;
use super::slots::{ObjectNumber, Slots};
use super::stored::Stored;
use gotext::value::Text;
use kube_api::{GroupResource, Object};

/// The objects of a resource, and the index by which controllers find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Collection {
    /// Whether its objects are looked up for requests about others.
    pub(super) is_looked_up: bool,
    /// Rises with every change.
    pub(super) revision: u64,
    /// By name; objects without a namespace are in the one without a name.
    namespaces: BTreeMap<Text, Namespace>,
    /// By number.
    objects: Slots,
    /// The numbers that the next names get.
    free: Vec<ObjectNumber>,
    /// What was indexed earlier: names, and links.
    frozen: [Frozen; 2],
    /// The number of names and links that were indexed since.
    indexed: usize,
}

/// The number of names and links that are indexed where they are found fastest. Most runs have fewer, tests have not.
pub(super) const MAX_INDEXED: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

#[derive(Clone, Debug, Default)]
struct Namespace {
    /// Its number, among those of the collection.
    number: u32,
    /// The objects that exist, by the hash of their names: the names themselves are in the objects.
    present: HashTable<Hashed>,
    /// Names whose objects do not exist.
    absent: BTreeMap<Text, ObjectNumber>,
    /// The objects that have a link with a fingerprint.
    linked: BTreeSet<(u32, ObjectNumber)>,
}

/// An object of a name with this hash.
#[derive(Clone, Copy, Debug)]
struct Hashed {
    hash: u32,
    number: ObjectNumber,
}

impl Hashed {
    fn is(self, hash: u32, name: &str, objects: &Slots) -> bool {
        let stored = || objects.get(self.number.index());
        self.hash == hash && stored().is_some_and(|stored| stored.is_named(name))
    }
}

impl Namespace {
    /// Returns the number of the object `name`, if it exists.
    fn number(&self, name: &str, objects: &Slots, frozen: &Frozen) -> Option<ObjectNumber> {
        let hash = short_hash::of(name);
        let found = self.present.find(short_hash::spread(hash), |one| one.is(hash, name, objects));
        let mut frozen = frozen.find(self.number, hash).map(|number| Hashed { hash, number });
        let found = found.copied().or_else(|| frozen.find(|one| one.is(hash, name, objects)));
        found.map(|found| found.number)
    }

    /// Removes a name whose object exists now; most names have one, so a map without names has no memory.
    fn forget_absent(&mut self, name: &str) {
        self.absent.remove(name);
        if self.absent.is_empty() {
            self.absent = BTreeMap::new();
        }
    }

    fn add(&mut self, name: &str, number: ObjectNumber) {
        let hash = short_hash::of(name);
        let spread = |one: &Hashed| short_hash::spread(one.hash);
        self.present.insert_unique(short_hash::spread(hash), Hashed { hash, number }, spread);
    }

    fn remove(&mut self, name: &str, number: ObjectNumber) {
        let hash = short_hash::spread(short_hash::of(name));
        if let Ok(found) = self.present.find_entry(hash, |one| one.number == number) {
            found.remove();
        }
    }
}

impl Collection {
    /// Returns a collection for objects that plugins look up, or do not.
    pub(super) fn of(is_looked_up: bool) -> Self {
        Self { is_looked_up, ..Self::default() }
    }

    /// Returns the number of a name, if it ever had one.
    pub(super) fn number(&self, namespace: &str, name: &str) -> Option<ObjectNumber> {
        let own = self.namespaces.get(namespace)?;
        own.number(name, &self.objects, &self.frozen[0]).or_else(|| own.absent.get(name).copied())
    }

    /// Returns the number of a name, which gets one if it has none.
    pub(super) fn numbered(&mut self, namespace: &str, name: &str) -> ObjectNumber {
        if let Some(number) = self.number(namespace, name) {
            return number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            ObjectNumber::of(self.objects.push().try_into().expect("as many names fit into memory"))
        });
        let next = self.namespaces.len().try_into().expect("as many namespaces fit into memory");
        let namespace = self.namespaces.entry(namespace.into());
        let namespace = namespace.or_insert_with(|| Namespace { number: next, ..Namespace::default() });
        namespace.absent.insert(name.into(), number);
        number
    }

    /// Stores an object; returns its number, and the object before.
    pub(super) fn put(&mut self, resource: &GroupResource, stored: Stored) -> (ObjectNumber, Option<Stored>) {
        let object = stored.object();
        let (namespace, name) = (object.namespace(), object.name());
        let number = self.numbered(namespace, name);
        let replaced = self.take(resource, namespace, number);
        let links = Link::all(resource, &object);
        if let Some(namespace) = self.namespaces.get_mut(namespace) {
            if replaced.is_none() {
                namespace.forget_absent(name);
                namespace.add(name, number);
                self.indexed += 1;
            }
            self.indexed += links.len();
            namespace.linked.extend(links.iter().map(|link| (link.fingerprint(), number)));
        }
        *self.objects.get_mut(number.index()) = Some(stored);
        (number, replaced)
    }

    /// Moves the index out of the way if it is large. Nothing that is in it now may be forgotten later.
    pub(super) fn freeze(&mut self) {
        if self.indexed < MAX_INDEXED || self.is_looked_up {
            return;
        }
        self.indexed = 0;
        let [mut names, mut links] = [Vec::new(), Vec::new()];
        for namespace in self.namespaces.values_mut() {
            let present = std::mem::take(&mut namespace.present).into_iter();
            names.extend(present.map(|one| (namespace.number, one.hash, one.number)));
            let linked = std::mem::take(&mut namespace.linked).into_iter();
            links.extend(linked.map(|(link, number)| (namespace.number, link, number)));
        }
        let [frozen_names, frozen_links] = &mut self.frozen;
        frozen_names.add(names);
        frozen_links.add(links);
    }

    /// Removes an object and returns it.
    pub(super) fn remove(&mut self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Stored> {
        let number = self.number(namespace, name)?;
        let removed = self.take(resource, namespace, number)?;
        if let Some(own) = self.namespaces.get_mut(namespace) {
            own.remove(name, number);
            own.absent.insert(name.into(), number);
        }
        Some(removed)
    }

    /// Removes an object and its name, whose number the next name gets.
    pub(super) fn remove_name(
        &mut self,
        resource: &GroupResource,
        namespace: &str,
        name: &str,
    ) -> Option<Stored> {
        let number = self.number(namespace, name)?;
        let removed = self.remove(resource, namespace, name);
        if let Some(own) = self.namespaces.get_mut(namespace) {
            own.absent.remove(name);
            if own.present.is_empty() && own.absent.is_empty() {
                self.namespaces.remove(namespace);
            }
        }
        self.free.push(number);
        removed
    }

    /// Removes an object as if it had never existed: if its number is the last one, it is free again.
    pub(super) fn forget(&mut self, resource: &GroupResource, namespace: &str, name: &str) {
        let Some(number) = self.number(namespace, name) else { return };
        self.remove(resource, namespace, name);
        if number.index() + 1 == self.objects.len() {
            self.objects.pop();
            if let Some(namespace) = self.namespaces.get_mut(namespace) {
                namespace.absent.remove(name);
            }
        }
    }

    fn take(&mut self, resource: &GroupResource, namespace: &str, number: ObjectNumber) -> Option<Stored> {
        self.revision += 1;
        self.objects.get(number.index())?;
        let stored = self.objects.get_mut(number.index()).take()?;
        let namespace = self.namespaces.get_mut(namespace);
        // An object may have to be unpacked to find its links.
        if let Some(namespace) = namespace.filter(|namespace| !namespace.linked.is_empty()) {
            for link in Link::all(resource, &stored.object()) {
                namespace.linked.remove(&(link.fingerprint(), number));
            }
        }
        Some(stored)
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<Stored> {
        self.of_number(self.number(namespace, name)?)
    }

    pub(super) fn get_mut(&mut self, namespace: &str, name: &str) -> Option<&mut Stored> {
        self.of_number_mut(self.number(namespace, name)?)
    }

    /// Returns the object with a number of this collection.
    pub(super) fn of_number(&self, number: ObjectNumber) -> Option<Stored> {
        self.objects.get(number.index())
    }

    fn of_number_mut(&mut self, number: ObjectNumber) -> Option<&mut Stored> {
        self.objects.get(number.index())?;
        self.objects.get_mut(number.index()).as_mut()
    }

    /// Replaces the packed object with a number by its tree, unless it has been replaced by another one. Returns whether it
    /// was there.
    pub(super) fn unpack(&mut self, number: ObjectNumber, packed: &InBlock, tree: &Arc<Object>) -> bool {
        self.of_number_mut(number).is_some_and(|stored| stored.unpack(packed, tree))
    }

    /// Replaces the tree `old` by the same object, packed, unless it has been replaced by another one.
    pub(super) fn replace(&mut self, number: ObjectNumber, old: &Arc<Object>, packed: InBlock) {
        if let Some(stored) = self.of_number_mut(number) {
            stored.replace(old, packed);
            self.objects.close(number.index());
        }
    }

    /// Returns the objects of one namespace, ordered by name.
    pub(super) fn list(&self, namespace: &str) -> impl Iterator<Item = Stored> {
        self.namespaces.get(namespace).into_iter().flat_map(|namespace| self.list_in(namespace))
    }

    /// Returns the objects of all namespaces, ordered by namespace and name.
    pub(super) fn list_all(&self) -> impl Iterator<Item = Stored> {
        self.namespaces.values().flat_map(|namespace| self.list_in(namespace))
    }

    fn list_in(&self, namespace: &Namespace) -> impl Iterator<Item = Stored> + use<> {
        let mut numbers: Vec<ObjectNumber> = namespace.present.iter().map(|one| one.number).collect();
        numbers.extend(self.frozen[0].all(namespace.number));
        // Objects that were written together are packed together.
        numbers.sort_unstable();
        // One that was removed and created again is indexed twice.
        numbers.dedup();
        let stored = numbers.into_iter().filter_map(|number| self.of_number(number));
        let mut named: Vec<(Text, Stored)> = stored.map(|stored| (stored.name(), stored)).collect();
        named.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        named.into_iter().map(|(_, stored)| stored)
    }

    /// Returns the objects of one namespace that have one of `links`, ordered by name, each with the number of equal
    /// objects that it represents.
    pub(super) fn linked(
        &self,
        resource: &GroupResource,
        namespace: &str,
        links: &[Link<'_>],
    ) -> Vec<(Arc<Object>, u64)> {
        let Some(Namespace { number: own, linked, .. }) = self.namespaces.get(namespace) else {
            return Vec::new();
        };
        let mut numbers = BTreeSet::new();
        for link in links {
            let fingerprint = link.fingerprint();
            let found = linked.range((fingerprint, ObjectNumber::FIRST)..=(fingerprint, ObjectNumber::LAST));
            numbers.extend(found.map(|(_, number)| *number).chain(self.frozen[1].find(*own, fingerprint)));
        }
        let stored = numbers.into_iter().filter_map(|number| self.of_number(number));
        let found = stored.map(|stored| (stored.object(), stored.count()));
        let has_one = |object: &Object| Link::all(resource, object).iter().any(|own| links.contains(own));
        let mut found: Vec<_> = found.filter(|(object, _)| has_one(object)).collect();
        found.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use gotext::value::json;
    use kube_api::distribution::Distribution;
    use kube_api::resources::SECRETS;

    #[test]
    fn another_name_gets_the_number_of_a_removed_object() {
        let cluster = Cluster::of(Distribution::Kubernetes, |_| false).forgetting_names();
        let object = |name: &str| {
            let value = json!({"metadata": {"name": name, "namespace": "shop"}});
            Arc::new(Object::new(kube_api::GroupVersionKind::new("", "v1", "Secret"), value))
        };
        cluster.put(&SECRETS, object("a"));
        cluster.put(&SECRETS, object("b"));
        let first = cluster.number(&SECRETS, "shop", "a");
        cluster.remove(&SECRETS, "shop", "a");
        assert_eq!(cluster.known_number(&SECRETS, "shop", "a"), None);
        cluster.record();
        cluster.put(&SECRETS, object("c"));
        assert_eq!(cluster.number(&SECRETS, "shop", "c"), first);
        cluster.undo();
        assert!(cluster.get(&SECRETS, "shop", "c").is_none());
        assert_eq!(cluster.get(&SECRETS, "shop", "b").unwrap().name(), "b");
    }
}
