//! Audit logs: the requests that a server received go through the chain again, and its answers are compared.
//!
//! Every request meets the objects that the server had, as far as the log shows them, whatever was predicted before. No
//! rule of the chain is here.

mod charges;
mod compare;
mod event;
mod findings;
mod order;
mod request;
mod state;

use std::collections::{HashSet, VecDeque};

use crate::evaluation::{Evaluator, Recorded, Unrecorded};
use gotext::encoding_json;
use jiff::Timestamp;
use kube_api::Value;
use kube_api::resources::RESOURCE_QUOTAS;

use charges::Charges;
use event::Event;
use order::Order;

pub use findings::{Counted, Difference, Example, Findings, Noted};

/// The number of latest events that a repetition is found among: those of several API servers are close together.
const REMEMBERED: usize = 65_536;

/// The place of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The file; `-` is standard input.
    pub file: String,
    /// The line, from 1.
    pub number: usize,
}

/// Sends the events of audit logs through the chain, one after the other.
pub struct Replay {
    evaluator: Evaluator,
    charges: Charges,
    findings: Findings,
    known: HashSet<String>,
    latest: VecDeque<String>,
    time: Option<Timestamp>,
    order: Order,
}

impl Replay {
    /// Returns a replay on the server and the cluster of `evaluator`. If `is_empty`, nothing exists at first: the log
    /// shows how the server creates its own objects.
    pub fn new(evaluator: Evaluator, is_empty: bool) -> Self {
        if is_empty {
            state::clear(evaluator.cluster());
        }
        Self {
            evaluator,
            charges: Charges::default(),
            findings: Findings::default(),
            known: HashSet::new(),
            latest: VecDeque::new(),
            time: None,
            order: Order::default(),
        }
    }

    /// Takes the text of one line.
    pub fn take_line(&mut self, text: &[u8], line: &Line) {
        let text = text.trim_ascii();
        if text.is_empty() {
            return;
        }
        let Ok(document) = encoding_json::from_slice(text) else {
            return self.findings.note("a line is not JSON, or is cut", line);
        };
        match (document.text("apiVersion"), document.text("kind")) {
            ("audit.k8s.io/v1", "Event") => self.take_document(&document, line),
            ("audit.k8s.io/v1", "EventList") => {
                for event in document.list("items") {
                    self.take_document(event, line);
                }
            }
            (version, "Event" | "EventList") if version.starts_with("audit.k8s.io/") => {
                self.findings.note("an event of another version than audit.k8s.io/v1", line);
            }
            _ => self.findings.note("a line is not an audit event", line),
        }
    }

    /// Takes the events that waited for earlier ones, and returns what was found.
    pub fn finish(mut self) -> Findings {
        while let Some(event) = self.order.next(&self.evaluator) {
            self.take(&event);
        }
        self.findings
    }

    /// Returns the number of requests judged so far.
    pub fn judged(&self) -> u64 {
        self.findings.judged
    }

    fn take_document(&mut self, document: &Value, line: &Line) {
        let Some(event) = Event::of(document, line) else {
            return self.findings.note("an event without auditID, stage or verb", line);
        };
        if event.stage != "ResponseComplete" {
            self.findings.skipped += 1;
            return;
        }
        if !self.remember(&event) {
            return self.findings.note("an event is there twice", line);
        }
        if matches!(event.verb.as_str(), "get" | "list" | "watch" | "head" | "options") {
            self.findings.reads += 1;
            return;
        }
        self.look_at_time(&event);
        self.order.push(event);
        if self.order.is_full()
            && let Some(event) = self.order.next(&self.evaluator)
        {
            self.take(&event);
        }
    }

    fn take(&mut self, event: &Event) {
        if let Err(cause) = self.judge(event) {
            self.findings.leave_out(cause);
        }
        self.follow(event);
    }

    /// Remembers `event`; returns whether it is new.
    fn remember(&mut self, event: &Event) -> bool {
        if !self.known.insert(event.audit_id.clone()) {
            return false;
        }
        self.latest.push_back(event.audit_id.clone());
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

    /// Sends the request of `event` through the chain and compares the answers.
    ///
    /// # Errors
    ///
    /// Returns why the request cannot be judged.
    fn judge(&mut self, event: &Event) -> Result<(), String> {
        let cluster = self.evaluator.cluster().clone();
        cluster.record();
        request::check(event)?;
        state::check_seen(event, &cluster)?;
        let requests = request::recorded(event, self.evaluator.profile().release())?;
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.show_logged(event, &cluster);
        }
        let before = cluster.mark();
        state::take_back(event, &cluster);
        let start = cluster.mark();
        // The requests that it may have been, and the states of quotas that it may have met.
        let states = self.charges.states(event);
        let ways = requests.iter().map(|request| (request, None));
        let ways =
            ways.chain((0..states).flat_map(|age| requests.iter().map(move |request| (request, Some(age)))));
        let mut difference = None;
        let mut agrees = false;
        for (request, age) in ways {
            cluster.undo_to(start);
            if let Some(age) = age {
                self.charges.show_state(&event.namespace, age, &cluster);
            }
            let found = self.answer(event, request.clone())?;
            agrees = found.is_none();
            if agrees {
                break;
            }
            difference = difference.or(found);
        }
        if agrees {
            difference = None;
        }
        self.findings.judge(event, difference);
        if agrees && (event.succeeded() || states == 0) {
            self.charges.settle(event, &cluster);
        }
        if !agrees || !state::is_unshown(event) {
            cluster.undo_to(before);
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event, recorded: Recorded) -> Result<Option<Difference>, String> {
        let outcome = self.evaluator.answer_recorded(recorded).map_err(|error| match error {
            Unrecorded::NoBody => request::missing_body(event),
            Unrecorded::UnknownKind(unknown) => unknown.to_string(),
        })?;
        let read = |value: &Value| state::read(value, &self.evaluator);
        Ok(compare::difference(event, &outcome, read))
    }

    /// Brings the cluster to the state that the server's answer shows.
    fn follow(&mut self, event: &Event) {
        let cluster = self.evaluator.cluster().clone();
        state::follow(event, &self.evaluator);
        if event.is_of(&RESOURCE_QUOTAS) {
            self.charges.take(event, &cluster);
        } else {
            self.charges.show(&event.namespace, &cluster);
        }
    }
}
