//! What follows from an admitted request: controllers see to what they keep, and make requests of their own, which go
//! through the same chain.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Operation, Refusal, UserInfo};
use crate::api::field::Path;
use crate::api::{GroupVersionKind, Object, name_generator};
use crate::cluster::PackedObject;
use crate::evaluation::outcome::{Cause, Outcome};
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Place};
use crate::registry;
use crate::workload::{self, Event, Existing, Reaction, Template};

/// The requests that controllers make have numbers above those of the documents, so that these are the same whether
/// controllers are played or not.
const FIRST_CAUSED: u64 = 1 << 40;

/// A document whose object controllers work on.
#[derive(Clone)]
struct Root {
    place: Option<Place>,
    owner_kind: GroupVersionKind,
    owner_namespace: String,
    owner_name: String,
    time: Duration,
}

/// What is followed: an object that was made or changed, and where it was written.
struct Followed {
    object: Arc<Object>,
    old_object: Option<Arc<Object>>,
    count: u64,
    path: Option<Path>,
}

/// What a controller has still to ask for.
pub(super) struct Work {
    root: Arc<Root>,
    controller: &'static str,
    user_info: Arc<UserInfo>,
    /// Where the object stands that the controller works on.
    path: Option<Path>,
    is_ordered: bool,
    /// What is not there yet, each so many times.
    replicas: Vec<Vec<Template>>,
    times: u64,
    alike: Vec<Alike>,
}

/// What a controller asks for again later. There may be many, so that they are kept small.
pub(super) struct Postponed {
    work: Work,
    replicas: Vec<Vec<(PackedObject, Option<Path>)>>,
    /// The state of the cluster in which it was refused.
    refused_at: u64,
}

impl Evaluator {
    /// The object that `call` changes or deletes, where controllers have to know.
    pub(super) fn before(&self, call: &Call) -> Option<Arc<Object>> {
        let is_final = matches!(call.operation, Operation::Update | Operation::Delete);
        let is_whole = matches!(&*call.sub_resource, "" | "scale");
        let stored = || self.cluster.get(&call.target.group_resource(), &call.namespace, &call.name);
        (is_final && is_whole && !self.strict).then(stored).flatten()
    }

    /// Lets the controllers do what they do because of `outcome`.
    pub(super) fn play_controllers(&mut self, outcome: &mut Outcome, before: Option<Arc<Object>>) {
        if self.strict && !self.follows_workloads {
            return;
        }
        let stored_as = registry::stored::stored_as(&outcome.kind);
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
            outcome.trace.notes.extend(workload::keep_state(&self.cluster, &object, &self.features));
        }
        if self.follows_workloads && workload::is_followed(&object) {
            let root = Arc::new(Root {
                place: outcome.place.clone(),
                owner_kind: object.kind.clone(),
                owner_namespace: object.namespace().to_owned(),
                owner_name: object.name().to_owned(),
                time: self.time(),
            });
            let followed = Followed { object, old_object: before, count: 1, path: None };
            let notes = self.follow(&root, &followed, &mut outcome.caused);
            outcome.trace.notes.extend(notes);
        }
    }

    /// Lets the controllers ask again for what they were refused, as they do again and again in a cluster: what it
    /// needed may have come to exist behind it. `take` gets what then became of these requests, in order.
    pub fn finish(&mut self, mut take: impl FnMut(Outcome)) {
        let mut missing = u64::MAX;
        while !self.postponed.is_empty() {
            let before = mem::replace(&mut missing, self.postponed.iter().map(Postponed::missing).sum());
            let is_last = missing == before;
            for postponed in mem::take(&mut self.postponed) {
                if !is_last && postponed.refused_at == self.cluster.looked_up_revision() {
                    self.postponed.push(postponed);
                    continue;
                }
                let mut work = postponed.unpack();
                let mut caused = Vec::new();
                let notes = self.attempt(&mut work, &mut caused);
                if is_last {
                    work.tell(&mut caused, true);
                } else {
                    self.postpone(work);
                }
                if let Some(outcome) = caused.first_mut() {
                    outcome.trace.notes.extend(notes);
                }
                caused.into_iter().for_each(&mut take);
            }
        }
    }

    fn postpone(&mut self, work: Work) {
        if !work.replicas.is_empty() {
            self.postponed.push(Postponed::new(work, self.cluster.looked_up_revision()));
        }
    }

    /// Makes the requests that follow from `followed`, and those that follow from them. What was taken for granted is
    /// returned in words.
    fn follow(&mut self, root: &Arc<Root>, followed: &Followed, caused: &mut Vec<Outcome>) -> Vec<String> {
        let reactions = workload::react(&Event {
            old_object: followed.old_object.as_deref(),
            object: &followed.object,
            count: followed.count,
            cluster: &self.cluster,
            features: &self.features,
        });
        let mut notes = Vec::new();
        for reaction in reactions {
            self.delete(&reaction.deleted);
            notes.extend(reaction.notes.iter().cloned());
            let mut work = Work::new(root.clone(), reaction, followed.path.clone());
            notes.extend(self.attempt(&mut work, caused));
            self.postpone(work);
        }
        notes
    }

    /// Asks for everything that is missing of `work`, and tells what of it is complete.
    fn attempt(&mut self, work: &mut Work, caused: &mut Vec<Outcome>) -> Vec<String> {
        let mut notes = Vec::new();
        let mut left = Vec::new();
        let mut made = Vec::new();
        let mut replicas = mem::take(&mut work.replicas).into_iter();
        for mut templates in replicas.by_ref() {
            while let Some(template) = templates.first() {
                let path = join(work.path.as_ref(), template.path.as_ref());
                let before = self.stored(template);
                let operation = if before.is_some() { Operation::Update } else { Operation::Create };
                let mut outcome = self.ask(work, template, path.as_ref(), operation);
                let object = outcome.object.clone();
                let mut admitted = u64::from(outcome.allowed());
                if outcome.allowed() && work.times > 1 {
                    admitted += self.repeat(&mut outcome, work.times - 1);
                }
                let is_refused = !outcome.allowed();
                work.note(template, outcome, admitted);
                if let (Some(object), true) = (object, admitted > 0) {
                    made.push(Followed { object, old_object: before, count: admitted, path });
                }
                if is_refused {
                    // Those that are not alike are asked for one by one.
                    work.times -= if work.times > 1 { admitted } else { 0 };
                    break;
                }
                templates.remove(0);
            }
            if !templates.is_empty() {
                left.push(templates);
                if work.is_ordered {
                    break;
                }
            }
        }
        left.extend(replicas);
        work.replicas = left;
        work.tell(caused, false);
        for followed in made {
            notes.extend(self.follow(&work.root.clone(), &followed, caused));
        }
        notes
    }

    /// The object that `template` changes, if it exists.
    fn stored(&self, template: &Template) -> Option<Arc<Object>> {
        let object = &template.object;
        let target = Target::of_kind(&object.kind)?;
        self.cluster.get(&target.group_resource(), object.namespace(), object.name())
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
        registry::set_defaults(&mut object, &self.features);
        self.caused += 1;
        let ordinal = FIRST_CAUSED + self.caused;
        let call = Call::of(operation, object, work.user_info.clone(), ordinal, work.root.time);
        let target = call.target.clone();
        let answer = self.server().answer(call);
        let place = work.root.place.as_ref().map(|place| match path {
            Some(path) => place.within(path),
            None => place.clone(),
        });
        Outcome::caused(place, work.user_info.clone(), target, answer)
    }

    /// Lets `count` more objects like the admitted one of `outcome` exist. How many of them are admitted is returned; the
    /// first that is not makes the outcome a refusal.
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
            workload::delete(&self.cluster, existing, &self.features);
        }
    }
}

