//! The consequences of an admitted request: controllers maintain their objects, and send requests, which pass the same
//! chain.

mod waiting;
mod work;

use std::mem;
use std::sync::Arc;

use crate::admission::Operation;
use crate::evaluation::outcome::Outcome;
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Place};
use kube_api::field::Path;
use kube_api::kinds;
use kube_api::{GroupResource, Object, name_generator};

use crate::workload::{self, Event, Existing, Scaled, Template};

use work::{Followed, Root, Work, refuse};

pub(super) use work::{Postponed, UnmetWork};

/// The requests that controllers make have numbers above those of the documents, so that these do not depend on whether
/// controllers are emulated.
const FIRST_CAUSED: u64 = 1 << 40;

impl Evaluator {
    /// Returns the object that `call` changes or deletes, if controllers need it.
    pub(super) fn before(&self, call: &Call) -> Option<Arc<Object>> {
        let is_final = matches!(call.operation, Operation::Update | Operation::Delete);
        let is_whole = matches!(&*call.sub_resource, "" | "scale");
        let stored = || self.cluster.get(&call.target.group_resource(), &call.namespace, &call.name);
        (is_final && is_whole && !self.strict).then(stored).flatten()
    }

    /// Removes the object that `call` creates anew, with the objects that controllers created for it.
    pub(super) fn remove_existing(&self, call: &Call) {
        let resource = call.target.group_resource();
        if let Some(object) = self.cluster.get(&resource, &call.namespace, &call.name) {
            let mut deleted = workload::dependents(&self.cluster, &object);
            deleted.push(Existing { resource, object, count: 1, surplus: 1 });
            self.delete(&deleted);
        }
    }

    /// Runs the controllers because of `outcome`.
    pub(super) fn run_controllers(&mut self, outcome: &mut Outcome, before: Option<Arc<Object>>) {
        if self.strict && !self.follows_workloads {
            return;
        }
        let stored_as = kube_registry::stored::stored_as(&outcome.kind);
        let is_converted = stored_as.is_some();
        let resource = stored_as.map_or_else(|| outcome.resource.group_resource(), |(_, stored)| stored);
        if outcome.operation == Operation::Delete {
            if let Some(before) = before
                && !self.cluster.contains(&resource, &outcome.namespace, &outcome.name)
            {
                let mut deleted = workload::dependents(&self.cluster, &before);
                deleted.push(Existing { resource, object: before, count: 1, surplus: 1 });
                self.delete(&deleted);
            }
            return;
        }
        let object = match &*outcome.sub_resource {
            "" if !is_converted => outcome.object.clone(),
            "" | "scale" => self.cluster.get(&resource, &outcome.namespace, &outcome.name),
            _ => None,
        };
        let Some(object) = object else { return };
        if !self.strict {
            outcome.trace.notes.extend(workload::keep_state(&self.cluster, &object, &self.profile));
        }
        if !self.follows_workloads {
            return;
        }
        if outcome.operation == Operation::Create && self.collect_garbage(&resource, &object) {
            let note = "the garbage collector removes it: no object that it names as an owner exists";
            outcome.trace.notes.push(note.to_owned());
            return;
        }
        if outcome.operation == Operation::Create
            && let Some(adoption) = workload::adopt(&self.cluster, &resource, &object)
        {
            outcome.trace.notes.push(adoption.note);
            if adoption.is_surplus {
                self.delete(&[Existing { resource, object, count: 1, surplus: 1 }]);
                return;
            }
            if adoption.is_idle {
                return;
            }
        }
        if object.kind.is(kinds::HORIZONTAL_POD_AUTOSCALER) {
            if let Some(scaled) = workload::scale_target(&self.cluster, &object) {
                let place = self.applied.place(&scaled.resource, object.namespace(), scaled.old.name());
                let place = place.or_else(|| outcome.place.clone());
                let before = scaled.old.clone();
                self.follow_scaled(scaled, Some(before), place, outcome);
            }
            return;
        }
        if workload::is_followed(&object) {
            let place = outcome.place.clone();
            match workload::scale(&self.cluster, &resource, &object) {
                Some(scaled) => self.follow_scaled(scaled, before, place, outcome),
                None => self.follow_root(object, before, place, outcome),
            }
        }
    }

    /// Stores a workload as an autoscaler changes it, and lets the other controllers see it. `before` is what they saw
    /// last.
    fn follow_scaled(
        &mut self,
        scaled: Scaled,
        before: Option<Arc<Object>>,
        place: Option<Place>,
        outcome: &mut Outcome,
    ) {
        self.cluster.put(&scaled.resource, scaled.object.clone());
        outcome.trace.notes.push(scaled.note);
        self.follow_root(scaled.object, before, place, outcome);
    }

    fn follow_root(
        &mut self,
        object: Arc<Object>,
        before: Option<Arc<Object>>,
        place: Option<Place>,
        outcome: &mut Outcome,
    ) {
        let root = Arc::new(Root {
            place,
            owner_kind: object.kind.clone(),
            owner_namespace: object.namespace().to_owned(),
            owner_name: object.name().to_owned(),
            ordinal: self.ordinal,
            time: self.time(),
        });
        let followed = Followed { object, old_object: before, count: 1, path: None };
        let notes = self.follow(&root, &followed, &mut outcome.caused);
        outcome.trace.notes.extend(notes);
    }

