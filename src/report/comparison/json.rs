//! A comparison as one JSON document. The format is public API, so fields are only ever added.
//!
//! ```json
//! {
//!   "apiVersion": "kadmit.dev/v1alpha1",
//!   "kind": "AdmissionComparison",
//!   "before": {"plugins": ["NamespaceLifecycle"], "requests": 2, "admitted": 2, "denied": 0},
//!   "after": {"plugins": ["NamespaceLifecycle"], "requests": 2, "admitted": 1, "denied": 1},
//!   "differences": [{
//!     "subject": "Pod shop/report",
//!     "request": {"operation": "CREATE", "kind": "Pod", "namespace": "shop", "name": "report"},
//!     "caused": false,
//!     "source": {"file": "report.yaml", "line": 13},
//!     "before": {"allowed": true},
//!     "after": {"allowed": false, "plugin": "LimitRanger", "code": 403, "reason": "Forbidden", "message": "…"},
//!     "reasons": ["LimitRange sizes allows at most 2 cpu (limits.yaml:16)"],
//!     "events": [{"event": "newlyDenied", "plugin": "LimitRanger", "message": "…"}],
//!     "patch": [{"op": "replace", "path": "/spec/replicas", "value": 2}]
//!   }],
//!   "notes": [],
//!   "diagnostics": [],
//!   "summary": {
//!     "events": {"newlyDenied": 1},
//!     "accepted": {},
//!     "byPlugin": {"LimitRanger": {"newlyDenied": 1}},
//!     "byNamespace": {"shop": {"newlyDenied": 1}}
//!   }
//! }
//! ```
//!
//! `subject` is its name in the report for people. A controller sent what is `caused`. `before` and `after` are absent
//! for a request that this side does not have; `accepted` in them and in an event has the user's reason to accept it, if
//! there is one: a skip, or that it is in the baseline. The summary counts those among its `events` as `accepted`. `plugin` may also be `APIServer` or `APIValidation`. The events are `newlyDenied`, `deniedOtherwise`,
//! `noLongerDenied`, `newlyWarned`, `noLongerWarned`, `newlyMutated`, `mutatedOtherwise` and `noLongerMutated`. `patch`
//! (RFC 6902) leads from the object that would be stored before to the one after, if both sides store one. Namespace
//! `""` is that of objects that are in none. `diagnostics` are those of `kadmit run -o json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::admission::Operation;
use crate::report::comparison::difference::{Difference, Event, OutcomeEvent, Verdict};
use crate::report::comparison::tally::{Count, Tally};
use crate::report::comparison::{Compared, Side};
use crate::report::json::DiagnosticEntry;
use kube_api::diff::{self, PatchOperation};

/// Writes the whole comparison; patches only if `diff` is set.
pub fn write_json(out: &mut impl Write, compared: &Compared, diff: bool) -> io::Result<()> {
    let tally = Tally::of(&compared.differences);
    let keyed = |counts: BTreeMap<Event, Count>| {
        counts.into_iter().map(|(event, count)| (event.key(), count.all)).collect::<Counts>()
    };
    let accepted = tally.by_event().into_iter().filter(|(_, count)| count.accepted > 0);
    let all = |counts: BTreeMap<&'_ str, BTreeMap<Event, Count>>| {
        counts.into_iter().map(|(name, counts)| (name.to_owned(), keyed(counts))).collect()
    };
    let document = Document {
        api_version: "kadmit.dev/v1alpha1",
        kind: "AdmissionComparison",
        before: SideEntry::of(&compared.before),
        after: SideEntry::of(&compared.after),
        differences: Differences { differences: &compared.differences, diff },
        notes: compared.notes(),
        diagnostics: compared.diagnostics.iter().map(DiagnosticEntry::of).collect(),
        summary: SummaryEntry {
            events: keyed(tally.by_event()),
            accepted: accepted.map(|(event, count)| (event.key(), count.accepted)).collect(),
            by_plugin: all(tally.by_plugin()),
            by_namespace: all(tally.by_namespace()),
        },
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)?;
    out.flush()
}