impl Work {
    fn new(root: Arc<Root>, reaction: Reaction, path: Option<Path>) -> Self {
        let Reaction { controller, replicas, times, is_ordered, .. } = reaction;
        let replicas = if times == 0 { Vec::new() } else { replicas };
        Self {
            root,
            controller,
            user_info: Arc::new(workload::user_info(controller)),
            path,
            is_ordered,
            alike: Alike::of(&replicas, times),
            replicas,
            times,
        }
    }

    /// Remembers what became of `template`, of which `admitted` objects came to exist.
    fn note(&mut self, template: &Template, outcome: Outcome, admitted: u64) {
        let alike = self.alike.iter_mut().find(|alike| alike.has(template));
        alike.expect("every template is among those counted").add(outcome, admitted);
    }

    /// Adds to `caused` what is known of the objects that all exist; `finally` of the others, too.
    fn tell(&mut self, caused: &mut Vec<Outcome>, finally: bool) {
        for alike in &mut self.alike {
            let is_told = alike.admitted == alike.count || finally;
            let Some(mut outcome) = alike.outcome.take_if(|_| is_told) else { continue };
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
    /// Forgets why objects are not there: it is told when they are asked for again.
    fn new(mut work: Work, refused_at: u64) -> Self {
        for alike in &mut work.alike {
            alike.outcome = alike.outcome.take().filter(Outcome::allowed);
        }
        let pack = |template: Template| (PackedObject::new(&template.object), template.path);
        let replicas = mem::take(&mut work.replicas).into_iter();
        let replicas = replicas.map(|templates| templates.into_iter().map(pack).collect()).collect();
        Self { work, replicas, refused_at }
    }

    fn unpack(self) -> Work {
        let unpack = |(object, path): (PackedObject, _)| Template { object: object.object(), path };
        let replicas = self.replicas.into_iter();
        let replicas = replicas.map(|templates| templates.into_iter().map(unpack).collect()).collect();
        Work { replicas, ..self.work }
    }

    /// How many objects are not there yet.
    fn missing(&self) -> u64 {
        self.replicas.iter().map(|templates| templates.len() as u64 * self.work.times).sum()
    }
}

/// The objects of a reaction that one template of the owner stands for: they are told as one.
struct Alike {
    kind: GroupVersionKind,
    path: Option<Path>,
    count: u64,
    admitted: u64,
    /// What is to be told of them.
    outcome: Option<Outcome>,
}

impl Alike {
    fn of(replicas: &[Vec<Template>], times: u64) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for template in replicas.iter().flatten() {
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

    /// Adds what became of some of them: the first outcome is told whole, of the others why one was refused.
    fn add(&mut self, mut outcome: Outcome, admitted: u64) {
        self.admitted += admitted;
        let Some(told) = &mut self.outcome else {
            self.outcome = Some(outcome);
            return;
        };
        let Some(refusal) = outcome.refusal.take() else { return };
        if told.allowed() {
            let refused = outcome.trace.steps.into_iter().filter(|step| step.refusal.is_some());
            told.trace.steps.extend(refused);
            refuse(told, refusal);
        }
    }
}

fn refuse(outcome: &mut Outcome, refusal: Refusal) {
    outcome.refusal = Some(refusal);
    outcome.object = None;
}

fn join(owner: Option<&Path>, path: Option<&Path>) -> Option<Path> {
    match (owner, path) {
        (Some(owner), Some(path)) => Some(owner.join(path)),
        (one, other) => one.or(other).cloned(),
    }
}
