//! A server next to the log: it answers each request with the objects that the log shows.

use std::sync::Arc;

use crate::evaluation::{Evaluator, Outcome, PreparedRecord, Unrecorded};
use crate::replay::charges::Charges;
use crate::replay::compare::{self, Difference};
use crate::replay::event::Event;
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
}

/// The request that an event was, and the state of the quotas that it met, counted back from the latest one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Which of the requests that it may have been.
    request: usize,
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
        Self { evaluator, charges: Charges::default(), playback, logged: None }
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
        let requests = requests?;
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        state::check_seen(event, &cluster)?;
        self.show_logged(event);
        let before = cluster.mark();
        state::take_back(event, &cluster);
        let start = cluster.mark();
        // The requests that it may have been, and the states of quotas that it may have met.
        let states = self.charges.states(event);
        let ages = std::iter::once(None).chain((0..states).map(Some));
        let ways = ages.flat_map(|age| (0..requests.len()).map(move |request| Way { request, age }));
        let mut judged = Judged { difference: None, agreed: None };
        for way in ways {
            cluster.undo_to(start);
            let outcome = self.send(event, &requests[way.request], way.age).map_err(|error| match error {
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
        way: Way,
        prepare: impl FnOnce(&Evaluator),
    ) -> Result<Outcome, Unrecorded> {
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        self.show_logged(event);
        let before = cluster.mark();
        state::take_back(event, &cluster);
        prepare(&self.evaluator);
        // It was one of these for the server of the log.
        let release = self.logged.unwrap_or_else(|| self.evaluator.profile().release());
        let sent = request::recorded(event, release).ok().and_then(|mut sent| {
            let profile = self.evaluator.profile();
            (way.request < sent.len()).then(|| sent.swap_remove(way.request).prepare(profile).of_log())
        });
        let outcome = match sent {
            Some(sent) => self.send(event, &sent, way.age),
            None => Err(Unrecorded::NoBody),
        };
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
        request: &PreparedRecord,
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
            return self.evaluator.answer_prepared(request.clone());
        }
        let names = state::collected(event, &cluster);
        self.evaluator.answer_collection(request, names)
    }
}
