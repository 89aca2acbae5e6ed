//! What another server would have answered to the same requests.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::evaluation::{Evaluator, Outcome, Unrecorded};
use crate::quota;
use crate::replay::charges::Charged;
use crate::replay::event::{Event, Logged};
use crate::replay::moment::Moments;
use crate::replay::server::{Server, Way};
use crate::report::comparison::{ComparedBy, Event as ChangeEvent, OutcomeEvent, events_between};
use crate::report::{Diagnostic, Only, masked};
use kube_api::resources::{NAMESPACES, RESOURCE_QUOTAS, SECRETS};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, kinds, resource};

/// An object that only the other server has, or has otherwise.
pub type Added = (GroupResource, Arc<Object>);

/// Another server, and what it answers otherwise.
pub(super) struct Change {
    server: Server,
    profile: Arc<ServerProfile>,
    added: Vec<Added>,
    compared_by: ComparedBy,
    only: Only,
    /// The kinds and namespaces of the objects that requests were about.
    objects: BTreeSet<(String, String)>,
    changes: Tally,
    /// The objects that the other server would not have, or not in this state.
    refused: HashSet<Key>,
    /// The identifiers of those that it would not have.
    absent: HashSet<String>,
}

/// Resource, namespace and name of an object.
type Key = (GroupResource, String, String);

/// What another server answers otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Changes {
    /// The number of requests that both servers answered.
    pub compared: u64,
    /// The number of requests that depend on one that the other server refuses.
    pub consequences: u64,
    /// What is answered otherwise: refusals first, of each sort the most frequent.
    pub groups: Vec<Changed>,
}

/// The changes so far.
#[derive(Debug, Default)]
struct Tally {
    compared: u64,
    consequences: u64,
    groups: BTreeMap<Alike, Group>,
}

/// What the requests of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    event: ChangeEvent,
    rule: String,
    message: String,
}

#[derive(Clone, Debug)]
struct Group {
    count: u64,
    first: String,
    last: String,
    by: BTreeMap<Asker, u64>,
    example: FirstChanged,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asker {
    /// The user.
    pub user: String,
    /// The program, without its version.
    pub user_agent: String,
    /// The workload for which a controller asks, such as `Deployment shop/web`; or nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workload: String,
}

/// The first request of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstChanged {
    /// The request.
    #[serde(flatten)]
    pub logged: Logged,
    /// The other server's message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The body, without what is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// Requests that another server answers otherwise in the same way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Changed {
    /// What happens, such as `newlyDenied`.
    pub event: ChangeEvent,
    /// The plugin, or the part of the server.
    pub plugin: String,
    /// The message, with `…` for the name of the object.
    pub message: String,
    /// The number of requests.
    pub count: u64,
    /// The time of the first, in the log.
    pub first: String,
    /// The time of the last.
    pub last: String,
    /// Who asks, the most frequent first.
    pub by: Vec<AskerCount>,
    /// The first request.
    pub example: FirstChanged,
}

/// Who asks, and how often.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskerCount {
    /// Who.
    #[serde(flatten)]
    pub asker: Asker,
    /// How often.
    pub count: u64,
}

impl Change {
    /// Returns the change from the server of the release `logged` to `server`, with the objects `added` to those of the log.
    pub(super) fn new(
        server: Server,
        logged: Version,
        profile: Arc<ServerProfile>,
        added: Vec<Added>,
        (compared_by, only): (ComparedBy, Only),
    ) -> Self {
        let change = Self {
            server: server.after(logged),
            profile,
            added,
            compared_by,
            only,
            objects: BTreeSet::new(),
            changes: Tally::default(),
            refused: HashSet::new(),
            absent: HashSet::new(),
        };
        change.add(|_| true);
        change
    }

    pub(super) fn cluster(&self) -> &Arc<Cluster> {
        self.server.evaluator.cluster()
    }

    /// Compares the answer of the other server to `event`, which was sent in this `way`, with the outcome `before`.
    /// Keeps the request among `moments` if its answer is another one.
    pub(super) fn take(&mut self, event: &Event, way: Way, before: &Outcome, moments: Option<&mut Moments>) {
        if self.is_consequence(event) {
            self.changes.consequences += 1;
            return;
        }
        let (added, profile) = (&self.added, &self.profile);
        let after = self.server.answer(event, way, |evaluator| count_now(added, profile, event, evaluator));
        self.changes.compared += 1;
        self.objects.insert((before.kind.kind.to_string(), before.namespace.clone()));
        let found = match &after {
            Ok(after) => events_between(before, after, self.compared_by, &self.only),
            Err(Unrecorded::UnknownKind(unknown)) if before.allowed() => vec![OutcomeEvent::new(
                ChangeEvent::NewlyDenied,
                crate::report::Summary::API_SERVER,
                Some(unknown.to_string()),
            )],
            Err(_) => Vec::new(),
        };
        let is_refused = match &after {
            Ok(after) => before.allowed() && !after.allowed(),
            Err(_) => before.allowed(),
        };
        if is_refused && event.succeeded() && !event.is_dry_run() {
            self.refuse(event);
        }
        let name = after.as_ref().map_or(&before.name, |after| &after.name);
        for happened in &found {
            self.count(event, happened, name);
        }
        if let (Some(moments), Ok(after), false) = (moments, &after, found.is_empty()) {
            let said = |happened: &OutcomeEvent| {
                let message = happened.message.as_deref().unwrap_or_default();
                format!("{:?} {} {}", happened.event, happened.rule, nameless(message, &after.name))
            };
            let said: Vec<String> = found.iter().map(said).collect();
            if moments.wants(event, after, &said) {
                let (added, profile) = (&self.added, &self.profile);
                let prepare = |evaluator: &Evaluator| count_now(added, profile, event, evaluator);
                moments.keep(self.server.moment(event, way, prepare));
            }
        }
    }

