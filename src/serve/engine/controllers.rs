//! What controllers do in the background of a cluster: they rest when nothing changes any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Engine, OWNERS, UID};
use crate::admission::Operation;
use crate::evaluation::{Recorded, Request};
use crate::serve::Pods;
use crate::serve::token::TokenSecret;
use crate::workload;
use gotext::source::Node;
use gotext::value::json;
use kube_api::resources::{
    CLUSTER_ROLES, CUSTOM_RESOURCE_DEFINITIONS, ENDPOINT_SLICES, ENDPOINTS, NAMESPACES,
    POD_DISRUPTION_BUDGETS, PODS, SECRETS,
};
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, decode, kinds, resource};

/// The owners above an object that are looked at: references can form a circle.
const MAX_OWNERS: usize = 4;

/// The rounds in which controllers come to rest.
const MAX_ROUNDS: usize = 1000;

/// The program of the controllers, as it is in `managedFields`.
const MANAGER: &str = "kube-controller-manager";

/// The first release in which volumes have the time of their phase.
const PHASES_HAVE_TIMES: Version = Version::minor(29);

/// What controllers look at together because an object of it changed.
#[derive(Default)]
struct Seen {
    roles: bool,
    volumes: bool,
    /// The namespaces whose budgets are counted.
    budgets: BTreeSet<String>,
    /// The namespaces whose Services may have other endpoints.
    endpoints: BTreeSet<String>,
}

impl Seen {
    fn add(&mut self, object: &Object) {
        let namespace = || object.namespace().to_owned();
        match &*object.kind.kind {
            "ClusterRole" => self.roles = true,
            "PersistentVolume" | "PersistentVolumeClaim" => self.volumes = true,
            "Deployment" | "Pod" | "PodDisruptionBudget" | "ReplicaSet" | "StatefulSet" => {
                self.budgets.insert(namespace());
            }
            "Service" | "Endpoints" | "EndpointSlice" => drop(self.endpoints.insert(namespace())),
            _ => {}
        }
        if object.kind.is(kinds::POD) && object.has(["status", "podIP"]) {
            self.endpoints.insert(namespace());
        }
    }
}

