//! The difference between two outcomes of the same request.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::admission::Operation;
use crate::cluster::PackedObject;
use crate::evaluation::{Acceptance, Outcome, Place, Written};
use crate::report::comparison::ComparedBy;
use crate::report::comparison::kept::{Changed, ComparedOutcome, Denial, KeptWarning};
use crate::report::finding::{API_SERVER, Finding, Reason, Spot};
use crate::report::only::RequestEvent;
use crate::report::sarif::{VersionEdit, version_edit};
use crate::report::subject::Subject;
use crate::report::{Fixtures, Only, Severity, masked};
use gotext::source::Node;
use kube_api::{Object, Value};

/// A change in the outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Event {
    /// It was admitted, or absent, and is denied.
    NewlyDenied,
    /// It is denied by another plugin or with another message.
    DeniedOtherwise,
    /// It was denied and is admitted.
    NoLongerDenied,
    /// A warning is new.
    NewlyWarned,
    /// A warning of an admitted request is gone.
    NoLongerWarned,
    /// A plugin changes the object that did not change it before.
    NewlyMutated,
    /// A plugin changes something else.
    MutatedOtherwise,
    /// A plugin does not change the object any more.
    NoLongerMutated,
    /// The server sets fields by default that it did not set before.
    NewlyDefaulted,
    /// The server reads fields that it left out before.
    NewlyRead,
}

impl Event {
    /// Returns the words for it, to be followed by `by` and a plugin.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NewlyDenied => "newly denied",
            Self::DeniedOtherwise => "denied otherwise",
            Self::NoLongerDenied => "no longer denied",
            Self::NewlyWarned => "newly warned",
            Self::NoLongerWarned => "no longer warned",
            Self::NewlyMutated => "newly mutated",
            Self::MutatedOtherwise => "mutated otherwise",
            Self::NoLongerMutated => "no longer mutated",
            Self::NewlyDefaulted => "newly defaulted",
            Self::NewlyRead => "newly read",
        }
    }

    /// Returns the name in JSON: the words in camel case.
    pub fn key(self) -> String {
        let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
        let words = self.as_str().split(' ').enumerate();
        words.map(|(index, word)| if index == 0 { word.to_owned() } else { capital(word) }).collect()
    }
}

/// Returns what is different about the outcome `after` of the request that had the outcome `before` on another server,
/// unless `only` hides it. Nothing of it is secret.
pub fn events_between(
    before: &Outcome,
    after: &Outcome,
    compared_by: ComparedBy,
    only: &Only,
) -> Vec<OutcomeEvent> {
    let [old, new] = [before, after].map(|outcome| ComparedOutcome::of(outcome, compared_by, false));
    let difference = Difference::of(Some(old), new, after, compared_by, false);
    let difference = difference.filter(|difference| difference.is_chosen(only));
    difference.map(|difference| difference.happened).unwrap_or_default()
}

/// A request that was answered differently, or sent in one run alone.
#[derive(Debug)]
pub struct Difference {
    /// `Pod payments/worker (update)`
    pub(super) subject: String,
    pub(super) kind: String,
    pub(super) operation: Operation,
    pub(super) namespace: String,
    pub(super) name: String,
    /// File and line, in the run that has the request; in the second if both do.
    pub(super) place: Option<(String, usize)>,
    pub(super) is_caused: bool,
    pub(super) before: Verdict,
    pub(super) after: Verdict,
    pub(super) happened: Vec<OutcomeEvent>,
    /// The stored objects, if both runs store one and they are not the same.
    pub(super) change: Option<(PackedObject, PackedObject)>,
    /// The evidence for a reader if it is newly denied.
    pub(super) evidence: Option<Box<Shown>>,
    /// The edit of its manifest that the server's message suggests, after that message.
    pub(super) edit: Option<(String, VersionEdit)>,
    /// The number of requests that it stands for.
    pub(super) count: usize,
}

/// The answer of a run to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There was none.
    Absent,
    Admitted,
    Denied(Denial),
}

/// An event, the plugin that caused it, and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeEvent {
    /// The event.
    pub event: Event,
    /// The plugin, or the part of the server.
    pub rule: &'static str,
    /// The message, or the changed fields.
    pub message: Option<String>,
    /// The user's reason to accept it, if there is one.
    pub accepted: Option<Acceptance>,
    /// The fields that it is about, with their values.
    pub fields: Vec<String>,
}

