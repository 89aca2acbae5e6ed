//! Emulation of the controllers of a cluster: the objects that they create, directly or by requests, when others are
//! created or changed.
//!
//! Source: `k8s.io/kubernetes/pkg/controller`.

mod adoption;
mod aggregation;
mod autoscale;
mod cron_job;
mod daemon_set;
mod deployment;
mod disruption;
mod endpoints;
mod garbage;
mod job;
mod kubelet;
mod namespace;
mod node_affinity;
#[cfg(feature = "openshift")]
mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "workload/without_openshift.rs"]
mod openshift;
mod owned;
mod pod;
mod protection;
mod quota;
mod replica_set;
mod revision;
mod rollout;
mod stateful_set;
mod status;
mod token;
mod volume;

use std::sync::Arc;

use crate::admission::UserInfo;
use crate::cluster::Cluster;
use kube_api::field::Path;
use kube_api::kinds::{self, GroupKind};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object};

pub use adoption::{Adoption, adopt};
pub use aggregation::aggregated;
pub use autoscale::{Scaled, autoscaler_of, scale, scale_target};
pub use cron_job::complaint;
pub use disruption::counted;
pub use endpoints::published;
pub use garbage::is_garbage;
pub use kubelet::{join, restart, run};
pub use namespace::{is_made_with_namespace, make_namespace};
pub use protection::unprotected;
pub use rollout::{Rollout, owner_of, wanted_like};
pub use status::observed;
pub use volume::bound;

/// Returns the object that the controller of `object` requests in a cluster that has no others for it, if that follows
/// from the object alone.
pub fn foresee(object: &Object) -> Option<Object> {
    object.kind.is(kinds::DEPLOYMENT).then(|| deployment::first_replica_set(object))
}

/// The annotations that controllers set.
pub const ANNOTATIONS: [&str; 7] = [
    "deployment.kubernetes.io/revision",
    "deprecated.daemonset.template.generation",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
];

/// The time at which controllers act.
const NOW: &str = "2026-01-01T00:00:00Z";

/// An event: the creation or change of an object.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// The object as it was; nothing if it was created.
    pub old_object: Option<&'a Object>,
    /// The object as it is.
    pub object: &'a Object,
    /// The number of equal objects that it represents.
    pub count: u64,
    /// The existing objects.
    pub cluster: &'a Cluster,
    /// The gates of the controller manager.
    pub profile: &'a ServerProfile,
    /// Whether objects that are not in `cluster` do not exist.
    pub knows_all: bool,
    /// What [`foresee`] returned for `object`, if someone asked, with defaults.
    pub predicted: Option<&'a Object>,
}

/// The reaction of a controller to an [`Event`].
#[derive(Debug, Default)]
pub struct Reaction {
    /// The controller.
    pub controller: &'static str,
    /// Objects that it deletes, or that are deleted along with those.
    pub deleted: Vec<Existing>,
    /// Objects that it asks the server to create or change. A refusal for one replica does not stop the next.
    pub replicas: Vec<Replica>,
    /// The number of times that all of `replicas` is wanted: more than once if they are equal except for generated
    /// names.
    pub times: u64,
    /// Whether no replica is created before those ahead of it.
    pub is_ordered: bool,
    /// The number of replacing replicas that may fail before no more old ones are removed.
    pub max_unavailable: u64,
    /// Whether older objects are removed only after those that replace them were created.
    pub surges: bool,
    /// The older pods that equal replicas replace.
    pub rollout: Option<Rollout>,
    /// Whether it retries what it lacks although nothing changed: a refusal is then not news.
    pub is_resumed: bool,
    /// The object that it cannot create, and why.
    pub unmet: Option<Unmet>,
    /// The assumptions that were made.
    pub notes: Vec<String>,
}

/// An object that a controller cannot request, because something that it needs does not exist.
#[derive(Clone, Debug)]
pub struct Unmet {
    /// The kind of the object.
    pub kind: GroupVersionKind,
    /// The controller's message.
    pub message: String,
    /// The path of this object's definition in the controller's object.
    pub path: Path,
}

/// The objects of one replica, in order, and the objects that they replace.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    /// The objects.
    pub templates: Vec<Template>,
    /// The objects that are removed before they are created.
    pub replaces: Vec<Existing>,
}

/// An object that a controller wants to exist.
#[derive(Clone, Debug)]
pub struct Template {
    /// The object.
    pub object: Object,
    /// The path of this object's definition in the controller's object, if it has one.
    pub path: Option<Path>,
}

/// An object that exists, with the number of its equals.
#[derive(Clone, Debug)]
pub struct Existing {
    /// The resource.
    pub resource: GroupResource,
    /// The object.
    pub object: Arc<Object>,
    /// The number of equal objects that it represents.
    pub count: u64,
    /// The number of them to be removed.
    pub surplus: u64,
}

