//! Comparison of expectations with answers.

use std::collections::BTreeMap;

use gotext::value::json;

use crate::evaluation::Outcome;
use crate::report::{Quoted, Subject, Summary, masked};
use crate::suite::partial::project;
use crate::suite::{Answers, Case, Caused, Check, Expectation, Field};
use gotext::source::Span;
use kube_api::{Value, json_patch, kinds};
use kube_yaml::write_yaml;

/// A difference from an expectation.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The subject, such as `Pod shop/web`.
    pub subject: String,
    /// The field of the answer; nothing if there is no answer.
    pub field: Option<Field>,
    /// The place of the expectation.
    pub span: Span,
    /// The expected value, in lines.
    pub expected: String,
    /// The actual value, in lines.
    pub actual: String,
    /// The refusal of the request, unless the failure already shows it.
    pub because: Option<String>,
    pub(super) change: Option<Change>,
}

/// A check, and the value with which it would pass.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) check: Check,
    pub(super) actual: Value,
    /// Whether the request is allowed.
    pub(super) allowed: bool,
}

/// Compares what `case` expects with `answers`; `shows_secrets` leaves what Secrets keep in the failures.
pub(super) fn case(case: &Case, answers: &Answers, shows_secrets: bool) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut positions: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for position in 0..answers.requests.len() {
        positions.entry(answers.subject(position)).or_default().push(position);
    }
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    for expectation in &case.expectations {
        let meant: Vec<usize> = match &expectation.of {
            None => (0..answers.requests.len()).collect(),
            Some((of, span)) => {
                let turn = turns.entry(of).or_default();
                let found = positions.get(of).and_then(|positions| positions.get(*turn));
                *turn += 1;
                if found.is_none() {
                    failures.push(no_request(answers, of, *span, *turn));
                }
                found.copied().into_iter().collect()
            }
        };
        for position in meant {
            let mut found = answer(expectation, answers, position, shows_secrets);
            found.sort_by_key(|failure| failure.span.start);
            failures.extend(found);
        }
    }
    failures
}

impl Answers {
    /// Returns the subject, such as `Pod shop/web`.
    pub(super) fn subject(&self, position: usize) -> String {
        name_of(&self.requests[position])
    }

    /// Returns the requests of controllers because of the request at `position`.
    pub(super) fn caused(&self, position: usize) -> Vec<&Outcome> {
        let request = &self.requests[position];
        let is_last = || !self.requests[position + 1..].iter().any(|later| is_about(later, request));
        let late = self.late.iter().filter(|late| {
            late.cause.as_ref().is_some_and(|cause| {
                cause.owner_kind.group_kind() == request.kind.group_kind()
                    && cause.owner_namespace == request.namespace
                    && cause.owner_name == request.name
            })
        });
        let late: Vec<_> = late.collect();
        let late = if !late.is_empty() && is_last() { late } else { Vec::new() };
        request.caused.iter().chain(late).collect()
    }
}

fn is_about(one: &Outcome, other: &Outcome) -> bool {
    let key =
        |outcome: &Outcome| (outcome.kind.group_kind(), outcome.namespace.clone(), outcome.name.clone());
    key(one) == key(other)
}

fn name_of(outcome: &Outcome) -> String {
    let subject = Subject::of(outcome);
    format!("{} {}", subject.kind, subject.full_name())
}

fn no_request(answers: &Answers, of: &str, span: Span, turn: usize) -> Failure {
    let subjects: Vec<String> =
        (0..answers.requests.len()).map(|position| answers.subject(position)).collect();
    let expected = match turn {
        1 => of.to_owned(),
        turn => format!("{of} ({turn} requests)"),
    };
    Failure {
        subject: of.to_owned(),
        field: None,
        span,
        expected,
        actual: subjects.join("\n"),
        because: None,
        change: None,
    }
}

fn answer(
    expectation: &Expectation,
    answers: &Answers,
    position: usize,
    shows_secrets: bool,
) -> Vec<Failure> {
    let request = &answers.requests[position];
    let compare = |check| compare(check, request, &[request], shows_secrets);
    let mut failures: Vec<_> = expectation.checks.iter().filter_map(compare).collect();
    let Some((span, expected)) = &expectation.caused else { return failures };
    let caused = answers.caused(position);
    if expected.is_empty() && !caused.is_empty() {
        failures.push(unexpected(request, &caused, *span));
    }
    failures.extend(expected.iter().flat_map(|expected| follow(expected, request, &caused, shows_secrets)));
    failures
}