impl OutcomeEvent {
    /// Returns an event that the user did not accept, about no fields.
    pub fn new(event: Event, rule: &'static str, message: Option<String>) -> Self {
        Self { event, rule, message, accepted: None, fields: Vec::new() }
    }
}

/// The explanation of a denial, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) file: String,
    pub(super) line: usize,
    /// The first column and the one after the last, counted from 1 in characters.
    pub(super) columns: Option<(usize, usize)>,
    /// The lines around, with the number of the first.
    pub(super) excerpt: Option<(usize, String)>,
    /// The objects in the cluster that cause it.
    pub(super) reasons: Vec<String>,
}

impl Difference {
    /// Returns what is different about `after`, which is kept of `outcome`, if anything is.
    pub(super) fn of(
        before: Option<ComparedOutcome>,
        after: ComparedOutcome,
        outcome: &Outcome,
        compared_by: ComparedBy,
        shows_secrets: bool,
    ) -> Option<Self> {
        let mut happened = Vec::new();
        let now = verdict(after.denial.as_ref());
        let Some(before) = before else {
            let denial = after.denial.iter().map(|denial| denied(Event::NewlyDenied, denial));
            happened.extend(denial.chain(warned(Event::NewlyWarned, &after.warnings, &[])));
            let is_reported = compared_by == ComparedBy::Manifests && !after.is_caused;
            return (is_reported || !happened.is_empty())
                .then(|| Self { happened, ..Self::new(after, Verdict::Absent, now) });
        };
        match (&before.denial, &after.denial) {
            (None, Some(denial)) => happened.push(denied(Event::NewlyDenied, denial)),
            (Some(denial), None) => happened.push(denied(Event::NoLongerDenied, denial)),
            (Some(old), Some(new))
                if old.rule != new.rule || before.stable_message != after.stable_message =>
            {
                happened.push(denied(Event::DeniedOtherwise, new));
            }
            _ => {}
        }
        happened.extend(warned(Event::NewlyWarned, &after.warnings, &before.warnings));
        // A plugin that refuses early prevents warnings of the others.
        if after.denial.is_none() {
            happened.extend(warned(Event::NoLongerWarned, &before.warnings, &after.warnings));
        }
        if after.denial.is_none() && before.denial.is_none() {
            happened.extend(mutated(&before.changes, &after.changes));
            let written = outcome.place.as_ref();
            happened.extend(received(before.received.as_ref(), after.received.as_ref(), written));
        }
        let change = before.object.zip(after.object.clone()).filter(|(before, after)| before != after);
        let change = if shows_secrets { change } else { change.map(without_secrets) };
        let then = verdict(before.denial.as_ref());
        (change.is_some() || !happened.is_empty()).then(|| Self {
            happened,
            change,
            ..Self::new(after, then, now)
        })
    }

    /// Returns the difference of a request that is no longer sent, if it is worth reporting: missing requests of
    /// controllers follow from what is reported about their objects.
    pub(super) fn removed(before: ComparedOutcome, compared_by: ComparedBy) -> Option<Self> {
        let verdict = verdict(before.denial.as_ref());
        let is_reported =
            compared_by == ComparedBy::Manifests && (!before.is_caused || before.denial.is_some());
        is_reported.then(|| Self::new(before, verdict, Verdict::Absent))
    }

    /// Adds the evidence for a reader, from `outcome` of the second run.
    pub(super) fn explained(mut self, outcome: &Outcome, fixtures: &Fixtures) -> Self {
        let is_finding =
            |event| matches!(event, Event::NewlyDenied | Event::DeniedOtherwise | Event::NewlyWarned);
        let findings = self.happened.iter().filter(|happened| is_finding(happened.event));
        self.edit = findings
            .filter_map(|happened| happened.message.as_ref())
            .find_map(|message| version_edit(outcome, message).map(|edit| (message.clone(), edit)));
        if !self.has(Event::NewlyDenied) && !self.has(Event::DeniedOtherwise) {
            return self;
        }
        let finding = Finding::of(outcome, fixtures).into_iter().next();
        let shown = finding.and_then(|finding| {
            let spot = finding.spots.first()?;
            Some(Shown {
                file: spot.file.to_owned(),
                line: spot.line?,
                columns: spot.columns,
                reasons: finding.reasons.iter().map(ToString::to_string).collect(),
                excerpt: finding.excerpt,
            })
        });
        if let Some(shown) = &shown {
            self.place = Some((shown.file.clone(), shown.line));
        }
        self.evidence = shown.map(Box::new);
        self
    }

