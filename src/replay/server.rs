//! A server next to the log: it answers each request with the objects that the log shows.

use std::sync::Arc;

use crate::cluster::Mark;
use crate::evaluation::{Evaluator, Outcome, PreparedRecord, Recorded, Unrecorded};
use crate::replay::charges::{Charged, Charges};
use crate::replay::compare::{self, Difference};
use crate::replay::event::Event;
use crate::replay::event::Logged;
use crate::replay::moment::{self, Moment};
use crate::replay::webhooks::Playback;
use crate::replay::{request, state};
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::version::Version;
use kube_api::{GroupResource, Object, Value};

/// A server, and the objects that it has.
pub(super) struct Server {
    pub(super) evaluator: Evaluator,
    charges: Charges,
    /// What answers in the place of webhooks, unless others do.
    playback: Option<Arc<Playback>>,
    /// The release of the server of the log, if this is another server, which reads objects again.
    logged: Option<Version>,
    /// The state that the latest request met.
    before: Option<Mark>,
}

/// The request that an event was, and the state of the quotas that it met, counted back from the latest one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Which of the requests that it may have been.
    request: usize,
    age: Option<usize>,
}

/// A request that was judged.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// How the answer differs from the recorded one, if it does.
    pub(super) difference: Option<Difference>,
    /// The way in which the answers agree.
    pub(super) agreed: Option<(Way, Outcome)>,
    /// What it added to the usage of quotas.
    pub(super) charged: Vec<Charged>,
}

impl Server {
    pub(super) fn new(evaluator: Evaluator, playback: Option<Arc<Playback>>) -> Self {
        Self { evaluator, charges: Charges::default(), playback, logged: None, before: None }
    }

    /// Returns this server for objects that it may read otherwise than the server of the log, of the release `logged`.
    pub(super) fn after(self, logged: Version) -> Self {
        Self { logged: Some(logged), ..self }
    }