type Counts = BTreeMap<String, usize>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    before: SideEntry<'a>,
    after: SideEntry<'a>,
    differences: Differences<'a>,
    notes: Vec<&'a str>,
    diagnostics: Vec<DiagnosticEntry<'a>>,
    summary: SummaryEntry,
}

#[derive(Serialize)]
struct SideEntry<'a> {
    plugins: &'a [&'static str],
    requests: usize,
    admitted: usize,
    denied: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryEntry {
    events: Counts,
    accepted: Counts,
    by_plugin: BTreeMap<String, Counts>,
    by_namespace: BTreeMap<String, Counts>,
}

/// The differences, serialized one after the other, so that not all patches are in memory at once.
struct Differences<'a> {
    differences: &'a [Difference],
    diff: bool,
}

#[derive(Serialize)]
struct DifferenceEntry<'a> {
    subject: &'a str,
    request: RequestEntry<'a>,
    caused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<VerdictEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<VerdictEntry<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reasons: &'a [String],
    events: Vec<EventEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Vec<PatchOperation>>,
}

#[derive(Serialize)]
struct RequestEntry<'a> {
    operation: Operation,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct SourceEntry<'a> {
    file: &'a str,
    line: usize,
}

#[derive(Default, Serialize)]
struct VerdictEntry<'a> {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<String>,
}

#[derive(Serialize)]
struct EventEntry<'a> {
    event: String,
    plugin: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<String>,
}

impl<'a> SideEntry<'a> {
    fn of(side: &'a Side) -> Self {
        let summary = &side.summary;
        Self {
            plugins: &side.plugins,
            requests: summary.requests,
            admitted: summary.admitted,
            denied: summary.denied,
        }
    }
}

impl Serialize for Differences<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |difference| DifferenceEntry::of(difference, self.diff);
        serializer.collect_seq(self.differences.iter().map(entry))
    }
}

impl<'a> DifferenceEntry<'a> {
    fn of(difference: &'a Difference, diff: bool) -> Self {
        let change = difference.change.as_ref().filter(|_| diff);
        Self {
            subject: &difference.subject,
            request: RequestEntry {
                operation: difference.operation,
                kind: &difference.kind,
                namespace: &difference.namespace,
                name: &difference.name,
            },
            caused: difference.is_caused,
            source: difference.place.as_ref().map(|(file, line)| SourceEntry { file, line: *line }),
            before: VerdictEntry::of(&difference.before),
            after: VerdictEntry::of(&difference.after),
            reasons: difference.evidence.as_ref().map_or(&[], |shown| &shown.reasons),
            events: difference.happened.iter().map(EventEntry::of).collect(),
            patch: change
                .map(|(before, after)| diff::json_patch(&before.object().value, &after.object().value)),
        }
    }
}

impl<'a> VerdictEntry<'a> {
    fn of(verdict: &'a Verdict) -> Option<Self> {
        match verdict {
            Verdict::Absent => None,
            Verdict::Admitted => Some(Self { allowed: true, ..Self::default() }),
            Verdict::Denied(denial) => Some(Self {
                allowed: false,
                plugin: Some(denial.rule),
                code: Some(denial.code),
                reason: Some(denial.reason.as_str()).filter(|reason| !reason.is_empty()),
                message: Some(&denial.message),
                accepted: denial.accepted.as_ref().map(ToString::to_string),
            }),
        }
    }
}

impl<'a> EventEntry<'a> {
    fn of(happened: &'a OutcomeEvent) -> Self {
        Self {
            event: happened.event.key(),
            plugin: happened.rule,
            message: happened.message.as_deref(),
            accepted: happened.accepted.as_ref().map(ToString::to_string),
        }
    }
}
