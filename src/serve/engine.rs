//! The evaluator: it answers the requests that change something, one after the other, and then lets the controllers act
//! that work in the background of a cluster.

mod controllers;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, mpsc};

use crate::admission::Operation;
use crate::cluster::Cluster;
use crate::evaluation::{
    Answered, Evaluator, Outcome, Recorded, Request, Unrecorded, issue_change, issue_identity,
};
use crate::serve::Pods;
use crate::serve::shelf::{Shelf, VERSION};
use crate::serve::token::Tokens;
use controllers::terminating;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, PODS};
use kube_api::{GroupResource, Object, Status, Value, name_generator};
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers of uids and names that are issued to objects without a request start here: they have twelve digits of base
/// sixteen, as the last part of a uid has.
const FIRST_SEED: u64 = 1 << 47;

const UID: [&str; 2] = ["metadata", "uid"];
const OWNERS: [&str; 2] = ["metadata", "ownerReferences"];

/// What is done with the evaluator, one at a time.
pub(super) type Job = Box<dyn FnOnce(&mut Engine) + Send>;

/// Where outcomes go.
pub(super) type Sink = Box<dyn FnMut(Outcome) + Send>;

/// The evaluator, and the objects as clients see them.
pub(super) struct Engine {
    evaluator: Evaluator,
    cluster: Arc<Cluster>,
    shelf: Arc<Shelf>,
    sink: Sink,
    clock: fn() -> String,
    /// Makes the tokens in Secrets.
    tokens: Tokens,
    /// Whether controllers act on workloads.
    follows_workloads: bool,
    pods: Pods,
    seed: u64,
    /// The objects that the controllers have not seen since they changed, and the uids of those that were removed.
    changed: Vec<(GroupResource, Arc<Object>)>,
    removed: Vec<Arc<Object>>,
    /// The namespaces that end.
    ending: BTreeSet<String>,
    owners: Owners,
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Engine").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

/// The uids of what exists, and the objects that name them as owners.
#[derive(Default)]
struct Owners {
    existing: FxHashSet<String>,
    dependents: FxHashMap<String, BTreeSet<(GroupResource, String, String)>>,
}

impl Owners {
    fn add(&mut self, resource: &GroupResource, object: &Object) {
        self.existing.insert(object.text(UID).to_owned());
        for owner in object.items(OWNERS) {
            let key = (resource.clone(), object.namespace().to_owned(), object.name().to_owned());
            self.dependents.entry(owner.text("uid").to_owned()).or_default().insert(key);
        }
    }

    /// Returns the objects that name `uid`, or did so before.
    fn of(&self, uid: &str) -> impl Iterator<Item = &(GroupResource, String, String)> {
        self.dependents.get(uid).into_iter().flatten()
    }
}

/// The answer to a request that changes something.
pub(super) struct Written {
    pub(super) outcome: Outcome,
    /// The object as it is stored now.
    pub(super) stored: Option<Arc<Object>>,
    /// The object as it was stored before.
    pub(super) before: Option<Arc<Object>>,
}

impl Engine {
    /// Starts to show the objects of the evaluator's cluster on `shelf`.
    pub(super) fn new(
        evaluator: Evaluator,
        shelf: Arc<Shelf>,
        sink: Sink,
        tokens: Tokens,
        pods: Pods,
    ) -> Self {
        let clock = tokens.clock;
        let cluster = evaluator.cluster().clone();
        let mut engine = Self {
            follows_workloads: evaluator.plays_controllers(),
            evaluator: evaluator.issuing(clock),
            cluster,
            shelf,
            sink,
            clock,
            tokens,
            pods,
            seed: FIRST_SEED,
            changed: Vec::new(),
            removed: Vec::new(),
            ending: BTreeSet::new(),
            owners: Owners::default(),
        };
        for (resource, object) in engine.evaluator.authorizer().own_objects() {
            if !engine.cluster.contains(resource, object.namespace(), object.name()) {
                engine.cluster.put(resource, object.clone());
            }
        }
        let everything = engine.cluster.list_everything();
        let versions = everything.iter().filter_map(|(_, object, _)| object.text(VERSION).parse().ok());
        engine.shelf.start_at(versions.max().unwrap_or_default());
        for (resource, object, _) in everything {
            engine.show(&resource, object.namespace(), object.name());
        }
        engine.cluster.record();
        engine.settle();
        engine
    }

    /// Does the jobs until there are no more senders, or a bug has broken the engine.
    pub(super) fn work(engine: &Mutex<Self>, jobs: &mpsc::Receiver<Job>) {
        for job in jobs {
            let Ok(mut engine) = engine.lock() else { return };
            job(&mut engine);
        }
    }

