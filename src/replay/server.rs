//! A server next to the log: it answers each request with the objects that the log shows.

use std::sync::Arc;

use crate::evaluation::{Evaluator, Outcome, Recorded, Unrecorded};
use crate::replay::charges::Charges;
use crate::replay::compare::{self, Difference};
use crate::replay::event::Event;
use crate::replay::webhooks::Playback;
use crate::replay::{request, state};
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::{GroupResource, Object, Value};

/// A server, and the objects that it has.
pub(super) struct Server {
    pub(super) evaluator: Evaluator,
    charges: Charges,
    /// What answers in the place of webhooks, unless others do.
    playback: Option<Arc<Playback>>,
    /// Whether it reads the answered objects again.
    reads_itself: bool,
}

/// The request that an event was, and the state of the quotas that it met, counted back from the latest one.
#[derive(Clone, Debug)]
pub(super) struct Way {
    recorded: Recorded,
    age: Option<usize>,
}

/// A request that was judged.
#[derive(Debug)]
pub(super) struct Judged {
    /// How the answer differs from the recorded one, if it does.
    pub(super) difference: Option<Difference>,
    /// The way in which the answers agree.
    pub(super) agreed: Option<(Way, Outcome)>,
}

impl Server {
    pub(super) fn new(evaluator: Evaluator, playback: Option<Arc<Playback>>) -> Self {
        Self { evaluator, charges: Charges::default(), playback, reads_itself: false }
    }

    /// Returns this server for objects that it may read otherwise than the server of the log.
    pub(super) fn reading_itself(self) -> Self {
        Self { reads_itself: true, ..self }
    }

    /// Sends the request of `event` through the chain and compares the answers.
    ///
    /// # Errors
    ///
    /// Returns why the request cannot be judged.
    pub(super) fn judge(&mut self, event: &Event) -> Result<Judged, String> {
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        request::check(event)?;
        state::check_seen(event, &cluster)?;
        let requests = request::recorded(event, self.evaluator.profile().release())?;
        self.show_logged(event);
        let before = cluster.mark();
        state::take_back(event, &cluster);
        let start = cluster.mark();
        // The requests that it may have been, and the states of quotas that it may have met.
        let states = self.charges.states(event);
        let ways = requests.iter().map(|request| (request, None));
        let ways =
            ways.chain((0..states).flat_map(|age| requests.iter().map(move |request| (request, Some(age)))));
        let mut judged = Judged { difference: None, agreed: None };
        for (request, age) in ways {
            cluster.undo_to(start);
            let way = Way { recorded: request.clone(), age };
            let outcome = self.send(event, &way).map_err(|error| match error {
                Unrecorded::NoBody => request::missing_body(event),
                Unrecorded::UnknownKind(unknown) => unknown.to_string(),
            })?;
            let theirs = || self.answered(event).map(|(_, object)| object);
            let read = |value: &Value| state::read(value, &self.evaluator).map(|(_, object)| object);
            let found = compare::difference(event, &outcome, theirs, read);
            if found.is_none() {
                judged = Judged { difference: None, agreed: Some((way, outcome)) };
                break;
            }
            judged.difference = judged.difference.or(found);
        }
        let agrees = judged.agreed.is_some();
        let left = self.playback.as_ref().filter(|_| !agrees).and_then(|playback| playback.left());
        if let Some(webhook) = left {
            cluster.undo_to(before);
            return Err(format!("the log and --cluster do not show the configuration of webhook {webhook}"));
        }
        if agrees && (event.succeeded() || states == 0) {
            self.charges.settle(event, &cluster);
        }
        if !agrees || !state::is_unshown(event) {
            cluster.undo_to(before);
        }
        Ok(judged)
    }

    /// Sends the request of `event` in a known way, after `prepare` changed the objects that it meets.
    ///
    /// # Errors
    ///
    /// Fails if this server does not have the kind.
    pub(super) fn answer(
        &mut self,
        event: &Event,
        way: &Way,
        prepare: impl FnOnce(&Evaluator),
    ) -> Result<Outcome, Unrecorded> {
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        self.show_logged(event);
        let before = cluster.mark();
        state::take_back(event, &cluster);
        prepare(&self.evaluator);
        let outcome = self.send(event, way);
        self.charges.settle(event, &cluster);
        let is_admitted = outcome.as_ref().is_ok_and(Outcome::allowed);
        if !is_admitted || !state::is_unshown(event) {
            cluster.undo_to(before);
        }
        outcome
    }

    /// Brings the cluster to the state that the recorded answer shows.
    pub(super) fn follow(&mut self, event: &Event) {
        let cluster = self.evaluator.cluster().clone();
        state::follow(event, self.answered(event), &self.evaluator);
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.take(event, &cluster);
        } else {
            self.charges.show(&event.namespace, &cluster);
        }
    }

    /// Returns the object that the server of the log answered with, as this one reads it.
    fn answered(&self, event: &Event) -> Option<(GroupResource, Object)> {
        let known = || event.answered.clone().filter(|_| !self.reads_itself);
        known().or_else(|| state::read(event.response.as_ref()?, &self.evaluator))
    }

    fn show_logged(&self, event: &Event) {
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.show_logged(event, self.evaluator.cluster());
        }
    }

    fn send(&mut self, event: &Event, way: &Way) -> Result<Outcome, Unrecorded> {
        if let Some(playback) = &self.playback {
            playback.begin(&event.answers);
        }
        let cluster = self.evaluator.cluster().clone();
        if let Some(age) = way.age {
            self.charges.show_state(&event.namespace, age, &cluster);
        }
        if event.verb != "deletecollection" {
            return self.evaluator.answer_recorded(way.recorded.clone());
        }
        let names = state::collected(event, &cluster);
        self.evaluator.answer_collection(&way.recorded, names)
    }
}