    pub(super) fn has(&self, event: Event) -> bool {
        self.happened.iter().any(|happened| happened.event == event)
    }

    /// Whether there was no such request before.
    pub(super) fn is_added(&self) -> bool {
        self.before == Verdict::Absent
    }

    /// Whether there is no such request any more.
    pub(super) fn is_removed(&self) -> bool {
        self.after == Verdict::Absent
    }

    /// Whether the user accepts its denial.
    pub(super) fn is_accepted(&self) -> bool {
        matches!(&self.after, Verdict::Denied(Denial { accepted: Some(_), .. }))
    }

    /// Returns the findings for a reader of the second run: new denials and warnings.
    pub(super) fn findings(&self) -> Vec<Finding<'_>> {
        let mut findings = Vec::new();
        for happened in &self.happened {
            let severity = match happened.event {
                Event::NewlyDenied | Event::DeniedOtherwise => Severity::Error,
                Event::NewlyWarned => Severity::Warning,
                _ => continue,
            };
            let message = happened.message.as_deref().unwrap_or_default();
            let spot = self.place.as_ref().map(|(file, line)| Spot::at(file, Some(*line)));
            let mut finding = Finding {
                subject: Some(Subject::named(&self.kind, &self.namespace, &self.name, self.operation)),
                accepted: happened.accepted.as_ref(),
                spots: spot.into_iter().collect(),
                ..Finding::new(severity, happened.rule, message)
            };
            if let (Severity::Error, Verdict::Denied(denial)) = (severity, &self.after) {
                finding.code = Cow::Borrowed(&denial.reason);
                if let Some(shown) = self.evidence.as_deref() {
                    let Shown { file, line, columns, excerpt, reasons } = shown;
                    finding.spots = vec![Spot { columns: *columns, ..Spot::at(file, Some(*line)) }];
                    finding.excerpt.clone_from(excerpt);
                    finding.reasons = reasons.iter().cloned().map(Reason::placeless).collect();
                }
            }
            findings.push(finding);
        }
        findings
    }

    /// Whether `only` shows it.
    pub(super) fn is_chosen(&self, only: &Only) -> bool {
        let happening = |event| match event {
            Event::NewlyDenied | Event::DeniedOtherwise | Event::NoLongerDenied => RequestEvent::Denied,
            Event::NewlyWarned | Event::NoLongerWarned => RequestEvent::Warned,
            Event::NewlyMutated
            | Event::MutatedOtherwise
            | Event::NoLongerMutated
            | Event::NewlyDefaulted
            | Event::NewlyRead => RequestEvent::Changed,
        };
        let happened = self.happened.iter().map(|happened| (happening(happened.event), happened.rule));
        let is_stored_otherwise = self.change.is_some() || self.is_added() || self.is_removed();
        let changed = is_stored_otherwise.then_some((RequestEvent::Changed, ""));
        only.takes(&[&self.kind], &self.namespace, happened.chain(changed))
    }

    fn new(kept: ComparedOutcome, before: Verdict, after: Verdict) -> Self {
        let ComparedOutcome { subject, kind, operation, namespace, name, place, is_caused, .. } = kept;
        Self {
            subject,
            kind,
            operation,
            namespace,
            name,
            place,
            is_caused,
            before,
            after,
            happened: Vec::new(),
            change: None,
            evidence: None,
            edit: None,
            count: 1,
        }
    }
}

/// Two states of an object, of which what Secrets keep is masked.
fn without_secrets((before, after): (PackedObject, PackedObject)) -> (PackedObject, PackedObject) {
    if !after.may_keep_secret() {
        return (before, after);
    }
    let (old, new) = (before.object(), after.object());
    let (old_value, new_value) = masked(&new.kind, &old.value, &new.value);
    let packed = |object: Object, value| PackedObject::new(&Object::new(object.kind, value));
    (packed(old, old_value), packed(new, new_value))
}