fn unexpected(request: &Outcome, caused: &[&Outcome], span: Span) -> Failure {
    Failure {
        subject: name_of(request),
        field: None,
        span,
        expected: "no requests of controllers".to_owned(),
        actual: list(caused),
        because: None,
        change: None,
    }
}

fn list(caused: &[&Outcome]) -> String {
    if caused.is_empty() {
        return "no requests of controllers".to_owned();
    }
    let lines: Vec<String> = caused.iter().map(|outcome| Subject::of(outcome).below_owner()).collect();
    lines.join("\n")
}

/// Compares the requests of controllers. Of several requests for one kind the first refused one counts, or else the
/// first.
fn follow(expected: &Caused, request: &Outcome, caused: &[&Outcome], shows_secrets: bool) -> Vec<Failure> {
    let of_kind: Vec<&Outcome> =
        caused.iter().copied().filter(|outcome| outcome.kind.kind == expected.kind).collect();
    let refused = of_kind.iter().find(|outcome| !outcome.allowed());
    let Some(meant) = refused.or(of_kind.first()) else {
        return vec![Failure {
            subject: name_of(request),
            field: None,
            span: expected.kind_span,
            expected: format!("{} that a controller requests", expected.kind),
            actual: list(caused),
            because: request.status().map(|status| status.message.clone()),
            change: None,
        }];
    };
    let compare = |check| compare(check, meant, &of_kind, shows_secrets);
    expected.checks.iter().filter_map(compare).collect()
}

/// Returns the failure of `check`, if it fails. `group` is what is counted by checks of numbers.
fn compare(check: &Check, outcome: &Outcome, group: &[&Outcome], shows_secrets: bool) -> Option<Failure> {
    let actual = actual(check, outcome, group);
    let (expected_text, actual_text) = match check.field {
        Field::MessageContains => {
            let message = actual.as_str().unwrap_or_default();
            let missing: Vec<&str> = parts(&check.expected).filter(|part| !message.contains(part)).collect();
            if missing.is_empty() && !actual.is_null() {
                return None;
            }
            (missing.join("\n"), lines(&actual))
        }
        Field::Patch => {
            let expected = patched(check, outcome).map(|value| without_generated(value, outcome));
            let effect = without_generated(effect(outcome), outcome);
            match expected {
                Ok(expected) if expected == effect => return None,
                Ok(expected) => both(&expected, &effect, outcome, shows_secrets),
                Err(error) => {
                    let patch =
                        if shows_secrets { check.expected.clone() } else { masked_patch(check, outcome) };
                    (lines(&patch), format!("cannot be applied: {error}"))
                }
            }
        }
        _ if actual == check.expected => return None,
        _ => both(&check.expected, &actual, outcome, shows_secrets),
    };
    let is_message = matches!(check.field, Field::Message | Field::MessageContains);
    let because = outcome.status().filter(|_| !is_message).map(|status| {
        format!("{} denied it: {}", outcome.denied_by().unwrap_or(Summary::API_SERVER), status.message)
    });
    let because = because.or_else(|| more_than_a_line(&expected_text, &actual_text));
    let quoted = (!shows_secrets).then(|| Quoted::about(outcome));
    let spoken = |text: String| match &quoted {
        Some(quoted) => quoted.masked_text(&text).into_owned(),
        None => text,
    };
    Some(Failure {
        subject: name_of_any(outcome),
        field: Some(check.field),
        span: check.entry.value.span,
        expected: spoken(expected_text),
        actual: spoken(actual_text),
        because: because.map(spoken),
        change: Some(Change {
            check: check.clone(),
            actual: lasting(check.field, actual),
            allowed: outcome.allowed(),
        }),
    })
}

/// Returns the difference in lines that would not be visible.
fn more_than_a_line(expected: &str, actual: &str) -> Option<String> {
    let is_all = expected.strip_suffix('\n').is_some_and(|expected| expected == actual);
    is_all.then(|| "the expected text ends with a line break; `|-` and `>-` leave it out".to_owned())
}

/// Returns the lasting part of a value: the name before a plugin's message is often generated.
fn lasting(field: Field, actual: Value) -> Value {
    match actual.as_str() {
        Some(message) if field == Field::MessageContains => json!(essence(message).1),
        _ => actual,
    }
}

