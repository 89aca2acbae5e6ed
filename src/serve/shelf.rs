//! The objects as clients see them: with resource versions, and the events since the oldest one that is remembered.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use gotext::value::Text;
use kube_api::{GroupResource, Object, Status};
use tokio::sync::watch;

/// The number of latest events of a resource that watches can begin at.
const REMEMBERED: usize = 16_384;

/// The path of the field with the resource version.
pub(super) const VERSION: [&str; 2] = ["metadata", "resourceVersion"];

/// The objects of a resource, by namespace and name.
type Objects = BTreeMap<(Text, Text), Arc<Object>>;

/// The objects that exist, and what happened to them.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    state: RwLock<State>,
    /// The revisions of resources, for those that wait for the next change of one.
    latest: Mutex<BTreeMap<GroupResource, watch::Sender<u64>>>,
}

#[derive(Debug, Default)]
struct State {
    /// The revision at which the server started.
    first: u64,
    revision: u64,
    resources: BTreeMap<GroupResource, Shown>,
    /// The resources that changed since that was published.
    changed: BTreeSet<GroupResource>,
}

/// The objects of a resource, and what happened to them. Changes of others do not make it forget.
#[derive(Debug, Default)]
struct Shown {
    objects: Objects,
    events: VecDeque<Event>,
    /// The revision of the latest event that was forgotten.
    forgotten: u64,
}

/// What happened to an object.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) revision: u64,
    /// The object before; none if it was created.
    pub(super) before: Option<Arc<Object>>,
    /// The object after, or as it was when it was removed.
    pub(super) object: Arc<Object>,
    pub(super) is_removal: bool,
    /// The event as most watches send it, written by the first of them.
    pub(super) line: Arc<OnceLock<Vec<u8>>>,
}

impl Event {
    fn new(revision: u64, before: Option<Arc<Object>>, object: Arc<Object>, is_removal: bool) -> Self {
        Self { revision, before, object, is_removal, line: Arc::default() }
    }

    /// Returns the type of the event for those who select the object before and after.
    pub(super) fn kind(&self) -> &'static str {
        match (self.is_removal, &self.before) {
            (true, _) => "DELETED",
            (false, None) => "ADDED",
            (false, Some(_)) => "MODIFIED",
        }
    }
}

/// A page of a list.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) revision: u64,
    pub(super) objects: Vec<Arc<Object>>,
}

impl Shelf {
    /// Returns the revision of the latest change.
    pub(super) fn revision(&self) -> u64 {
        self.read(|state| state.revision)
    }

    /// Returns a receiver that learns about every later change of `resource`.
    pub(super) fn subscribe(&self, resource: &GroupResource) -> watch::Receiver<u64> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.entry(resource.clone()).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// Returns an object.
    pub(super) fn get(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.read(|state| {
            state.resources.get(resource)?.objects.get(&(namespace.into(), name.into())).cloned()
        })
    }

    /// Returns the objects of a namespace, or of all if it is empty, in order.
    pub(super) fn list(&self, resource: &GroupResource, namespace: &str) -> Page {
        self.read(|state| {
            let all = state.resources.get(resource).into_iter();
            let from = Bound::Included((Text::from(namespace), Text::default()));
            let found = all.flat_map(|all| all.objects.range((from.clone(), Bound::Unbounded)));
            let found = found.take_while(|((own, _), _)| namespace.is_empty() || **own == *namespace);
            Page { revision: state.revision, objects: found.map(|(_, object)| object.clone()).collect() }
        })
    }

    /// Returns the objects of a namespace, or of all if it is empty, as they were at `revision`.
    ///
    /// # Errors
    ///
    /// Returns 410 if that is no longer known.
    pub(super) fn list_at(
        &self,
        resource: &GroupResource,
        namespace: &str,
        revision: u64,
    ) -> Result<Page, Status> {
        let (_, events) = self.events_after(resource, revision, usize::MAX)?;
        let now = self.list(resource, namespace).objects;
        let key = |object: &Object| (Text::from(object.namespace()), Text::from(object.name()));
        let mut objects: Objects = now.into_iter().map(|object| (key(&object), object)).collect();
        for event in events.into_iter().rev() {
            if !namespace.is_empty() && event.object.namespace() != namespace {
                continue;
            }
            match event.before {
                Some(before) => objects.insert(key(&before), before),
                None => objects.remove(&key(&event.object)),
            };
        }
        Ok(Page { revision, objects: objects.into_values().collect() })
    }

    /// Returns all objects, ordered by resource, namespace and name.
    pub(super) fn all(&self) -> Vec<Arc<Object>> {
        self.read(|state| state.resources.values().flat_map(|all| all.objects.values()).cloned().collect())
    }

    /// Returns the number of objects of each resource.
    pub(super) fn counts(&self) -> Vec<(GroupResource, usize)> {
        self.read(|state| {
            state.resources.iter().map(|(resource, all)| (resource.clone(), all.objects.len())).collect()
        })
    }

    /// Returns the first `most` events of `resource` after `revision`, and the revision until which they are complete.
    ///
    /// # Errors
    ///
    /// Returns 410 if they are no longer known.
    pub(super) fn events_after(
        &self,
        resource: &GroupResource,
        revision: u64,
        most: usize,
    ) -> Result<(u64, Vec<Event>), Status> {
        self.read(|state| {
            let shown = state.resources.get(resource);
            let forgotten = shown.map_or(0, |shown| shown.forgotten).max(state.first);
            if revision < forgotten {
                return Err(expired(revision, forgotten + 1));
            }
            let later = shown.map(|shown| {
                let first = shown.events.partition_point(|event| event.revision <= revision);
                shown.events.range(first..).take(most).cloned().collect()
            });
            let later: Vec<Event> = later.unwrap_or_default();
            let last = later.last().filter(|_| later.len() == most);
            Ok((last.map_or(state.revision, |event| event.revision), later))
        })
    }

