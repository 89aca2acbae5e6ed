//! Audit logs: the requests that a server received go through the chain again, and its answers are compared.
//!
//! Every request meets the objects that the server had, as far as the log shows them, whatever was predicted before. No
//! rule of the chain is here.

mod anonymous;
mod change;
mod charges;
mod compare;
mod document;
mod event;
mod findings;
mod moment;
mod order;
mod remains;
mod request;
mod selection;
mod server;
mod state;
mod webhooks;

use std::collections::{HashSet, VecDeque};

use std::sync::Arc;

use crate::evaluation::{Evaluator, Outcome};
use crate::report::comparison::ComparedBy;
use crate::report::{Diagnostic, Only};
use jiff::Timestamp;
use kube_api::server_profile::ServerProfile;

use change::Change;
use event::{Event, RESPONSE_COMPLETE};
use findings::Tally;
use order::Order;
use remains::Remains;
use server::{Server, Way};

pub use anonymous::{Keep, Names};
pub use change::{Added, Asker, AskerCount, Changed, Changes, FirstChanged};
pub use compare::Difference;
pub use document::{Document, release_in};
pub use event::Logged;
pub use findings::{Counted, Differing, Example, Findings, Noted, Record};
pub use moment::{Moment, Moments};
pub use selection::Selection;
pub use webhooks::Playback;

/// The number of latest events that a repetition is found among: those of several API servers are close together.
const REMEMBERED: usize = 65_536;

/// The place of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The file; `-` is standard input.
    pub file: Arc<str>,
    /// The line, from 1.
    pub number: usize,
}

/// Sends the events of audit logs through the chain, one after the other.
pub struct Replay {
    server: Server,
    change: Option<Change>,
    selection: Selection,
    findings: Tally,
    /// Identifiers and times of the latest events: a client may choose its own identifier, and repeat it.
    known: HashSet<Arc<str>>,
    latest: VecDeque<Arc<str>>,
    time: Option<Timestamp>,
    order: Order,
    /// The requests to send again without the log, if some are wanted.
    moments: Option<Moments>,
    remains: Remains,
}

impl Replay {
    /// Returns a replay on the server and the cluster of `evaluator`, whose webhooks answer as in the log if `playback`
    /// is its client. If `is_empty`, nothing exists at first: the log shows how the server creates its own objects.
    pub fn new(evaluator: Evaluator, playback: Option<Arc<Playback>>, is_empty: bool) -> Self {
        if is_empty {
            state::clear(evaluator.cluster());
        }
        let remains = Remains::of(evaluator.cluster().clone());
        Self {
            server: Server::new(evaluator, playback),
            change: None,
            selection: Selection::default(),
            findings: Tally::default(),
            known: HashSet::new(),
            latest: VecDeque::new(),
            time: None,
            order: Order::default(),
            moments: None,
            remains,
        }
    }

    /// Compares the answers also with those of the server of `evaluator`, which has the objects `added` to those of the
    /// log. `compared_by` says what differs between the two servers, and `only` which of the differences are reported.
    #[must_use]
    pub fn with_change(
        mut self,
        (evaluator, playback): (Evaluator, Option<Arc<Playback>>),
        profile: Arc<ServerProfile>,
        added: Vec<Added>,
        (compared_by, only): (ComparedBy, Only),
        is_empty: bool,
    ) -> Self {
        if is_empty {
            state::clear(evaluator.cluster());
        }
        self.remains.clusters.push(evaluator.cluster().clone());
        self.change = Some(Change::new(
            Server::new(evaluator, playback),
            self.server.evaluator.profile().release(),
            profile,
            added,
            (compared_by, only),
        ));
        self
    }