/// Returns the plugin's part of a message, if the API server has put a name before it.
pub(super) fn essence(message: &str) -> (Field, &str) {
    match message.split_once(" is forbidden: ") {
        Some((_, words)) => (Field::MessageContains, words),
        None => (Field::Message, message),
    }
}

fn name_of_any(outcome: &Outcome) -> String {
    if outcome.cause.is_some() { Subject::of(outcome).to_string() } else { name_of(outcome) }
}

/// Returns the value with which `check` would pass.
fn actual(check: &Check, outcome: &Outcome, group: &[&Outcome]) -> Value {
    let status = outcome.status();
    let sum = |count: fn(&Outcome) -> u64| json!(group.iter().map(|outcome| count(outcome)).sum::<u64>());
    match check.field {
        Field::Allowed => json!(outcome.allowed()),
        Field::Plugin => {
            status.map_or(Value::Null, |_| json!(outcome.denied_by().unwrap_or(Summary::API_SERVER)))
        }
        Field::Code => status.map_or(Value::Null, |status| json!(status.code)),
        Field::Message | Field::MessageContains => status.map_or(Value::Null, |status| json!(status.message)),
        Field::Warnings => json!(outcome.trace.warnings),
        Field::AuditAnnotations => project(&check.expected, &json!(outcome.trace.audit_annotations)),
        Field::Patch => changes(outcome),
        Field::Object => match &outcome.object {
            Some(object) => project(&check.expected, &object.value),
            None => Value::Null,
        },
        Field::Replicas => sum(|outcome| outcome.cause.as_ref().map_or(0, |cause| cause.replicas)),
        Field::Admitted => sum(|outcome| outcome.cause.as_ref().map_or(0, |cause| cause.admitted)),
    }
}

/// Returns the changes of all plugins to the object, as a JSON patch.
pub(super) fn changes(outcome: &Outcome) -> Value {
    json!(kube_api::diff::json_patch(&received(outcome), &without_generated(effect(outcome), outcome)))
}

/// Returns `value` without generated names, which differ if the same request follows others.
fn without_generated(mut value: Value, outcome: &Outcome) -> Value {
    outcome.replace_generated(&mut value);
    value
}

fn parts(expected: &Value) -> impl Iterator<Item = &str> {
    let several = expected.as_array().into_iter().flatten().filter_map(Value::as_str);
    expected.as_str().into_iter().chain(several)
}

fn received(outcome: &Outcome) -> Value {
    outcome.received.as_ref().map_or(Value::Null, |object| object.value.clone())
}

/// Returns the object after the last plugin that changed it.
fn effect(outcome: &Outcome) -> Value {
    let last = outcome.trace.steps.iter().rev().find_map(|step| step.change.as_ref());
    last.map_or_else(|| received(outcome), |(_, after)| after.value.clone())
}

fn patched(check: &Check, outcome: &Outcome) -> Result<Value, json_patch::Error> {
    json_patch::decode(&check.expected)?.apply(received(outcome))
}

/// Returns the lines of the expected and the actual value of `outcome`, with the values of Secrets masked unless
/// `shows_secrets`.
fn both(expected: &Value, actual: &Value, outcome: &Outcome, shows_secrets: bool) -> (String, String) {
    if shows_secrets {
        return (lines(expected), lines(actual));
    }
    let (expected, actual) = masked(&outcome.kind, expected, actual);
    (lines(&expected), lines(&actual))
}

/// Returns the patch that was expected, without what it puts into a Secret.
fn masked_patch(check: &Check, outcome: &Outcome) -> Value {
    let mut patch = check.expected.clone();
    if outcome.kind.is(kinds::SECRET) {
        let operations = patch.as_array_mut().into_iter().flat_map(|operations| operations.iter_mut());
        for value in operations.filter_map(|operation| operation.get_mut("value")) {
            *value = "***".into();
        }
    }
    patch
}

/// Returns the lines of text as it is, and of all else as YAML.
fn lines(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Null => "(none)".to_owned(),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            let lines: Vec<String> =
                items.iter().filter_map(Value::as_str).map(|text| format!("- {text}")).collect();
            lines.join("\n")
        }
        value => {
            let mut text = String::new();
            // The text is complete even if Go would refuse to write it.
            let _ = write_yaml(value, &mut text);
            text.truncate(text.trim_end().len());
            text
        }
    }
}
