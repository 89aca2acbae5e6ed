//! What a replay found: how often kadmit answered as the server did, and what differed.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::replay::Line;
use crate::replay::event::Event;

/// The findings of a replay.
#[derive(Default)]
pub struct Findings {
    /// The number of requests that were judged.
    pub judged: u64,
    /// The number of them that kadmit answered as the server did.
    pub agree: u64,
    /// The number of requests that only read.
    pub reads: u64,
    /// The number of events of other stages than `ResponseComplete`.
    pub skipped: u64,
    /// The number of requests that the selection does not have.
    pub unselected: u64,
    record: Option<Recorder>,
    left_out: BTreeMap<String, u64>,
    differences: BTreeMap<String, (u64, Example)>,
    notes: BTreeMap<&'static str, (u64, Line)>,
}

/// Takes the record of each judged request.
type Recorder = Box<dyn FnMut(&Record<'_>)>;

/// One judged request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record<'a> {
    /// The identifier of the event.
    #[serde(rename = "auditID")]
    pub audit_id: &'a str,
    /// The file of the event.
    pub file: &'a str,
    /// Its line.
    pub line: usize,
    /// When the request ended.
    pub time: &'a str,
    /// Verb, resource and object.
    pub request: String,
    /// The user.
    pub user: &'a str,
    /// The code of the server's answer.
    pub code: u16,
    /// Whether kadmit's answer is the same.
    pub agrees: bool,
    /// What differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'a str>,
}

/// Requests that were not judged for the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The cause.
    pub cause: String,
    /// Their number.
    pub count: u64,
}

/// A peculiarity of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// What it is.
    pub cause: &'static str,
    /// How often it occurs.
    pub count: u64,
    /// The file of the first.
    pub file: String,
    /// Its line.
    pub line: usize,
}

/// An answer that is not the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What all differences of its group have in common.
    pub cause: String,
    /// The server's answer.
    pub server: String,
    /// Kadmit's answer.
    pub kadmit: String,
}

/// The first request of a group of differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The identifier of the event.
    #[serde(rename = "auditID")]
    pub audit_id: String,
    /// The file of the event.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// Verb, resource and object.
    pub request: String,
    /// The user.
    pub user: String,
    /// The server's answer.
    pub server: String,
    /// Kadmit's answer.
    pub kadmit: String,
}

impl Findings {
    pub(super) fn record_with(&mut self, take: Box<dyn FnMut(&Record<'_>)>) {
        self.record = Some(take);
    }

    /// Ends the records, so that all of them are written.
    pub(super) fn end_records(&mut self) {
        self.record = None;
    }

    pub(super) fn judge(&mut self, event: &Event, difference: Option<Difference>) {
        self.judged += 1;
        if let Some(record) = &mut self.record {
            record(&Record {
                audit_id: &event.audit_id,
                file: &event.line.file,
                line: event.line.number,
                time: &event.time,
                request: event.title(),
                user: &event.user.username,
                code: event.code,
                agrees: difference.is_none(),
                cause: difference.as_ref().map(|difference| &*difference.cause),
            });
        }
        let Some(Difference { cause, server, kadmit }) = difference else {
            self.agree += 1;
            return;
        };
        let example = || Example {
            audit_id: event.audit_id.clone(),
            file: event.line.file.clone(),
            line: event.line.number,
            request: event.title(),
            user: event.user.username.clone(),
            server,
            kadmit,
        };
        self.differences.entry(cause).or_insert_with(|| (0, example())).0 += 1;
    }

    pub(super) fn leave_out(&mut self, cause: String) {
        *self.left_out.entry(cause).or_default() += 1;
    }

    pub(super) fn note(&mut self, cause: &'static str, line: &Line) {
        self.notes.entry(cause).or_insert_with(|| (0, line.clone())).0 += 1;
    }

    /// Returns the share of judged requests that agree, in percent; nothing if none was judged.
    #[expect(clippy::cast_precision_loss, reason = "a log has fewer requests than a double is exact for")]
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.agree as f64 * 100.0 / self.judged as f64)
    }

    /// Returns the requests that were not judged, the most frequent cause first.
    pub fn not_judged(&self) -> Vec<Counted> {
        let mut causes: Vec<_> = self
            .left_out
            .iter()
            .map(|(cause, count)| Counted { cause: cause.clone(), count: *count })
            .collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes
    }

    /// Returns the differences by cause, the most frequent first.
    pub fn differences(&self) -> Vec<(&str, u64, &Example)> {
        let groups = self.differences.iter();
        let mut groups: Vec<_> =
            groups.map(|(cause, (count, example))| (cause.as_str(), *count, example)).collect();
        groups.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        groups
    }

    /// Returns the peculiarities of the log.
    pub fn notes(&self) -> Vec<Noted> {
        let notes = self.notes.iter();
        notes
            .map(|(cause, (count, line))| Noted {
                cause,
                count: *count,
                file: line.file.clone(),
                line: line.number,
            })
            .collect()
    }
}