    /// Counts what the request of `event` added to the usage of quotas of the log, whatever the other server answered.
    pub(super) fn settle(&mut self, event: &Event, charged: &[Charged]) {
        self.server.settle(event, charged);
    }

    /// Brings the cluster to the state that the recorded answer shows, with what the other server has in addition.
    pub(super) fn follow(&mut self, event: &Event) {
        self.server.follow(event, None);
        let key = key(event);
        // A deletion only begins if a kubelet or a finalizer has to end it.
        let is_gone = || self.cluster().get(&key.0, &key.1, &key.2).is_none();
        if event.verb == "delete" && event.succeeded() && is_gone() {
            self.refused.remove(&key);
        }
        self.add(|(resource, object)| {
            let is_it = *resource == key.0 && object.namespace() == key.1 && object.name() == key.2;
            is_it || key.0 == NAMESPACES && object.namespace() == key.2
        });
    }

    /// Returns errors about words that choose among changes, and match no request.
    pub(super) fn idle_words(&self) -> Vec<Diagnostic> {
        self.only.idle_words(self.objects.iter().map(|(kind, namespace)| (&**kind, &**namespace)))
    }

    /// Returns what was found.
    pub(super) fn finish(self) -> Changes {
        self.changes.finish()
    }

    /// Puts those of the added objects that `is_meant` into the cluster. A Namespace of the log gets the labels and
    /// annotations of an added one.
    fn add(&self, is_meant: impl Fn(&Added) -> bool) {
        let cluster = self.cluster();
        for added in self.added.iter().filter(|added| is_meant(added)) {
            let (resource, object) = added;
            let stored = cluster.get(resource, object.namespace(), object.name());
            let Some(stored) = stored.filter(|_| *resource == NAMESPACES) else {
                if *resource != NAMESPACES {
                    cluster.put(resource, object.clone());
                }
                continue;
            };
            let mut namespace = Object::clone(&stored);
            for field in ["labels", "annotations"] {
                for (name, value) in object.child(["metadata", field]).into_iter().flatten() {
                    namespace.set(["metadata", field, name.as_str()], value.clone());
                }
            }
            cluster.put(resource, Arc::new(namespace));
        }
    }

    /// Whether `event` is about an object that the other server would not have, or not in this state.
    fn is_consequence(&mut self, event: &Event) -> bool {
        if self.refused.contains(&key(event)) {
            return true;
        }
        let bodies = [&event.request, &event.response].into_iter().flatten();
        let owners: Vec<&Value> =
            bodies.flat_map(|body| body.list(["metadata", "ownerReferences"])).collect();
        let is_below = owners.iter().any(|owner| self.absent.contains(owner.text("uid")));
        if is_below && event.verb == "create" {
            self.refuse(event);
        }
        is_below
    }

    fn refuse(&mut self, event: &Event) {
        self.refused.insert(key(event));
        let uid = event.response.as_ref().map_or("", |response| response.text(["metadata", "uid"]));
        if event.code == 201 && event.sub_resource.is_empty() && !uid.is_empty() {
            self.absent.insert(uid.to_owned());
        }
    }

    fn count(&mut self, event: &Event, happened: &OutcomeEvent, name: &str) {
        let message = happened.message.clone().unwrap_or_default();
        let alike = Alike {
            event: happened.event,
            rule: happened.rule.to_owned(),
            message: nameless(&message, name),
        };
        let group = self.changes.groups.entry(alike).or_insert_with(|| Group {
            count: 0,
            first: event.time.clone(),
            last: String::new(),
            by: BTreeMap::new(),
            example: FirstChanged {
                logged: Logged::of(event),
                message,
                body: event.request.as_ref().and_then(|body| shown(event, body)),
            },
        });
        group.count += 1;
        group.last.clone_from(&event.time);
        let asker = Asker {
            user: event.user.username.clone(),
            user_agent: event.program().to_owned(),
            workload: workload(event, self.server.evaluator.cluster()),
        };
        *group.by.entry(asker).or_default() += 1;
    }
}

impl Changes {
    /// Whether a request is newly refused.
    pub fn has_newly_denied(&self) -> bool {
        self.groups.iter().any(|group| group.event == ChangeEvent::NewlyDenied)
    }