fn verdict(denial: Option<&Denial>) -> Verdict {
    denial.map_or(Verdict::Admitted, |denial| Verdict::Denied(denial.clone()))
}

fn denied(event: Event, denial: &Denial) -> OutcomeEvent {
    // A denial that is gone needs no acceptance.
    let accepted = denial.accepted.clone().filter(|_| event != Event::NoLongerDenied);
    OutcomeEvent { accepted, ..OutcomeEvent::new(event, denial.rule, Some(denial.message.clone())) }
}

/// Returns the warnings among `these` that are not among `others`.
fn warned(event: Event, these: &[KeptWarning], others: &[KeptWarning]) -> Vec<OutcomeEvent> {
    let mut others: Vec<&KeptWarning> = others.iter().collect();
    let mut happened = Vec::new();
    for KeptWarning { rule, message, accepted } in these {
        let known = others.iter().position(|other| other.rule == *rule && other.message == *message);
        if let Some(position) = known {
            others.swap_remove(position);
        } else {
            let message = Some(message.clone());
            let accepted = accepted.clone().filter(|_| event == Event::NewlyWarned);
            happened.push(OutcomeEvent { accepted, ..OutcomeEvent::new(event, rule, message) });
        }
    }
    happened
}

fn mutated(before: &[Changed], after: &[Changed]) -> Vec<OutcomeEvent> {
    let find = |changes: &[Changed], plugin| changes.iter().copied().find(|change| change.plugin == plugin);
    let happened = |event, change: &Changed| OutcomeEvent::new(event, change.plugin, None);
    let now = after.iter().filter_map(|change| match find(before, change.plugin) {
        None => Some(happened(Event::NewlyMutated, change)),
        Some(old) if old != *change => Some(happened(Event::MutatedOtherwise, change)),
        Some(_) => None,
    });
    let gone = before.iter().filter(|change| find(after, change.plugin).is_none());
    now.chain(gone.map(|change| happened(Event::NoLongerMutated, change))).collect()
}

/// Returns which fields only the second server reads or sets by default; the object was written at `place`.
fn received(
    before: Option<&PackedObject>,
    after: Option<&PackedObject>,
    place: Option<&Place>,
) -> Vec<OutcomeEvent> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    if before == after {
        return Vec::new();
    }
    let written = place.and_then(Place::written);
    let mut fields = NewFields::default();
    let (before, mut after) = (before.object(), after.object());
    after.remove(["status"]);
    // Older servers fill it in later, with the same value.
    if !before.has(["metadata", "namespace"]) {
        after.remove(["metadata", "namespace"]);
    }
    fields.collect("", &before.value, &after.value, written.as_ref().and_then(Written::node));
    let NewFields { defaulted, read } = fields;
    let both = [(Event::NewlyRead, read), (Event::NewlyDefaulted, defaulted)];
    let some = both.into_iter().filter(|(_, fields)| !fields.is_empty());
    let happened = some.map(|(event, fields)| {
        let message = Some(fields.join(", "));
        OutcomeEvent { fields, ..OutcomeEvent::new(event, API_SERVER, message) }
    });
    happened.collect()
}

/// The fields that only the second server has, with their values.
#[derive(Default)]
struct NewFields {
    defaulted: Vec<String>,
    read: Vec<String>,
}

impl NewFields {
    /// Adds the fields of `after`, which is at `path` and was `written` so, that `before` does not have.
    fn collect(&mut self, path: &str, before: &Value, after: &Value, written: Option<&Node>) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => {
                let separator = if path.is_empty() { "" } else { "." };
                for (name, value) in after {
                    let path = format!("{path}{separator}{name}");
                    let written = written.and_then(|written| written.get(name));
                    match before.get(name) {
                        Some(before) => self.collect(&path, before, value, written),
                        None if written.is_some() => self.read.push(format!("{path}: {value}")),
                        None => self.defaulted.push(format!("{path}: {value}")),
                    }
                }
            }
            (Value::Array(before), Value::Array(after)) => {
                for (index, (before, after)) in before.iter().zip(after).enumerate() {
                    let written = written.and_then(|written| written.item(index));
                    self.collect(&format!("{path}[{index}]"), before, after, written);
                }
            }
            _ => {}
        }
    }
}
