//! What follows from an admitted request: controllers see to what they keep, and make requests of their own, which go
//! through the same chain.

use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Operation, Refusal, UserInfo};
use crate::api::decode::Decoded;
use crate::api::field::Path;
use crate::api::{GroupVersionKind, Name, Object, defaults, name_generator};
use crate::evaluation::outcome::{Cause, Outcome};
use crate::evaluation::server::Call;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Place};
use crate::workload::{self, Event, Existing, Reaction, Template};

/// The requests that controllers make have numbers above those of the documents, so that these are the same whether
/// controllers are played or not.
const FIRST_CAUSED: u64 = 1 << 40;

/// A document whose object controllers work on.
struct Root {
    place: Option<Place>,
    cause: Cause,
    time: Duration,
}

/// What is followed: an object that was made or changed, and where it was written.
struct Followed<'a> {
    object: &'a Arc<Object>,
    old_object: Option<&'a Object>,
    count: u64,
    path: Option<Path>,
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
    pub(super) fn play_controllers(&mut self, outcome: &mut Outcome, before: Option<&Object>) {
        if self.strict && !self.follows_workloads {
            return;
        }
        let resource = outcome.resource.group_resource();
        if outcome.operation == Operation::Delete {
            if let Some(before) = before
                && !self.cluster.contains(&resource, &outcome.namespace, &outcome.name)
            {
                let object = Arc::new(before.clone());
                let mut deleted = workload::dependents(&self.cluster, before);
                deleted.push(Existing { resource, object, count: 1, surplus: 1 });
                self.delete(&deleted);
            }
            return;
        }
        let object = match &*outcome.sub_resource {
            "" => outcome.object.clone(),
            "scale" => self.cluster.get(&resource, &outcome.namespace, &outcome.name),
            _ => None,
        };
        let Some(object) = object else { return };
        if !self.strict {
            outcome.trace.notes.extend(workload::keep_state(&self.cluster, &object, &self.features));
        }
        if self.follows_workloads && workload::is_followed(&object) {
            let root = Root {
                place: outcome.place.clone(),
                cause: Cause {
                    controller: "",
                    owner_kind: object.kind.clone(),
                    owner_namespace: object.namespace().to_owned(),
                    owner_name: object.name().to_owned(),
                    replicas: 1,
                    admitted: 0,
                },
                time: self.time(),
            };
            let followed = Followed { object: &object, old_object: before, count: 1, path: None };
            let notes = self.follow(&root, &followed, &mut outcome.caused);
            outcome.trace.notes.extend(notes);
        }
    }

    /// Makes the requests that follow from `followed`, and those that follow from them. What was taken for granted is
    /// returned in words.
    fn follow(&mut self, root: &Root, followed: &Followed<'_>, caused: &mut Vec<Outcome>) -> Vec<String> {
        let reactions = workload::react(&Event {
            old_object: followed.old_object,
            object: followed.object,
            count: followed.count,
            cluster: &self.cluster,
            features: &self.features,
        });
        let mut notes = Vec::new();
        for reaction in reactions {
            self.delete(&reaction.deleted);
            notes.extend(reaction.notes.iter().cloned());
            notes.extend(self.replicate(root, reaction, followed.path.as_ref(), caused));
        }
        notes
    }

    /// Asks for everything that `reaction` wants, and tells in one outcome what became of all that are alike.
    fn replicate(
        &mut self,
        root: &Root,
        reaction: Reaction,
        path: Option<&Path>,
        caused: &mut Vec<Outcome>,
    ) -> Vec<String> {
        let Reaction { controller, replicas, times, is_ordered, .. } = reaction;
        if times == 0 {
            return Vec::new();
        }
        let user_info = Arc::new(workload::user_info(controller));
        let mut alike = Alike::of(&replicas);
        let mut notes = Vec::new();
        'replicas: for templates in replicas {
            for template in templates {
                let known = alike.iter_mut().find(|alike| alike.has(&template));
                let alike = known.expect("every template is among those counted");
                let path = join(path, template.path.as_ref());
                let before = self.stored(&template);
                let mut outcome = self.ask(root, template, path.as_ref(), &user_info);
                let object = outcome.object.clone();
                let mut admitted = u64::from(outcome.allowed());
                if outcome.allowed() && times > 1 {
                    admitted += self.repeat(&mut outcome, times - 1);
                }
                let is_refused = !outcome.allowed();
                let cause = Cause { controller, replicas: alike.count * times, ..root.cause.clone() };
                alike.tell(outcome, admitted, cause, caused);
                if let (Some(object), true) = (&object, admitted > 0) {
                    let followed = Followed { object, old_object: before.as_deref(), count: admitted, path };
                    notes.extend(self.follow(root, &followed, caused));
                }
                if is_refused && is_ordered {
                    break 'replicas;
                }
                if is_refused {
                    break;
                }
            }
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
        root: &Root,
        template: Template,
        path: Option<&Path>,
        user_info: &Arc<UserInfo>,
    ) -> Outcome {
        let mut object = template.object;
        defaults::set_defaults(&mut object, &self.features);
        let target = Target::of_kind(&object.kind).expect("controllers make objects of built-in kinds");
        let exists = self.cluster.contains(&target.group_resource(), object.namespace(), object.name());
        self.caused += 1;
        let call = Call {
            operation: if exists { Operation::Update } else { Operation::Create },
            target: target.clone(),
            sub_resource: Name::Borrowed(""),
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
            body: Some(Decoded { object, warnings: Vec::new(), shares_labels: false }),
            old_object: None,
            options: None,
            dry_run: false,
            user_info: user_info.clone(),
            ordinal: FIRST_CAUSED + self.caused,
            time: root.time,
        };
        let answer = self.server().answer(call);
        let place = root.place.as_ref().map(|place| match path {
            Some(path) => place.within(path),
            None => place.clone(),
        });
        Outcome::caused(place, user_info.clone(), target, answer)
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

/// The objects of a reaction that one template of the owner stands for: they are told as one.
struct Alike {
    kind: GroupVersionKind,
    path: Option<Path>,
    count: u64,
    /// Where it is told what became of them.
    told: Option<usize>,
}

impl Alike {
    fn of(replicas: &[Vec<Template>]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for template in replicas.iter().flatten() {
            match all.iter_mut().find(|alike| alike.has(template)) {
                Some(alike) => alike.count += 1,
                None => all.push(Self {
                    kind: template.object.kind.clone(),
                    path: template.path.clone(),
                    count: 1,
                    told: None,
                }),
            }
        }
        all
    }

    fn has(&self, template: &Template) -> bool {
        self.kind == template.object.kind && self.path == template.path
    }

    /// Adds what became of one of them, with `admitted` objects: the first one is told whole, of the others why one
    /// was refused.
    fn tell(&mut self, mut outcome: Outcome, admitted: u64, cause: Cause, caused: &mut Vec<Outcome>) {
        let Some(told) = self.told.and_then(|index| caused.get_mut(index)) else {
            self.told = Some(caused.len());
            outcome.cause = Some(Cause { admitted, ..cause });
            caused.push(outcome);
            return;
        };
        if let Some(cause) = &mut told.cause {
            cause.admitted += admitted;
        }
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