    /// Sends the request of `event`, which is one of `requests`, through the chain and compares the answers.
    ///
    /// # Errors
    ///
    /// Returns why the request cannot be judged.
    pub(super) fn judge(
        &mut self,
        event: &Event,
        requests: Result<Vec<PreparedRecord>, String>,
    ) -> Result<Judged, String> {
        let mut requests = requests?;
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        state::check_seen(event, &cluster)?;
        self.show_logged(event);
        let before = cluster.mark();
        self.before = Some(before);
        state::take_back(event, &cluster);
        let start = cluster.mark();
        // The requests that it may have been, and the states of quotas that it may have met.
        let states = self.charges.states(event);
        let ages = std::iter::once(None).chain((0..states).map(Some));
        let count = requests.len();
        let ways = ages.flat_map(|age| (0..count).map(move |request| Way { request, age }));
        let mut ways = ways.peekable();
        let mut judged = Judged::default();
        while let Some(way) = ways.next() {
            cluster.undo_to(start);
            let request = match ways.peek() {
                Some(_) => requests[way.request].clone(),
                None => requests.swap_remove(way.request),
            };
            let outcome = self.send(event, request, way.age).map_err(|error| match error {
                Unrecorded::NoBody => request::missing_body(event),
                Unrecorded::UnknownKind(unknown) => unknown.to_string(),
            })?;
            let theirs = || self.answered(event).map(|(_, object)| object);
            let read = |value: &Value| state::read(value, &self.evaluator).map(|(_, object)| object);
            let found = compare::difference(event, &outcome, theirs, read);
            if found.is_none() {
                judged = Judged { agreed: Some((way, outcome)), ..Judged::default() };
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
            judged.charged = self.charges.charged(event, &cluster);
            self.settle(event, &judged.charged);
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
        way: Way,
        prepare: impl FnOnce(&Evaluator),
    ) -> Result<Outcome, Unrecorded> {
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        self.show_logged(event);
        let before = cluster.mark();
        self.before = Some(before);
        state::take_back(event, &cluster);
        prepare(&self.evaluator);
        let outcome = match self.sent(event, way).map(|sent| self.prepared(sent)) {
            Some(request) => self.send(event, request, way.age),
            None => Err(Unrecorded::NoBody),
        };
        let is_admitted = outcome.as_ref().is_ok_and(Outcome::allowed);
        if !is_admitted || !state::is_unshown(event) {
            cluster.undo_to(before);
        }
        outcome
    }

    /// Counts what the request of `event` added to the usage of quotas on the server of the log.
    pub(super) fn settle(&mut self, event: &Event, charged: &[Charged]) {
        self.charges.settle(&event.namespace, charged);
    }

    /// Returns the request of `event` that was the latest one, sent in this `way`, with what it met after `prepare`.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be sent again without the log.
    pub(super) fn moment(
        &mut self,
        event: &Event,
        way: Way,
        prepare: impl FnOnce(&Evaluator),
    ) -> Result<Moment, String> {
        let (Some(before), Some(recorded)) = (self.before, self.sent(event, way)) else {
            return Err(request::missing_body(event));
        };
        let cluster = self.evaluator.cluster().clone();
        cluster.undo_to(before);
        state::take_back(event, &cluster);
        prepare(&self.evaluator);
        if let Some(age) = way.age {
            self.charges.show_state(&event.namespace, age, &cluster);
        }
        let start = cluster.mark();
        let prepared = self.prepared(recorded.clone());
        let outcome = self.send(event, prepared.clone(), way.age).map_err(|error| error.to_string());
        let moment = outcome.and_then(|outcome| {
            let review = moment::review(event, &recorded, &outcome)?;
            // What it changed is what follows if the log does not show that.
            cluster.undo_to(start);
            let asks = self.playback.is_none() && self.evaluator.asks_webhooks();
            let objects =
                moment::looked_up(event, &review, &cluster, (self.evaluator.authorizes_requests(), asks));
            Ok(Moment { logged: Logged::of(event), review, objects, outcome })
        });
        cluster.undo_to(before);
        if state::is_unshown(event) {
            state::take_back(event, &cluster);
            // It was sent before.
            let _ = self.send(event, prepared, way.age);
        }
        moment
    }

    /// Returns the request that `event` was for the server of the log, sent in this `way`.
    fn sent(&self, event: &Event, way: Way) -> Option<Recorded> {
        let release = self.logged.unwrap_or_else(|| self.evaluator.profile().release());
        let mut sent = request::recorded(event, release).ok()?;
        (way.request < sent.len()).then(|| sent.swap_remove(way.request))
    }

    /// Prepares a request of the log for this server.
    fn prepared(&self, recorded: Recorded) -> PreparedRecord {
        recorded.prepare(self.evaluator.profile()).of_log()
    }

    /// Brings the cluster to the state that the recorded answer shows, which is `answered` if it was read before.
    pub(super) fn follow(&mut self, event: &Event, answered: Option<(GroupResource, Object)>) {
        let cluster = self.evaluator.cluster().clone();
        let answered = answered.or_else(|| self.answered(event));
        state::follow(event, answered, &self.evaluator);
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.take(event, &cluster);
        } else {
            self.charges.show(&event.namespace, &cluster);
        }
    }

    /// Returns the object that the server of the log answered with, as this one reads it.
    fn answered(&self, event: &Event) -> Option<(GroupResource, Object)> {
        let known = || event.answered.clone().filter(|_| self.logged.is_none());
        known().or_else(|| state::read(event.response.as_ref()?, &self.evaluator))
    }

    fn show_logged(&self, event: &Event) {
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.show_logged(event, self.evaluator.cluster());
        }
    }

    fn send(
        &mut self,
        event: &Event,
        request: PreparedRecord,
        age: Option<usize>,
    ) -> Result<Outcome, Unrecorded> {
        if let Some(playback) = &self.playback {
            playback.begin(&event.answers);
        }
        let cluster = self.evaluator.cluster().clone();
        if let Some(age) = age {
            self.charges.show_state(&event.namespace, age, &cluster);
        }
        if event.verb != "deletecollection" {
            return self.evaluator.answer_prepared(request);
        }
        let names = state::collected(event, &cluster);
        self.evaluator.answer_collection(&request, names)
    }
}