    /// Returns the changes of a log from those of its `parts`.
    pub(super) fn joined(parts: Vec<Self>) -> Self {
        let mut all = Tally::default();
        for Self { compared, consequences, groups } in parts {
            all.compared += compared;
            all.consequences += consequences;
            for Changed { event, plugin, message, count, first, last, by, example } in groups {
                let new = Group { count: 0, first, last: String::new(), by: BTreeMap::new(), example };
                let group = all.groups.entry(Alike { event, rule: plugin, message }).or_insert(new);
                group.count += count;
                group.last = std::mem::take(&mut group.last).max(last);
                for AskerCount { asker, count } in by {
                    *group.by.entry(asker).or_default() += count;
                }
            }
        }
        all.finish()
    }
}

impl Tally {
    fn finish(self) -> Changes {
        let mut groups: Vec<_> = self.groups.into_iter().map(|(alike, group)| group.finish(alike)).collect();
        groups.sort_by_key(|group| (group.event, std::cmp::Reverse(group.count)));
        Changes { compared: self.compared, consequences: self.consequences, groups }
    }
}

impl Group {
    fn finish(self, Alike { event, rule, message }: Alike) -> Changed {
        let Self { count, first, last, by, example } = self;
        let mut by: Vec<_> = by.into_iter().map(|(asker, count)| AskerCount { asker, count }).collect();
        by.sort_by_key(|by| std::cmp::Reverse(by.count));
        Changed { event, plugin: rule, message, count, first, last, by, example }
    }
}

/// Shows the quotas among the `added` objects with the usage of what exists at the moment of `event`.
fn count_now(added: &[Added], profile: &Arc<ServerProfile>, event: &Event, evaluator: &Evaluator) {
    for (resource, quota) in added.iter().filter(|(resource, _)| *resource == RESOURCE_QUOTAS) {
        let cluster = evaluator.cluster();
        if quota.namespace() == event.namespace && cluster.namespace(&event.namespace).is_some() {
            let mut counted = Object::clone(quota);
            counted.set(["status"], quota::calculate_status(quota, cluster, profile));
            cluster.put(resource, Arc::new(counted));
        }
    }
}

fn key(event: &Event) -> Key {
    (event.group_resource().clone(), event.own_namespace().to_owned(), event.stored_name().to_owned())
}

/// Returns a message without the name of the object that it is about, which is the quoted word after the resource or kind
/// at its beginning, and without the usage of a quota.
pub(super) fn nameless(message: &str, name: &str) -> String {
    let quoted = format!("\"{name}\"");
    let message = match message.split_once(&quoted) {
        Some((start, rest)) if !name.is_empty() && !start.trim_end().contains(' ') => {
            format!("{start}\"…\"{rest}")
        }
        _ => message.to_owned(),
    };
    // The usage of a quota is another one at every refusal.
    match message
        .split_once(", used: ")
        .and_then(|(start, rest)| Some((start, rest.split_once(", limited: ")?)))
    {
        Some((start, (_, limits))) if start.contains("exceeded quota: ") => {
            format!("{start}, used: …, limited: {limits}")
        }
        _ => message,
    }
}

/// Returns a body without what is secret; nothing of one that is secret as a whole, such as a patch of a Secret.
fn shown(event: &Event, body: &Value) -> Option<Value> {
    let kind = GroupVersionKind::from_api_version(body.text("apiVersion"), body.text("kind"));
    if event.is_of(&SECRETS) && !kind.is(kinds::SECRET) {
        return None;
    }
    Some(if body.is_object() { masked(&kind, body, body).0 } else { body.clone() })
}

/// Returns the workload for which a controller sends the request of `event`, such as `Deployment shop/web`.
fn workload(event: &Event, cluster: &Cluster) -> String {
    let bodies = [&event.request, &event.response].into_iter().flatten();
    let owner = |object: &Value| {
        let owners = object.list(["metadata", "ownerReferences"]).iter();
        owners.into_iter().find(|owner| owner.flag("controller")).cloned()
    };
    let mut found = bodies.into_iter().find_map(owner);
    let mut named = None;
    // A ReplicaSet has an owner of its own, as has the Job of a CronJob.
    for _ in 0..3 {
        let Some(reference) = found else { break };
        let (kind, name) = (reference.text("kind").to_owned(), reference.text("name").to_owned());
        let of = GroupVersionKind::from_api_version(reference.text("apiVersion"), &kind);
        let above = resource::by_kind(&of).and_then(|found| {
            cluster.get(&found.group_version_resource().group_resource(), &event.namespace, &name)
        });
        found = above.and_then(|above| owner(&above.value));
        named = Some((kind, name));
    }
    named.map_or_else(String::new, |(kind, name)| format!("{kind} {}/{name}", event.namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_object_is_left_out() {
        let message = "pods \"db\" is forbidden: container \"db\" must not";
        assert_eq!(nameless(message, "db"), "pods \"…\" is forbidden: container \"db\" must not");
        let quota =
            "pods \"db\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3";
        let expected =
            "pods \"…\" is forbidden: exceeded quota: q, requested: pods=1, used: …, limited: pods=3";
        assert_eq!(nameless(quota, "db"), expected);
        assert_eq!(nameless("would violate: container \"db\"", "db"), "would violate: container \"db\"");
    }
}
