//! Requests that were refused or cannot be sent yet: controllers repeat them.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use super::join;
use super::work::{Followed, Postponed, Root, UnmetWork, Work};
use crate::evaluation::outcome::{Cause, Outcome};
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, remedies};
use crate::workload::{self, Unmet};
use kube_api::Status;

impl Evaluator {
    /// Lets the controllers retry refused requests, as they repeatedly do in a cluster: the objects that they need may
    /// have been created later. `take` gets the outcomes of these requests: those of a namespace together, so that they
    /// do not depend on other namespaces, in the order of the first documents that wait.
    pub fn finish(&mut self, mut take: impl FnMut(Outcome)) {
        self.finish_in_order(|_, outcome| take(outcome));
    }

    /// Does the same; `take` also gets the number of the first document that waits in the namespace of an outcome.
    pub(crate) fn finish_in_order(&mut self, mut take: impl FnMut(u64, Outcome)) {
        let (cluster, release) = (self.cluster.clone(), self.profile.release());
        for (first, (unmet, postponed)) in self.take_waiting() {
            self.finish_namespace(unmet, postponed, &mut |mut outcome: Outcome| {
                remedies::complete(&mut outcome, &cluster, release);
                take(first, outcome);
            });
        }
    }

    /// Returns what waits in each namespace, and the number of the first document that does.
    fn take_waiting(&mut self) -> impl Iterator<Item = (u64, (Vec<UnmetWork>, Vec<Postponed>))> + use<> {
        let mut waiting: BTreeMap<String, (Vec<UnmetWork>, Vec<Postponed>)> = BTreeMap::new();
        for unmet in mem::take(&mut self.unmet) {
            waiting.entry(unmet.0.owner_namespace.clone()).or_default().0.push(unmet);
        }
        for postponed in mem::take(&mut self.postponed) {
            waiting.entry(postponed.work.root.owner_namespace.clone()).or_default().1.push(postponed);
        }
        if let Some(shard) = self.shard {
            waiting.retain(|namespace, _| shard.has(namespace));
        }
        let first = |(unmet, postponed): &(Vec<UnmetWork>, Vec<Postponed>)| {
            let unmet = unmet.first().map(|(root, ..)| root.ordinal);
            unmet.into_iter().chain(postponed.first().map(|postponed| postponed.work.root.ordinal)).min()
        };
        let waiting = waiting.into_values().map(|waiting| (first(&waiting).unwrap_or_default(), waiting));
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_by_key(|(first, _)| *first);
        waiting.into_iter()
    }

    fn finish_namespace(
        &mut self,
        unmet: Vec<UnmetWork>,
        postponed: Vec<Postponed>,
        mut take: &mut impl FnMut(Outcome),
    ) {
        self.postponed = postponed;
        for unmet in unmet {
            let (root, followed) = (&unmet.0, &unmet.1);
            let mut caused = Vec::new();
            self.follow(root, followed, &mut caused);
            self.quotas.refresh(&self.cluster, &root.owner_kind, &root.owner_namespace, &root.owner_name);
            caused.into_iter().for_each(&mut take);
        }
        for (root, followed, unmet) in mem::take(&mut self.unmet) {
            take(unsendable(&root, &followed, unmet));
        }
        let mut missing = u64::MAX;
        while !self.postponed.is_empty() {
            let before = mem::replace(&mut missing, self.postponed.iter().map(Postponed::missing).sum());
            let is_last = missing == before;
            for postponed in mem::take(&mut self.postponed) {
                let mut work = postponed.unpack();
                if work.rollout.is_none() {
                    work.keep_wanted(&self.cluster);
                }
                let mut caused = Vec::new();
                let root = work.root.clone();
                let notes = self.attempt(&mut work, &mut caused);
                self.quotas.refresh(&self.cluster, &root.owner_kind, &root.owner_namespace, &root.owner_name);
                if is_last {
                    work.take_outcomes(&mut caused, true);
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

    /// Lets the controllers retry refused requests once, if what decides about them changed. `take` gets the outcomes.
    pub fn retry(&mut self, mut take: impl FnMut(Outcome)) {
        let mut caused = Vec::new();
        for unmet in mem::take(&mut self.unmet) {
            let notes = self.follow(&unmet.0, &unmet.1, &mut caused);
            if let Some(outcome) = caused.first_mut() {
                outcome.trace.notes.extend(notes);
            }
        }
        for postponed in mem::take(&mut self.postponed) {
            if postponed.refused_at == self.cluster.looked_up_revision() {
                self.postponed.push(postponed);
                continue;
            }
            let mut work = postponed.unpack();
            if work.rollout.is_none() {
                work.keep_wanted(&self.cluster);
            }
            self.attempt(&mut work, &mut caused);
            self.postpone(work);
        }
        caused.into_iter().for_each(&mut take);
    }

    pub(super) fn postpone(&mut self, work: Work) {
        if !work.replicas.is_empty() {
            self.postponed.push(Postponed::new(work, self.cluster.looked_up_revision()));
        }
    }
}

/// Returns the outcome of an object that a controller cannot request.
fn unsendable(root: &Root, followed: &Followed, unmet: Unmet) -> Outcome {
    let target = Target::of_kind(&unmet.kind).expect("controllers make built-in kinds");
    let path = join(followed.path.as_ref(), Some(&unmet.path));
    let place = root.place.as_ref().zip(path).map(|(place, path)| place.within(&path));
    let status =
        Status { code: 404, reason: "NotFound".to_owned(), message: unmet.message, ..Status::default() };
    let controller = "resource-claim-controller";
    let user_info = Arc::new(workload::user_info(controller));
    let mut outcome = Outcome::unsendable(place, user_info, target, followed.object.namespace(), status);
    outcome.cause = Some(Cause {
        controller,
        owner_kind: root.owner_kind.clone(),
        owner_namespace: root.owner_namespace.clone(),
        owner_name: root.owner_name.clone(),
        replicas: followed.count,
        admitted: 0,
    });
    outcome
}