    /// Removes `object` if none of its owners exists.
    fn collect_garbage(&self, resource: &GroupResource, object: &Arc<Object>) -> bool {
        let is_new = |resource: &GroupResource, namespace: &str, name: &str| {
            self.applied.created(resource, namespace, name)
        };
        if !workload::is_garbage(&self.cluster, object, is_new, self.knows_all()) {
            return false;
        }
        let garbage = Existing { resource: resource.clone(), object: object.clone(), count: 1, surplus: 1 };
        self.delete(&[garbage]);
        true
    }

    /// Whether objects that are not among the cluster objects do not exist.
    pub(super) fn knows_all(&self) -> bool {
        self.literal_order.as_ref().is_some_and(|order| order.is_whole_cluster)
    }

    /// Lets the controllers look at `object` again, as something that it owns was removed. `take` gets the outcomes.
    pub fn reconcile(&mut self, object: &Arc<Object>, take: impl FnMut(Outcome)) {
        if !self.follows_workloads || !workload::is_followed(object) {
            return;
        }
        let root = Arc::new(Root {
            place: None,
            owner_kind: object.kind.clone(),
            owner_namespace: object.namespace().to_owned(),
            owner_name: object.name().to_owned(),
            ordinal: self.ordinal,
            time: self.time(),
        });
        let (object, old_object) = (object.clone(), Some(object.clone()));
        let mut caused = Vec::new();
        self.follow(&root, &Followed { object, old_object, count: 1, path: None }, &mut caused);
        caused.into_iter().for_each(take);
    }

    /// Sends the requests that follow from `followed`, and those that follow from them. Returns the assumptions that
    /// this made, as text.
    fn follow(&mut self, root: &Arc<Root>, followed: &Followed, caused: &mut Vec<Outcome>) -> Vec<String> {
        let reactions = workload::react(&Event {
            old_object: followed.old_object.as_deref(),
            object: &followed.object,
            count: followed.count,
            cluster: &self.cluster,
            profile: &self.profile,
            knows_all: self.knows_all(),
            predicted: self.predicted.as_ref().and_then(|predicted| predicted.requested(&followed.object)),
        });
        let mut notes = Vec::new();
        for mut reaction in reactions {
            if let Some(unmet) = reaction.unmet.take() {
                self.unmet.push((root.clone(), followed.clone(), unmet));
                continue;
            }
            self.delete(&reaction.deleted);
            notes.extend(reaction.notes.iter().cloned());
            let mut work = Work::new(root.clone(), reaction, followed.path.clone());
            notes.extend(self.attempt(&mut work, caused));
            self.postpone(work);
        }
        notes
    }

    /// Sends the missing requests of `work`, and reports which part of it is complete.
    fn attempt(&mut self, work: &mut Work, caused: &mut Vec<Outcome>) -> Vec<String> {
        let mut notes = Vec::new();
        let mut made = Vec::new();
        if work.rollout.is_some() {
            self.roll(work, &mut made);
        } else {
            self.ask_for_all(work, &mut made);
        }
        work.take_outcomes(caused, false);
        for followed in made {
            notes.extend(self.follow(&work.root.clone(), &followed, caused));
        }
        notes
    }

    fn ask_for_all(&mut self, work: &mut Work, made: &mut Vec<Followed>) {
        let mut left = Vec::new();
        let mut failed = 0;
        let mut replicas = mem::take(&mut work.replicas).into_iter();
        for mut replica in replicas.by_ref() {
            let is_update = !replica.replaces.is_empty();
            if is_update && failed >= work.max_unavailable {
                left.push(replica);
                continue;
            }
            if !work.surges {
                self.delete(&mem::take(&mut replica.replaces));
            }
            while let Some(template) = replica.templates.first() {
                let (admitted, is_refused) = self.request_replicas(work, template, work.times, made);
                if is_refused {
                    // Those that differ are requested one by one.
                    work.times -= if work.times > 1 { admitted } else { 0 };
                    break;
                }
                replica.templates.remove(0);
            }
            if replica.templates.is_empty() {
                self.delete(&replica.replaces);
                continue;
            }
            failed += 1;
            left.push(replica);
            if work.is_ordered {
                break;
            }
        }
        left.extend(replicas);
        work.replicas = left;
    }