    /// Answers a request, and shows what it changed.
    pub(super) fn answer(
        &mut self,
        recorded: Recorded,
        stored_as: &GroupResource,
    ) -> Result<Written, Status> {
        let namespace = recorded.request.namespace.clone().unwrap_or_default();
        let named = recorded.request.name.clone().unwrap_or_default();
        let before = self.shelf.get(stored_as, &namespace, &named);
        let ended = before.as_deref().filter(|_| *stored_as == CUSTOM_RESOURCE_DEFINITIONS);
        let ended = ended.filter(|_| recorded.request.operation == Some(Operation::Delete));
        let ended = ended.and_then(|definition| terminating(definition, &(self.clock)()));
        let is_dry_run = recorded.request.dry_run;
        let mark = self.cluster.mark();
        let owner = before.as_deref().filter(|_| !is_dry_run && leaves_dependents(&recorded.request));
        if let Some(owner) = owner {
            self.orphan(owner);
        }
        let answered = self.evaluate(recorded)?;
        if !answered.outcome.allowed() && owner.is_some() {
            self.cluster.undo_to(mark);
        }
        let ended = ended.filter(|_| answered.outcome.allowed()).map(|definition| {
            if is_dry_run { Arc::new(definition) } else { self.shelf.put(stored_as, definition) }
        });
        self.show_changes();
        let name = if named.is_empty() { answered.outcome.name.as_str() } else { &named };
        let stored = ended.or_else(|| self.shelf.get(stored_as, &namespace, name));
        // What controllers change is a later version than the one of the answer.
        let outcome = self.evaluator.let_controllers_act(answered);
        self.show_changes();
        Ok(Written { outcome, stored, before })
    }

    /// Returns the objects as clients see them.
    pub(super) fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    /// Passes an outcome on to the reports.
    pub(super) fn report(&mut self, outcome: Outcome) {
        (self.sink)(outcome);
    }

    fn evaluate(&mut self, recorded: Recorded) -> Result<Answered, Status> {
        self.evaluator.answer_recorded(recorded).map_err(|error| match error {
            Unrecorded::NoBody => Status::new_bad_request("the request has no object"),
            Unrecorded::UnknownKind(unknown) => unknown.status(),
        })
    }

    /// Shows what changed in the cluster.
    fn show_changes(&mut self) {
        for (resource, namespace, name) in self.cluster.take_changed() {
            self.show(&resource, &namespace, &name);
        }
        // The versions that were written back are no changes.
        self.cluster.take_changed();
        self.shelf.publish();
    }

    /// Shows an object as it is in the cluster, which gets back the version that clients see.
    fn show(&mut self, resource: &GroupResource, namespace: &str, name: &str) {
        let shown = self.shelf.get(resource, namespace, name);
        let Some(object) = self.cluster.get(resource, namespace, name) else {
            return self.hide(resource, shown);
        };
        let Some(before) = shown else { return self.show_new(resource, &object) };
        if !object.text(UID).is_empty() && object.text(UID) != before.text(UID) {
            self.hide(resource, Some(before));
            return self.show_new(resource, &object);
        }
        let mut after = Object::clone(&object);
        after.set(VERSION, before.text(VERSION));
        if after == *before {
            return self.cluster.put(resource, before);
        }
        // A Pod that is placed on a node is none that another request changed.
        if *resource != PODS && after.at(["metadata", "generation"]) == before.at(["metadata", "generation"])
        {
            issue_change(&mut after, &before);
        }
        let count = self.cluster.count(resource, namespace, name);
        self.put(resource, after);
        self.show_replicas(resource, &object, count);
    }

    fn show_new(&mut self, resource: &GroupResource, object: &Object) {
        let mut object = object.clone();
        self.seed += 1;
        issue_identity(&mut object, self.seed, &(self.clock)());
        let count = self.cluster.count(resource, object.namespace(), object.name());
        self.put(resource, object.clone());
        self.show_replicas(resource, &object, count);
    }

    fn put(&mut self, resource: &GroupResource, object: Object) {
        let stored = self.shelf.put(resource, object);
        self.owners.add(resource, &stored);
        self.cluster.put(resource, stored.clone());
        self.changed.push((resource.clone(), stored));
    }

    fn hide(&mut self, resource: &GroupResource, shown: Option<Arc<Object>>) {
        if let Some(before) = shown {
            self.shelf.remove(resource, before.namespace(), before.name());
            self.owners.existing.remove(before.text(UID));
            self.removed.push(before);
        }
    }

    /// Turns an object that represents `count` of them into that many.
    fn show_replicas(&mut self, resource: &GroupResource, first: &Object, count: u64) {
        for _ in 1..count {
            let mut replica = first.clone();
            let free = loop {
                self.seed += 1;
                let name = name_generator::generate_name(first.generate_name(), self.seed);
                if !self.cluster.contains(resource, first.namespace(), &name) {
                    break name;
                }
            };
            replica.set(["metadata", "name"], free);
            replica.set(UID, name_generator::generate_uid(self.seed));
            self.put(resource, replica);
        }
    }
}

/// Whether a request deletes an object, and what that owns stays.
///
/// Source: `shouldOrphanDependents`, and `DefaultGarbageCollectionPolicy` of the strategies
pub(super) fn leaves_dependents(request: &Request) -> bool {
    if request.operation != Some(Operation::Delete) {
        return false;
    }
    let option = |name: &str| request.options.as_ref().and_then(|options| options.get(name));
    match (option("propagationPolicy").and_then(Value::as_str), option("orphanDependents")) {
        (Some(policy), _) => policy == "Orphan",
        (None, Some(orphans)) => *orphans == true,
        (None, None) => request.resource.as_ref().is_some_and(|resource| {
            resource.is("", "replicationcontrollers") || resource.is("batch", "jobs")
        }),
    }
}