/// A controller that creates objects for a kind's objects.
struct Controller {
    name: &'static str,
    kind: GroupKind<'static>,
    react: fn(&Event<'_>) -> Vec<Reaction>,
}

const CONTROLLERS: &[Controller] = &[
    Controller { name: "deployment-controller", kind: kinds::DEPLOYMENT, react: deployment::react },
    Controller { name: "replicaset-controller", kind: kinds::REPLICA_SET, react: replica_set::react },
    Controller {
        name: "replication-controller",
        kind: kinds::REPLICATION_CONTROLLER,
        react: replica_set::react,
    },
    Controller { name: "statefulset-controller", kind: kinds::STATEFUL_SET, react: stateful_set::react },
    Controller { name: "daemon-set-controller", kind: kinds::DAEMON_SET, react: daemon_set::react },
    Controller { name: "job-controller", kind: kinds::JOB, react: job::react },
    Controller { name: "cronjob-controller", kind: kinds::CRON_JOB, react: cron_job::react },
    Controller { name: "ephemeral-volume-controller", kind: kinds::POD, react: pod::claim_volumes },
    Controller { name: "resource-claim-controller", kind: kinds::POD, react: pod::claim_devices },
];

/// Returns the controllers of every distribution that kadmit is built with.
fn controllers() -> impl Iterator<Item = &'static Controller> {
    CONTROLLERS.iter().chain(openshift::CONTROLLERS)
}

/// Plays the controllers for everything that exists. Returns the assumptions that this made, as text.
pub fn run_controllers(cluster: &Arc<Cluster>, profile: &Arc<ServerProfile>) -> Vec<String> {
    let mut notes = openshift::make_standard(cluster, profile);
    namespace::keep_all(cluster, profile);
    pod::protect_claims(cluster);
    notes.extend(quota::fill_all(cluster, profile));
    notes.extend(openshift::fill_quotas(cluster, profile));
    notes
}

/// Plays the controllers that only keep the state of the cluster, for an object that was created or changed. Returns
/// the assumptions that this made, as text.
pub fn keep_state(
    cluster: &Arc<Cluster>,
    object: &Arc<Object>,
    profile: &Arc<ServerProfile>,
) -> Option<String> {
    if object.kind.is(kinds::NAMESPACE) || openshift::has_namespace(cluster, object) {
        namespace::complete(cluster, object.name(), profile);
    }
    if let Some(note) = openshift::keep_state(cluster, object, profile) {
        return Some(note);
    }
    if object.kind.is(kinds::SERVICE_ACCOUNT) {
        token::keep(cluster, object.namespace(), profile);
    }
    if !object.kind.is(kinds::RESOURCE_QUOTA) {
        return None;
    }
    let note = quota::fill(cluster, object, profile);
    if note.is_none() {
        quota::take_over(cluster, object, profile);
    }
    note
}

/// Returns the requests that controllers send because of `event`.
pub fn react(event: &Event<'_>) -> Vec<Reaction> {
    let concerned = controllers().filter(|it| event.object.kind.is(it.kind));
    let reactions = concerned.flat_map(|controller| {
        let reactions = (controller.react)(event).into_iter();
        reactions.map(|reaction| match reaction.controller {
            "" => Reaction { controller: controller.name, ..reaction },
            _ => reaction,
        })
    });
    reactions.collect()
}

/// Whether a controller creates other objects because of `object`, or may have.
pub fn is_followed(object: &Object) -> bool {
    controllers().any(|controller| object.kind.is(controller.kind))
}

/// Removes `deleted`, with its usage of quotas.
pub fn delete(cluster: &Arc<Cluster>, deleted: &Existing, profile: &Arc<ServerProfile>) {
    let Existing { resource, object, count, surplus } = deleted;
    let (namespace, name) = (object.namespace(), object.name());
    if surplus < count {
        cluster.set_count(resource, namespace, name, count - surplus);
    } else {
        cluster.remove(resource, namespace, name);
    }
    quota::release(cluster, resource, object, *surplus, profile);
}

/// Returns the objects that are deleted with `object`: it, and everything that it owns.
pub fn dependents(cluster: &Cluster, object: &Object) -> Vec<Existing> {
    owned::all_below(cluster, object)
}

/// Returns the service account that a controller acts as.
pub fn user_info(controller: &str) -> UserInfo {
    let namespace = openshift::namespace_of(controller).unwrap_or("kube-system");
    let mut user = UserInfo::of_service_account(namespace, controller);
    user.groups.push("system:authenticated".to_owned());
    user
}

/// The number of differing replicas that are evaluated one by one.
const MAX_DIFFERENT: u64 = 1000;

/// Returns `count`, or the limit of those evaluated one by one, with a note then.
fn bounded(count: u64, owner: &Object) -> (u64, Option<String>) {
    let note = || {
        let (kind, namespace, name) = (&owner.kind.kind, owner.namespace(), owner.name());
        format!("evaluated the first {MAX_DIFFERENT} of {count} replicas of {kind} {namespace}/{name}")
    };
    (count.min(MAX_DIFFERENT), (count > MAX_DIFFERENT).then(note))
}

impl Replica {
    /// Returns a replica of one object that does not replace any.
    fn of(template: Template) -> Self {
        Self { templates: vec![template], replaces: Vec::new() }
    }
}

impl Reaction {
    /// Returns the reaction that creates one object.
    fn of_one(template: Template) -> Self {
        Self { replicas: vec![Replica::of(template)], times: 1, ..Self::default() }
    }

    /// Returns the reaction that creates `count` objects, equal except for their names.
    fn of_equal(template: Template, count: u64) -> Self {
        Self { times: count, ..Self::of_one(template) }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
