//! The requests that a controller sends because of one object, and what became of them.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Refusal, UserInfo};
use crate::cluster::{Cluster, PackedObject};
use crate::evaluation::Place;
use crate::evaluation::outcome::{Cause, Outcome};
use crate::workload::{self, Existing, Reaction, Replica, Rollout, Template, Unmet};
use kube_api::field::Path;
use kube_api::{GroupVersionKind, Object};

/// A document whose object controllers work on.
#[derive(Clone)]
pub(in crate::evaluation) struct Root {
    pub(super) place: Option<Place>,
    pub(super) owner_kind: GroupVersionKind,
    pub(super) owner_namespace: String,
    pub(super) owner_name: String,
    /// The number of the document.
    pub(super) ordinal: u64,
    pub(super) time: Duration,
}

/// An object that a controller cannot create now, with its owner.
pub(in crate::evaluation) type UnmetWork = (Arc<Root>, Followed, Unmet);

/// A followed object: one that was created or changed, and its place.
#[derive(Clone)]
pub(in crate::evaluation) struct Followed {
    pub(super) object: Arc<Object>,
    pub(super) old_object: Option<Arc<Object>>,
    pub(super) count: u64,
    pub(super) path: Option<Path>,
}

/// The remaining requests of a controller.
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a trait of a controller, and independent of the others"
)]
pub(in crate::evaluation) struct Work {
    pub(super) root: Arc<Root>,
    pub(super) controller: &'static str,
    pub(super) user_info: Arc<UserInfo>,
    /// The path of the object that the controller works on.
    pub(super) path: Option<Path>,
    pub(super) is_ordered: bool,
    pub(super) max_unavailable: u64,
    pub(super) surges: bool,
    pub(super) rollout: Option<Rollout>,
    /// The missing replicas, each `times` times.
    pub(super) replicas: Vec<Replica>,
    pub(super) times: u64,
    /// Whether more than one equal object was wanted: then each is a new one.
    pub(super) are_many: bool,
    pub(super) is_resumed: bool,
    alike: Vec<Alike>,
}

/// Work that a controller retries later. There may be many of them, so they are kept small.
#[derive(Clone)]
pub(in crate::evaluation) struct Postponed {
    pub(super) work: Work,
    pub(super) replicas: Vec<PackedReplica>,
    /// The state of the cluster in which it was refused.
    pub(super) refused_at: u64,
}

/// A packed replica: its objects, and those that are removed before they are created.
type PackedReplica = (Vec<(PackedObject, Option<Path>)>, Vec<Existing>);

impl Work {
    pub(super) fn new(root: Arc<Root>, reaction: Reaction, path: Option<Path>) -> Self {
        let Reaction {
            controller,
            replicas,
            times,
            is_ordered,
            max_unavailable,
            surges,
            rollout,
            is_resumed,
            ..
        } = reaction;
        let replicas = if times == 0 { Vec::new() } else { replicas };
        Self {
            root,
            controller,
            user_info: Arc::new(workload::user_info(controller)),
            path,
            is_ordered,
            max_unavailable,
            surges,
            rollout,
            is_resumed,
            are_many: times > 1,
            alike: Alike::of(&replicas, times),
            replicas,
            times,
        }
    }

    /// Forgets why objects are missing.
    pub(super) fn forget_refusals(&mut self) {
        for alike in &mut self.alike {
            alike.outcome = alike.outcome.take().filter(Outcome::allowed);
        }
    }

    /// Reduces equal pods to those that are still wanted.
    pub(super) fn keep_wanted(&mut self, cluster: &Cluster) {
        let Some(template) = self.replicas.first().and_then(|replica| replica.templates.first()) else {
            return;
        };
        if let Some(wanted) = workload::wanted_like(cluster, &template.object) {
            if wanted == 0 {
                self.replicas.clear();
                self.alike.clear();
            }
            self.times = self.times.min(wanted.max(1));
        }
    }