    /// Judges the requests of `selection` alone. What exists follows from all.
    #[must_use]
    pub fn selecting(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// Keeps requests to send again without the log: those that another server answers otherwise, if there is one, and
    /// else those that `only` chooses.
    #[must_use]
    pub fn keeping(self, only: Only) -> Self {
        Self { moments: Some(Moments::new(only)), ..self }
    }

    /// Passes every judged request to `take`.
    #[must_use]
    pub fn recording(mut self, take: Box<dyn FnMut(&Record<'_>)>) -> Self {
        self.findings.record_with(take);
        self
    }

    /// Takes what was read of a log.
    pub fn take_document(&mut self, document: Document) {
        match document.event {
            Ok(event) => self.take_event(event),
            Err(cause) => self.findings.note(cause, &document.line),
        }
    }

    /// Takes the events that waited for earlier ones, and returns what was found, with the requests that were kept and
    /// errors about words that choose none.
    pub fn finish(mut self) -> (Findings, Moments, Vec<Diagnostic>) {
        while let Some(event) = self.order.next(&self.server.evaluator) {
            self.take(event);
        }
        let idle = self.change.as_ref().map(Change::idle_words).unwrap_or_default();
        (self.findings.finish(self.change.map(Change::finish)), self.moments.unwrap_or_default(), idle)
    }

    /// Returns the number of requests judged so far.
    pub fn judged(&self) -> u64 {
        self.findings.judged
    }

    fn take_event(&mut self, event: Event) {
        if event.stage != RESPONSE_COMPLETE {
            return;
        }
        if !self.remember(&event) {
            return self.findings.note("an event is there twice", &event.line);
        }
        if event.is_read() {
            self.findings.reads += 1;
            return;
        }
        self.look_at_time(&event);
        self.order.push(event);
        if self.order.is_full()
            && let Some(event) = self.order.next(&self.server.evaluator)
        {
            self.take(event);
        }
    }

    fn take(&mut self, mut event: Event) {
        let requests = std::mem::replace(&mut event.requests, Ok(Vec::new()));
        let judged = self.server.judge(&event, requests);
        let answered = event.answered.take();
        let mut agreed = None;
        match judged {
            _ if !self.selection.has(&event) => self.findings.unselected += 1,
            Ok(judged) => {
                match (&mut self.change, &judged.agreed) {
                    (Some(change), Some((way, outcome))) => {
                        change.take(&event, *way, outcome, self.moments.as_mut());
                        change.settle(&event, &judged.charged);
                    }
                    (None, Some((way, outcome))) => self.keep(&event, *way, outcome),
                    (_, None) => {}
                }
                self.findings.judge(&event, judged.difference);
                agreed = judged.agreed.map(|(_, outcome)| outcome);
            }
            Err(cause) => self.findings.leave_out(cause),
        }
        self.server.follow(&event, answered);
        if let Some(change) = &mut self.change {
            change.follow(&event);
        }
        self.remains.push((event, agreed));
    }

    /// Keeps the request of `event` if such requests are wanted.
    fn keep(&mut self, event: &Event, way: Way, outcome: &Outcome) {
        let Some(moments) = &mut self.moments else { return };
        let said = outcome.status().map(|status| change::nameless(&status.message, &outcome.name));
        if moments.wants(event, outcome, said.as_slice()) {
            moments.keep(self.server.moment(event, way, |_| {}));
        }
    }

    /// Remembers `event`; returns whether it is new.
    fn remember(&mut self, event: &Event) -> bool {
        let key: Arc<str> = format!("{} {}", event.audit_id, event.time).into();
        if !self.known.insert(key.clone()) {
            return false;
        }
        self.latest.push_back(key);
        if self.latest.len() > REMEMBERED
            && let Some(oldest) = self.latest.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }

    fn look_at_time(&mut self, event: &Event) {
        let Ok(time) = event.time.parse::<Timestamp>() else { return };
        match self.time {
            // Requests that end at the same time are written in any order.
            Some(before) if before.duration_since(time).as_secs() >= 1 => {
                self.findings.note("an event is earlier than the one before it", &event.line);
            }
            Some(before) if before > time => {}
            _ => self.time = Some(time),
        }
    }
}