    /// Takes the objects that exist at first for those of a server that was at `revision`.
    pub(super) fn start_at(&self, revision: u64) {
        self.write(|state| (state.first, state.revision) = (revision, revision));
    }

    /// Stores `object`, which gets the next revision as its version, unless it had one when the server started. Returns
    /// it.
    pub(super) fn put(&self, resource: &GroupResource, mut object: Object) -> Arc<Object> {
        self.write(|state| {
            let key = (object.namespace().into(), object.name().into());
            let shown = state.resources.entry(resource.clone()).or_default();
            let has_version = object.text(VERSION).parse().is_ok_and(|version: u64| version <= state.first);
            if has_version && !shown.objects.contains_key(&key) {
                let object = Arc::new(object);
                shown.objects.insert(key, object.clone());
                return object;
            }
            state.revision += 1;
            object.set(VERSION, state.revision.to_string());
            let object = Arc::new(object);
            let before = shown.objects.insert(key, object.clone());
            shown.remember(Event::new(state.revision, before, object.clone(), false));
            state.changed.insert(resource.clone());
            object
        })
    }

    /// Removes an object, if it exists.
    pub(super) fn remove(&self, resource: &GroupResource, namespace: &str, name: &str) {
        self.write(|state| {
            let Some(shown) = state.resources.get_mut(resource) else { return };
            let Some(before) = shown.objects.remove(&(namespace.into(), name.into())) else { return };
            state.revision += 1;
            let mut last = Object::clone(&before);
            last.set(VERSION, state.revision.to_string());
            shown.remember(Event::new(state.revision, Some(before), Arc::new(last), true));
            state.changed.insert(resource.clone());
        });
    }

    /// Wakes those that wait for changes.
    pub(super) fn publish(&self) {
        let (revision, changed) = self.write(|state| (state.revision, std::mem::take(&mut state.changed)));
        if changed.is_empty() {
            return;
        }
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in changed.iter().filter_map(|resource| latest.get(resource)) {
            sender.send_replace(revision);
        }
    }

    fn read<T>(&self, body: impl FnOnce(&State) -> T) -> T {
        body(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shown {
    fn remember(&mut self, event: Event) {
        self.events.push_back(event);
        if self.events.len() > REMEMBERED
            && let Some(oldest) = self.events.pop_front()
        {
            self.forgotten = oldest.revision;
        }
    }
}

fn expired(revision: u64, oldest: u64) -> Status {
    Status {
        code: 410,
        reason: "Expired".to_owned(),
        message: format!("too old resource version: {revision} ({oldest})"),
        ..Status::default()
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use kube_api::GroupVersionKind;

    const CONFIG_MAPS: GroupResource = GroupResource::new("", "configmaps");
    const SECRETS: GroupResource = GroupResource::new("", "secrets");

    fn config_map(namespace: &str, name: &str) -> Object {
        let value = json!({"metadata": {"namespace": namespace, "name": name}});
        Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value)
    }

    #[test]
    fn changes_are_events_in_order() {
        let shelf = Shelf::default();
        let first = shelf.put(&CONFIG_MAPS, config_map("a", "x"));
        shelf.put(&CONFIG_MAPS, config_map("b", "x"));
        shelf.put(&CONFIG_MAPS, config_map("a", "x"));
        shelf.remove(&CONFIG_MAPS, "a", "x");
        shelf.remove(&CONFIG_MAPS, "a", "x");
        assert_eq!(first.text(VERSION), "1");
        let (revision, events) = shelf.events_after(&CONFIG_MAPS, 1, 9).expect("known");
        let shown: Vec<_> =
            events.iter().map(|event| (event.revision, event.object.namespace(), event.is_removal)).collect();
        assert_eq!((revision, shown), (4, vec![(2, "b", false), (3, "a", false), (4, "a", true)]));
        assert_eq!(events[2].object.text(VERSION), "4");
        assert_eq!(shelf.list(&CONFIG_MAPS, "").objects.len(), 1);
        assert!(shelf.list(&CONFIG_MAPS, "a").objects.is_empty());
    }

    #[test]
    fn what_was_forgotten_is_gone() {
        let shelf = Shelf::default();
        for _ in 0..=REMEMBERED {
            shelf.put(&CONFIG_MAPS, config_map("a", "x"));
        }
        let status = shelf.events_after(&CONFIG_MAPS, 0, 9).expect_err("forgotten");
        assert_eq!((status.code, status.message.as_str()), (410, "too old resource version: 0 (2)"));
        assert_eq!(shelf.events_after(&CONFIG_MAPS, 1, usize::MAX).expect("known").1.len(), REMEMBERED);
        let (revision, events) = shelf.events_after(&CONFIG_MAPS, 1, 5).expect("known");
        assert_eq!((revision, events.len()), (6, 5));
        // What happens to others does not end the watches of a resource to which nothing happens.
        let (revision, events) = shelf.events_after(&SECRETS, 0, 9).expect("known");
        assert_eq!((revision, events.len()), (REMEMBERED as u64 + 1, 0));
    }
}
