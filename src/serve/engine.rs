//! The evaluator: it answers the requests that change something, one after the other, and then lets the controllers act
//! that work in the background of a cluster.

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
use crate::workload;
use gotext::source::Node;
use gotext::value::json;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, PODS};
use kube_api::{
    GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, Value, name_generator, resource,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers of uids and names that are issued to objects without a request start here: they have twelve digits of base
/// sixteen, as the last part of a uid has.
const FIRST_SEED: u64 = 1 << 47;

/// The owners above an object that are looked at: references can form a circle.
const MOST_OWNERS: usize = 4;

/// The rounds in which controllers come to rest.
const MOST_ROUNDS: usize = 1000;

/// The program of the controllers, as it is in `managedFields`.
const MANAGER: &str = "kube-controller-manager";

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
    /// Starts to show the objects of the evaluator's cluster on `shelf`. `clock` returns the time in RFC 3339.
    pub(super) fn new(
        evaluator: Evaluator,
        shelf: Arc<Shelf>,
        sink: Sink,
        clock: fn() -> String,
        pods: Pods,
    ) -> Self {
        let cluster = evaluator.cluster().clone();
        let mut engine = Self {
            follows_workloads: evaluator.plays_controllers(),
            evaluator: evaluator.issuing(clock),
            cluster,
            shelf,
            sink,
            clock,
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
        let owner = before.as_deref().filter(|_| leaves_dependents(&recorded.request));
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

    /// Lets the controllers act on what changed, until nothing changes.
    pub(super) fn settle(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let mut caused = Vec::new();
            self.evaluator.retry(|outcome| caused.push(outcome));
            caused.into_iter().for_each(&mut self.sink);
            self.show_changes();
            if self.changed.is_empty() && self.removed.is_empty() {
                return;
            }
            let changed = std::mem::take(&mut self.changed);
            let removed = std::mem::take(&mut self.removed);
            for (resource, object) in changed {
                if resource == CUSTOM_RESOURCE_DEFINITIONS {
                    self.establish(&object);
                } else if resource == NAMESPACES && object.has(["metadata", "deletionTimestamp"]) {
                    self.ending.insert(object.name().to_owned());
                } else if let Some(running) = self.started(&object) {
                    self.cluster.put(&resource, Arc::new(running));
                } else if let Some(released) = workload::unprotected(&self.cluster, &object) {
                    self.release(&resource, released);
                }
                self.observe(&resource, &object);
                self.complain(&object);
                if resource == PODS && ["Succeeded", "Failed"].contains(&object.text(["status", "phase"])) {
                    self.replace(&object);
                }
            }
            for object in &removed {
                self.collect_garbage(object.text(UID));
            }
            for object in &removed {
                self.replace(object);
                self.observe(&GroupResource::default(), object);
            }
            self.end_namespaces();
            self.show_changes();
        }
    }

    /// Accepts the names of a definition.
    ///
    /// Source: `naming_controller.go`, `establishing_controller.go` of `k8s.io/apiextensions-apiserver`
    fn establish(&mut self, definition: &Object) {
        let has = |kind: &str| {
            let conditions = definition.list(["status", "conditions"]);
            conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
        };
        if has("Established")
            && definition.at(["status", "acceptedNames"]) == definition.at(["spec", "names"])
        {
            return;
        }
        let now = (self.clock)();
        let condition = |kind: &str, reason: &str, message: &str| {
            json!({
                "type": kind,
                "status": "True",
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
            })
        };
        let mut established = definition.clone();
        let names = definition.at(["spec", "names"]).cloned().unwrap_or_default();
        established.set(["status", "acceptedNames"], names);
        established.set(
            ["status", "conditions"],
            vec![
                condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
            ],
        );
        let versions = definition.items(["spec", "versions"]).filter(|version| version["storage"] == true);
        for version in versions.map(|version| version["name"].clone()) {
            if !established.list(["status", "storedVersions"]).contains(&version) {
                established.append(["status", "storedVersions"], version);
            }
        }
        self.cluster.put(&CUSTOM_RESOURCE_DEFINITIONS, Arc::new(established));
    }

    /// Deletes the objects whose owners are all gone, of which `removed` was one.
    ///
    /// Source: `k8s.io/kubernetes/pkg/controller/garbagecollector`
    fn collect_garbage(&mut self, removed: &str) {
        for (resource, namespace, name) in self.owners.dependents.remove(removed).into_iter().flatten() {
            let Some(object) = self.shelf.get(&resource, &namespace, &name) else { continue };
            let mut owners = object.items(OWNERS).map(|owner| owner.text("uid"));
            let is_owned = owners.clone().any(|owner| self.owners.existing.contains(owner));
            if owners.any(|owner| owner == removed) && !is_owned {
                self.delete(&resource, &object, "generic-garbage-collector");
            }
        }
    }

    /// Lets the controller of an object that was removed or has ended create another one.
    fn replace(&mut self, ended: &Object) {
        let Some(owner) = ended.items(OWNERS).find(|owner| owner.flag("controller")) else { return };
        let kind = GroupVersionKind::from_api_version(owner.text("apiVersion"), owner.text("kind"));
        let Some(found) = resource::by_kind(&kind) else { return };
        let resource = found.group_version_resource().group_resource();
        let namespace = if found.namespaced { ended.namespace() } else { "" };
        let Some(controller) = self.cluster.get(&resource, namespace, owner.text("name")) else { return };
        if controller.text(UID) != owner.text("uid") || controller.has(["metadata", "deletionTimestamp"]) {
            return;
        }
        let mut caused = Vec::new();
        self.evaluator.reconcile(&controller, |outcome| caused.push(outcome));
        caused.into_iter().for_each(&mut self.sink);
    }

    /// Stores an object that has lost a finalizer, unless that was the last thing that kept it.
    fn release(&self, resource: &GroupResource, object: Object) {
        if object.list(["metadata", "finalizers"]).is_empty() {
            self.cluster.remove(resource, object.namespace(), object.name());
        } else {
            self.cluster.put(resource, Arc::new(object));
        }
    }

    /// Returns a Pod that was created as it is when it runs, or a Node as its kubelet reports it.
    fn started(&self, object: &Object) -> Option<Object> {
        let now = (self.clock)();
        match self.pods {
            Pods::Pending => None,
            Pods::Ready => {
                workload::run(&self.cluster, object, &now).or_else(|| workload::join(object, &now))
            }
        }
    }

    /// Writes what controllers report about a workload that changed, or whose objects did.
    fn observe(&self, resource: &GroupResource, object: &Object) {
        if !self.follows_workloads {
            return;
        }
        let mut seen = Some((resource.clone(), object.namespace().to_owned(), object.name().to_owned()));
        let mut owners = object.list(OWNERS).to_vec();
        for _ in 0..MOST_OWNERS {
            let Some((resource, namespace, name)) = seen.take() else { return };
            if let Some(workload) = self.cluster.get(&resource, &namespace, &name) {
                if let Some(observed) = workload::observed(&self.cluster, &workload, &(self.clock)()) {
                    self.cluster.put(&resource, Arc::new(observed));
                }
                owners = workload.list(OWNERS).to_vec();
            }
            let owner = owners.iter().find(|owner| owner.flag("controller"));
            seen = owner.and_then(|owner| {
                let kind = GroupVersionKind::from_api_version(owner.text("apiVersion"), owner.text("kind"));
                let found = resource::by_kind(&kind)?.group_version_resource().group_resource();
                Some((found, namespace, owner.text("name").to_owned()))
            });
            owners.clear();
        }
    }

    /// Writes the event of a controller that cannot do what an object asks for, unless there is one.
    fn complain(&mut self, object: &Object) {
        const EVENTS: GroupResource = GroupResource::new("", "events");
        if !self.follows_workloads {
            return;
        }
        let Some(event) = workload::complaint(object, self.clock, self.seed + 1) else { return };
        let is_about_it = |other: &Arc<Object>| {
            other.at(["involvedObject", "uid"]) == event.at(["involvedObject", "uid"])
                && other.at("reason") == event.at("reason")
        };
        if self.shelf.list(&EVENTS, object.namespace()).objects.iter().any(is_about_it) {
            return;
        }
        self.seed += 1;
        let request = Request {
            operation: Some(Operation::Create),
            namespace: Some(object.namespace().to_owned()),
            user_info: Arc::new(workload::user_info(event.text(["source", "component"]))),
            object: Some(Node::from(event.value)),
            ..Request::to(GroupVersionResource::new("", "v1", "events"), "")
        };
        self.request(Recorded {
            request,
            verb: "create".to_owned(),
            patch: None,
            manager: MANAGER.to_owned(),
        });
    }

    /// Lets the objects that `owner` owns stay when it is deleted.
    fn orphan(&self, owner: &Object) {
        let uid = owner.text(UID);
        for (resource, namespace, name) in self.owners.of(uid) {
            let Some(object) = self.cluster.get(resource, namespace, name) else { continue };
            let mut orphan = Object::clone(&object);
            let others = object.items(OWNERS).filter(|owner| owner.text("uid") != uid);
            let others: Vec<_> = others.cloned().collect();
            if others.is_empty() {
                orphan.remove(OWNERS);
            } else {
                orphan.set(OWNERS, others);
            }
            self.cluster.put(resource, Arc::new(orphan));
        }
    }

    /// Deletes what is in the namespaces that end, and those that are empty.
    ///
    /// Source: `namespaced_resources_deleter.go`
    fn end_namespaces(&mut self) {
        for name in self.ending.clone() {
            let Some(namespace) = self.cluster.namespace(&name) else {
                self.ending.remove(&name);
                continue;
            };
            for (resource, object, _) in self.cluster.list_namespace(&name) {
                if !object.has(["metadata", "deletionTimestamp"]) {
                    self.delete(&resource, &object, "namespace-controller");
                }
            }
            let is_empty = self.cluster.list_namespace(&name).is_empty();
            if is_empty && namespace.list(["metadata", "finalizers"]).is_empty() {
                self.cluster.remove(&NAMESPACES, "", &name);
                self.ending.remove(&name);
            }
        }
    }

    /// Sends the request of a controller to delete `object`.
    fn delete(&mut self, resource: &GroupResource, object: &Object, controller: &str) {
        let version = object.kind.version.clone();
        let resource = GroupVersionResource {
            group: resource.group.clone(),
            version,
            resource: resource.resource.clone(),
        };
        let request = Request {
            operation: Some(Operation::Delete),
            namespace: Some(object.namespace().to_owned()),
            name: Some(object.name().to_owned()),
            user_info: Arc::new(workload::user_info(controller)),
            ..Request::to(resource, "")
        };
        self.request(Recorded { request, verb: "delete".to_owned(), patch: None, manager: String::new() });
    }

    /// Sends the request of a controller.
    fn request(&mut self, recorded: Recorded) {
        // A resource that is no longer served has no objects that requests can delete.
        if let Ok(answered) = self.evaluate(recorded) {
            let outcome = self.evaluator.let_controllers_act(answered);
            if !outcome.allowed() {
                self.report(outcome);
            }
        }
        self.show_changes();
    }
}

/// Returns a definition as the answer to its deletion shows it, if it was not deleted before: it stays until its objects
/// are gone.
///
/// Source: `Delete` of `k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go`
fn terminating(definition: &Object, now: &str) -> Option<Object> {
    const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
    if definition.has(["metadata", "deletionTimestamp"]) {
        return None;
    }
    let mut ended = definition.clone();
    ended.set(["metadata", "deletionTimestamp"], now);
    if !ended.list(["metadata", "finalizers"]).contains(&CLEANUP.into()) {
        ended.append(["metadata", "finalizers"], CLEANUP);
    }
    let condition = json!({
        "type": "Terminating",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
    ended.append(["status", "conditions"], condition);
    Some(ended)
}

/// Whether a request deletes an object, and what that owns stays.
///
/// Source: `shouldOrphanDependents`, and `DefaultGarbageCollectionPolicy` of the strategies
fn leaves_dependents(request: &Request) -> bool {
    if request.operation != Some(Operation::Delete) || request.dry_run {
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