    /// Records the outcome for `template`, of which `admitted` objects were created.
    pub(super) fn note(&mut self, template: &Template, outcome: Outcome, admitted: u64) {
        let alike = self.alike.iter_mut().find(|alike| alike.has(template));
        alike.expect("every template is among those counted").add(outcome, admitted);
    }

    /// Adds to `caused` the outcomes of the objects that all exist; if `finally`, also those of the others.
    pub(super) fn take_outcomes(&mut self, caused: &mut Vec<Outcome>, finally: bool) {
        for alike in &mut self.alike {
            let is_final = alike.admitted == alike.count || finally;
            let Some(mut outcome) = alike.outcome.take_if(|_| is_final) else { continue };
            if self.is_resumed && alike.admitted == 0 {
                continue;
            }
            outcome.cause = Some(Cause {
                controller: self.controller,
                owner_kind: self.root.owner_kind.clone(),
                owner_namespace: self.root.owner_namespace.clone(),
                owner_name: self.root.owner_name.clone(),
                replicas: alike.count,
                admitted: alike.admitted,
            });
            caused.push(outcome);
        }
    }
}

impl Postponed {
    /// Packs work without the reasons that objects are missing, which are reported when they are requested again.
    pub(super) fn new(mut work: Work, refused_at: u64) -> Self {
        work.forget_refusals();
        let pack = |template: Template| (PackedObject::new(&template.object), template.path);
        let replicas = mem::take(&mut work.replicas).into_iter();
        let replicas =
            replicas.map(|replica| (replica.templates.into_iter().map(pack).collect(), replica.replaces));
        Self { replicas: replicas.collect(), work, refused_at }
    }

    pub(super) fn unpack(self) -> Work {
        let unpack = |(object, path): (PackedObject, _)| Template { object: object.object(), path };
        let replicas = self.replicas.into_iter().map(|(templates, replaces)| Replica {
            templates: templates.into_iter().map(unpack).collect(),
            replaces,
        });
        Work { replicas: replicas.collect(), ..self.work }
    }

    /// Returns the same state for a cluster at revision `now` that equals that at revision `then`.
    pub(in crate::evaluation) fn at(&self, then: u64, now: u64) -> Self {
        let refused_at =
            if self.refused_at == then { now } else { self.refused_at.min(now.saturating_sub(1)) };
        Self { refused_at, ..self.clone() }
    }

    /// Returns the number of objects that are still missing.
    pub(super) fn missing(&self) -> u64 {
        self.replicas.iter().map(|(templates, _)| templates.len() as u64 * self.work.times).sum()
    }
}

/// The objects of a reaction from one template of the owner, which are reported as one.
#[derive(Clone)]
struct Alike {
    kind: GroupVersionKind,
    path: Option<Path>,
    count: u64,
    admitted: u64,
    /// The outcome to report.
    outcome: Option<Outcome>,
}

impl Alike {
    fn of(replicas: &[Replica], times: u64) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for template in replicas.iter().flat_map(|replica| &replica.templates) {
            match all.iter_mut().find(|alike| alike.has(template)) {
                Some(alike) => alike.count += times,
                None => all.push(Self {
                    kind: template.object.kind.clone(),
                    path: template.path.clone(),
                    count: times,
                    admitted: 0,
                    outcome: None,
                }),
            }
        }
        all
    }

    fn has(&self, template: &Template) -> bool {
        self.kind == template.object.kind && self.path == template.path
    }

    /// Adds the outcome of some of them: the first outcome is reported completely, of the others only a refusal.
    fn add(&mut self, mut outcome: Outcome, admitted: u64) {
        self.admitted += admitted;
        let Some(reported) = &mut self.outcome else {
            self.outcome = Some(outcome);
            return;
        };
        let Some(refusal) = outcome.refusal.take() else { return };
        if reported.allowed() {
            let refused = outcome.trace.steps.into_iter().filter(|step| step.refusal.is_some());
            reported.trace.steps.extend(refused);
            refuse(reported, refusal);
        }
    }
}

pub(super) fn refuse(outcome: &mut Outcome, refusal: Refusal) {
    outcome.refusal = Some(refusal);
    outcome.object = None;
}