    /// Replaces older pods by new ones: creates as many as allowed, and removes as many as are no longer needed, until
    /// nothing changes.
    fn roll(&mut self, work: &mut Work, made: &mut Vec<Followed>) {
        let Some(mut rollout) = work.rollout.take() else { return };
        let mut replicas = mem::take(&mut work.replicas);
        let template = replicas.first().and_then(|replica| replica.templates.first());
        loop {
            let room = rollout.room().min(work.times);
            let mut admitted = 0;
            if let (Some(template), 1..) = (template, room) {
                work.forget_refusals();
                admitted = self.request_replicas(work, template, room, made).0;
                rollout.admit(admitted);
                work.times -= admitted;
            }
            let retired = rollout.retire(&self.cluster);
            self.delete(&retired);
            if admitted == 0 && retired.is_empty() {
                break;
            }
        }
        if let Some(set) = template.and_then(|template| workload::owner_of(&self.cluster, &template.object)) {
            let forgotten = rollout.scale_down_others(&self.cluster, &set);
            self.delete(&forgotten);
        }
        if work.times == 0 {
            replicas.clear();
        }
        work.replicas = replicas;
        work.rollout = Some(rollout);
    }

    /// Requests `times` equal objects. Returns how many were created, and whether one was refused.
    fn request_replicas(
        &mut self,
        work: &mut Work,
        template: &Template,
        times: u64,
        made: &mut Vec<Followed>,
    ) -> (u64, bool) {
        let path = join(work.path.as_ref(), template.path.as_ref());
        let before = if work.are_many { None } else { self.stored(template) };
        let operation = if before.is_some() { Operation::Update } else { Operation::Create };
        let mut outcome = self.ask(work, template, path.as_ref(), operation);
        let object = outcome.object.clone();
        let mut admitted = u64::from(outcome.allowed());
        if outcome.allowed() && times > 1 {
            admitted += self.repeat(&mut outcome, times - 1);
        }
        let is_refused = !outcome.allowed();
        work.note(template, outcome, admitted);
        if let (Some(object), true) = (object, admitted > 0) {
            made.push(Followed { object, old_object: before, count: admitted, path });
        }
        (admitted, is_refused)
    }

    /// Returns the object that `template` changes, if it exists.
    fn stored(&self, template: &Template) -> Option<Arc<Object>> {
        let object = &template.object;
        let target = Target::of_kind(&object.kind)?;
        self.cluster.get(&target.group_resource(), object.namespace(), object.name())
    }

    /// Returns the number of the request of a controller, from which the uid and the generated name of its object follow:
    /// the same for the same object because of the same document, whatever else controllers do.
    fn ordinal_of(&self, object: &Object, resource: &GroupResource, root: &Root) -> u64 {
        let base = object.generate_name();
        let (kind, namespace, name) = (&object.kind.kind, object.namespace(), object.name());
        let identity = format!("{kind}/{namespace}/{name}/{base}/{}", root.ordinal);
        let first = FIRST_CAUSED + name_generator::fnv1a(identity.as_bytes()) % FIRST_CAUSED;
        if !name.is_empty() {
            return first;
        }
        let is_free = |ordinal: &u64| {
            let name = name_generator::generate_name(base, *ordinal);
            !self.cluster.contains(resource, namespace, &name)
        };
        (first..first + FIRST_CAUSED).find(is_free).unwrap_or(first)
    }

    /// Sends the request for one object.
    fn ask(
        &mut self,
        work: &Work,
        template: &Template,
        path: Option<&Path>,
        operation: Operation,
    ) -> Outcome {
        let mut object = template.object.clone();
        kube_registry::set_defaults(&mut object, &self.profile);
        let predicted = self.predicted.take_if(|predicted| predicted.rehearsal.is_of(&object));
        let rehearsal = predicted.map(|predicted| predicted.rehearsal);
        let mut call = Call::of(operation, object, work.user_info.clone(), 0, work.root.time);
        let target = call.target.clone();
        let object = call.body.as_ref().map(|body| &body.object).expect("a controller sends an object");
        call.ordinal = self.ordinal_of(object, &target.group_resource(), &work.root);
        call.rehearsal = rehearsal;
        let answer = self.server().answer(call);
        let place = work.root.place.as_ref().map(|place| match path {
            Some(path) => place.within(path),
            None => place.clone(),
        });
        Outcome::caused(place, work.user_info.clone(), target, answer)
    }

    /// Creates `count` more objects like the admitted one of `outcome`. Returns how many of them are admitted; the
    /// first one that is not turns the outcome into a refusal.
    fn repeat(&self, outcome: &mut Outcome, count: u64) -> u64 {
        let Some(object) = outcome.object.clone() else { return 0 };
        let mut attributes = outcome.attributes(object.clone());
        if !object.generate_name().is_empty() {
            attributes.name = name_generator::generate_name(object.generate_name(), count);
        }
        let (admitted, refusal) = self.chain.repeat(&attributes, count, &mut outcome.trace);
        let resource = outcome.resource.group_resource();
        self.cluster.set_count(&resource, object.namespace(), object.name(), 1 + admitted);
        if let Some(refusal) = refusal {
            refuse(outcome, refusal);
        }
        admitted
    }

    fn delete(&self, deleted: &[Existing]) {
        for existing in deleted {
            workload::delete(&self.cluster, existing, &self.profile);
        }
    }
}

fn join(owner: Option<&Path>, path: Option<&Path>) -> Option<Path> {
    match (owner, path) {
        (Some(owner), Some(path)) => Some(owner.join(path)),
        (one, other) => one.or(other).cloned(),
    }
}