impl Engine {
    /// Lets the controllers act on what changed, until nothing changes.
    pub(in crate::serve) fn settle(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut caused = Vec::new();
            self.evaluator.retry(|outcome| caused.push(outcome));
            caused.into_iter().for_each(&mut self.sink);
            self.show_changes();
            if self.changed.is_empty() && self.removed.is_empty() {
                return;
            }
            let changed = std::mem::take(&mut self.changed);
            let removed = std::mem::take(&mut self.removed);
            let mut seen = Seen::default();
            for (resource, object) in changed {
                seen.add(&object);
                if resource == CUSTOM_RESOURCE_DEFINITIONS {
                    self.establish(&object);
                } else if resource == NAMESPACES && object.has(["metadata", "deletionTimestamp"]) {
                    self.ending.insert(object.name().to_owned());
                } else if let Some(running) = self.started(&object) {
                    self.write(&resource, running);
                } else if let Some(released) = workload::unprotected(&self.cluster, &object) {
                    self.release(&resource, released);
                } else if resource == SECRETS {
                    self.issue_token(&object);
                }
                self.observe(&resource, &object);
                self.complain(&object);
                if resource == PODS && ["Succeeded", "Failed"].contains(&object.text(["status", "phase"])) {
                    self.replace(&object);
                }
            }
            for object in &removed {
                seen.add(object);
                self.collect_garbage(object.text(UID));
                self.delete_endpoints(object);
                self.end_tokens(object);
            }
            for object in &removed {
                self.replace(object);
                self.observe(&GroupResource::default(), object);
            }
            self.end_namespaces();
            self.show_changes();
            self.relate(&seen);
            self.show_changes();
        }
    }

    /// Lets the controllers act that look at several objects at once.
    fn relate(&mut self, seen: &Seen) {
        if !self.follows_workloads {
            return;
        }
        if seen.roles {
            for role in workload::aggregated(&self.cluster) {
                self.write(&CLUSTER_ROLES, role);
            }
        }
        if seen.volumes {
            let now = (self.clock)();
            let since = (self.tokens.release >= PHASES_HAVE_TIMES).then_some(&*now);
            for (resource, object) in workload::bound(&self.cluster, since) {
                self.write(&resource, object);
            }
        }
        for namespace in &seen.budgets {
            if !self.stays(namespace) {
                continue;
            }
            for budget in workload::counted(&self.cluster, namespace, &(self.clock)()) {
                self.write(&POD_DISRUPTION_BUDGETS, budget);
            }
        }
        for namespace in &seen.endpoints {
            if !self.stays(namespace) {
                continue;
            }
            let changes = workload::published(&self.cluster, namespace, self.seed + 1);
            self.seed += changes.stored.len() as u64;
            for (resource, object) in changes.stored {
                self.write(&resource, object);
            }
            for slice in changes.deleted {
                self.cluster.remove(&ENDPOINT_SLICES, slice.namespace(), slice.name());
            }
        }
    }

    /// Whether a namespace is there and does not end: what is written into one that ends would stay after it.
    fn stays(&self, namespace: &str) -> bool {
        !self.ending.contains(namespace) && self.cluster.namespace(namespace).is_some()
    }

    /// Completes a Secret that is for the token of a service account, or deletes it if there is no such account.
    fn issue_token(&mut self, secret: &Object) {
        if !self.follows_workloads {
            return;
        }
        match self.tokens.completed(secret, &self.shelf) {
            None => {}
            Some(TokenSecret::Completed(completed)) => self.write(&SECRETS, *completed),
            Some(TokenSecret::Orphaned) => self.delete(&SECRETS, secret, "tokens-controller"),
        }
    }

    /// Deletes the Secrets with tokens of a service account that was `removed`.
    fn end_tokens(&mut self, removed: &Object) {
        if removed.kind.is(kinds::SERVICE_ACCOUNT) {
            for secret in self.shelf.list(&SECRETS, removed.namespace()).objects {
                self.issue_token(&secret);
            }
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

    /// Deletes the Endpoints of a Service that was `removed`.
    ///
    /// Source: `afterDelete` of the storage of Services, `endpoints_controller.go`
    fn delete_endpoints(&mut self, removed: &Object) {
        if !removed.kind.is(kinds::SERVICE) {
            return;
        }
        if let Some(endpoints) = self.shelf.get(&ENDPOINTS, removed.namespace(), removed.name()) {
            self.delete(&ENDPOINTS, &endpoints, "endpoint-controller");
        }
    }

    /// Stores what a controller wrote, in the form that typed clients send.
    fn write(&self, resource: &GroupResource, mut object: Object) {
        decode::normalize(&mut object);
        self.cluster.put(resource, Arc::new(object));
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

    /// Returns a Pod that was created or has other images as it is when it runs, or a Node as its kubelet reports it.
    fn started(&self, object: &Object) -> Option<Object> {
        let now = (self.clock)();
        match self.pods {
            Pods::Pending => None,
            Pods::Ready => {
                let running = workload::run(&self.cluster, object, &now);
                running.or_else(|| workload::restart(object, &now)).or_else(|| workload::join(object, &now))
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
        for _ in 0..MAX_OWNERS {
            let Some((resource, namespace, name)) = seen.take() else { return };
            if let Some(workload) = self.cluster.get(&resource, &namespace, &name) {
                if let Some(observed) = workload::observed(&self.cluster, &workload, &(self.clock)()) {
                    self.write(&resource, observed);
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
            deadline: None,
        });
    }

    /// Lets the objects that `owner` owns stay when it is deleted.
    pub(super) fn orphan(&self, owner: &Object) {
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
        self.request(Recorded {
            request,
            verb: "delete".to_owned(),
            patch: None,
            manager: String::new(),
            deadline: None,
        });
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
pub(super) fn terminating(definition: &Object, now: &str) -> Option<Object> {
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
