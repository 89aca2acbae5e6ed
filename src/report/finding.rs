//! The findings of a report, the same in every format that lists them.

use std::borrow::Cow;
use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

use crate::admission::{Evidence, PolicyRule, Refusal, Step};
use crate::evaluation::{Acceptance, Outcome, Place, Written, is_said};
use crate::report::advice::advice;
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Severity, Summary};
use gotext::source::{SourceFile, Span};
use kube_api::Object;
use kube_api::field::Path;

/// A refusal, a warning, or an error in the input.
#[derive(Clone, Debug)]
pub(super) struct Finding<'a> {
    /// Its severity.
    pub(super) severity: Severity,
    /// Its rule: a plugin, or one of [`API_SERVER`], [`API_VALIDATION`] and [`INPUT`].
    pub(super) rule: &'static str,
    /// Its code: the reason of a refusal, `Warning`, or the code of a [`Diagnostic`].
    pub(super) code: Cow<'a, str>,
    /// The whole message.
    pub(super) message: &'a str,
    /// Advice on how to fix it.
    pub(super) help: Option<&'a str>,
    /// The request, unless it is about the input.
    pub(super) subject: Option<Subject<'a>>,
    /// The user's acceptance, if there is one.
    pub(super) accepted: Option<&'a Acceptance>,
    /// Its places, the most informative one first.
    pub(super) spots: Vec<Spot<'a>>,
    /// The lines around the first spot, with the number of the first line.
    pub(super) excerpt: Option<(usize, String)>,
    /// The lines around every spot, likewise.
    pub(super) excerpts: Vec<(usize, String)>,
    /// Why: the objects in the cluster that cause it, advice, and what decided in the expression of a policy.
    pub(super) reasons: Vec<Reason>,
}

/// A place in a file, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot<'a> {
    /// The file as the user named it.
    pub(super) file: &'a str,
    /// The line, counted from 1, if it is known.
    pub(super) line: Option<usize>,
    /// The first column and the one after the last, counted from 1 in characters, if they are known.
    pub(super) columns: Option<(usize, usize)>,
    /// The field at this place.
    pub(super) field: Option<&'a Path>,
    /// What is wrong here, where that differs between places.
    pub(super) says: Option<String>,
}

/// One reason for a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    /// `LimitRange container-sizes allows at most 2 cpu`, `object.spec.replicas is 5`
    pub(super) text: String,
    /// File and line, if the user wrote it.
    pub(super) place: Option<(String, usize)>,
}

/// The rule of refusals by the server itself: of objects that it cannot read, that exist already, or that are gone.
pub(super) const API_SERVER: &str = "APIServer";
/// The rule of refusals by API validation.
pub(super) const API_VALIDATION: &str = "APIValidation";
/// The rule of live objects that differ from their manifests.
pub(super) const DRIFT: &str = "Drift";
/// The rule of errors in the input.
pub(super) const INPUT: &str = "Input";

/// The limit on the number of places shown: more would obscure the finding.
const MAX_SPOTS: usize = 6;

impl<'a> Finding<'a> {
    /// Returns a warning without a place.
    pub(super) fn new(severity: Severity, rule: &'static str, message: &'a str) -> Self {
        Self {
            severity,
            rule,
            code: Cow::Borrowed("Warning"),
            message,
            help: None,
            subject: None,
            accepted: None,
            spots: Vec::new(),
            excerpt: None,
            excerpts: Vec::new(),
            reasons: Vec::new(),
        }
    }

    /// Returns the refusal of `outcome`, its warnings, and those of the requests that it caused.
    pub(super) fn of(outcome: &'a Outcome, fixtures: &'a Fixtures) -> Vec<Self> {
        Self::by_request(outcome, fixtures).flat_map(|(_, findings)| findings).collect()
    }

    /// Returns the findings of `outcome` that are not accepted.
    pub(super) fn unaccepted(outcome: &'a Outcome, fixtures: &'a Fixtures) -> impl Iterator<Item = Self> {
        Self::of(outcome, fixtures).into_iter().filter(|finding| finding.accepted.is_none())
    }

    /// Returns the findings of `outcome` and of each request that it caused, except repeated warnings. `fixtures` has
    /// the places of the objects of the cluster.
    pub(super) fn by_request(
        outcome: &'a Outcome,
        fixtures: &'a Fixtures,
    ) -> impl Iterator<Item = (&'a Outcome, Vec<Self>)> {
        outcome.with_caused().enumerate().map(move |(position, request)| {
            let said = if position > 0 { &outcome.trace.warnings[..] } else { &[] };
            (request, Self::of_request(request, said, fixtures))
        })
    }

    fn of_request(outcome: &'a Outcome, said: &'a [String], fixtures: &'a Fixtures) -> Vec<Self> {
        if outcome.allowed() && outcome.trace.warnings.is_empty() {
            return Vec::new();
        }
        let written = outcome.place.as_ref().and_then(Place::written);
        let listing = Listing { outcome, said, written, fixtures };
        let refusal = outcome.refusal.as_ref().map(|refusal| listing.refusal(refusal));
        refusal.into_iter().chain(listing.warnings()).collect()
    }

    /// Returns the changes of the steps to the object of `outcome`, each converted by `pick`; these are not errors.
    pub(super) fn of_changes<T>(
        outcome: &'a Outcome,
        fixtures: &'a Fixtures,
        pick: impl Fn(&Written<'a>, &Object, &Object) -> Option<T>,
    ) -> Vec<(Self, T)> {
        let written = outcome.place.as_ref().and_then(Place::written);
        let listing = Listing { outcome, said: &[], written, fixtures };
        let changes = outcome.trace.steps.iter().filter_map(|step| {
            let (before, after) = step.change.as_ref()?;
            let picked = pick(listing.written.as_ref()?, before, after)?;
            let message = "sets what the manifest leaves open";
            let finding = listing.finding(Severity::Note, step.plugin, message, Vec::new(), &[]);
            Some((Self { code: Cow::Borrowed("Mutated"), ..finding }, picked))
        });
        changes.collect()
    }

    /// Returns the finding of a diagnostic.
    pub(super) fn of_diagnostic(diagnostic: &'a Diagnostic) -> Self {
        let file = diagnostic.file.as_deref();
        let of_source = diagnostic.source.as_ref().map(|(source, span)| spot(source, *span, None));
        let (line, columns) = (diagnostic.line(), diagnostic.file_columns);
        let spot = of_source.or_else(|| file.map(|file| Spot { columns, ..Spot::at(file, line) }));
        Self {
            code: Cow::Borrowed(diagnostic.code.name()),
            help: diagnostic.help.as_deref(),
            spots: spot.into_iter().collect(),
            ..Self::new(diagnostic.severity, INPUT, &diagnostic.message)
        }
    }

    /// Returns `report.yaml:13:16`, if there is a place.
    pub(super) fn place(&self) -> Option<String> {
        let spot = self.spots.first()?;
        let columns = spot.columns.map(|(column, _)| format!(":{column}")).unwrap_or_default();
        let line = spot.line.map(|line| format!(":{line}{columns}")).unwrap_or_default();
        Some(format!("{}{line}", spot.file))
    }

    /// Returns `denied`, `warned`, ...
    pub(super) fn verdict(&self) -> &'static str {
        match (self.severity, &self.subject) {
            (Severity::Error, Some(_)) if self.rule == DRIFT => "differs",
            (Severity::Error, Some(_)) => "denied",
            (Severity::Error, None) => "wrong input",
            (Severity::Warning, Some(_)) => "warned",
            (Severity::Warning, None) => "warning",
            (Severity::Note, _) => "note",
        }
    }

    /// Returns a hash that identifies this finding and stays when lines move. The text of a refusal does not count: a
    /// request has only one, and a quota's has the usage of others.
    pub(super) fn fingerprint(&self) -> String {
        let is_refusal = self.severity == Severity::Error && self.subject.is_some();
        let message = if is_refusal { "" } else { self.message };
        let spot = self.spots.first();
        let field = spot.and_then(|spot| spot.field).map(Path::json_pointer).unwrap_or_default();
        let subject = self.subject.as_ref().map(Subject::identity).unwrap_or_default();
        let mut hash = Sha256::new();
        for part in [self.rule, &self.code, &subject, spot.map_or("", |spot| spot.file), &field, message] {
            hash.update(part);
            hash.update([0]);
        }
        base16ct::lower::encode_string(&hash.finalize())
    }
}

impl Reason {
    /// Returns the reason that `text` is, which no file has.
    pub(super) fn placeless(text: String) -> Self {
        Self { text, place: None }
    }
}

impl fmt::Display for Reason {
    /// Writes `LimitRange container-sizes allows at most 2 cpu (cluster/limits.yaml:16)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        match &self.place {
            Some((file, line)) => write!(formatter, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// The findings of one request.
struct Listing<'a> {
    outcome: &'a Outcome,
    /// Warnings that are listed already.
    said: &'a [String],
    written: Option<Written<'a>>,
    fixtures: &'a Fixtures,
}

/// Returns what decided in the expression of `rule`, and the values that this part read.
fn of_expression(rule: &PolicyRule) -> impl Iterator<Item = Reason> {
    let says = rule.explanation.iter().filter(|explanation| !explanation.is_bare()).flat_map(|explanation| {
        let part = explanation.expression[explanation.part.clone()].lines().map(str::trim);
        let decided = format!("decided by `{}`", part.collect::<Vec<_>>().join(" "));
        std::iter::once(decided).chain(explanation.values.iter().map(|(name, says)| format!("{name} {says}")))
    });
    says.map(Reason::placeless)
}

/// Returns the evidence with its places: one for all objects of which the same is said and no place is known.
pub(super) fn grouped(
    evidence: &[Evidence],
    fixtures: &Fixtures,
) -> Vec<(Evidence, Option<(String, usize)>)> {
    let mut groups: Vec<(Evidence, Option<(String, usize)>)> = Vec::new();
    for evidence in evidence {
        let place = fixtures.locate(evidence);
        let says_the_same = |(other, at): &&mut (Evidence, Option<(String, usize)>)| {
            at.is_none() && Evidence { name: other.name.clone(), ..evidence.clone() } == *other
        };
        match groups.iter_mut().find(says_the_same).filter(|_| place.is_none()) {
            Some((other, _)) => {
                other.name.push_str(", ");
                other.name.push_str(&evidence.name);
            }
            None => groups.push((evidence.clone(), place)),
        }
    }
    groups
}

impl<'a> Listing<'a> {
    fn refusal(&self, refusal: &'a Refusal) -> Finding<'a> {
        let status = &refusal.status;
        let code = match status.reason.as_str() {
            "" => Cow::Owned(status.code.to_string()),
            reason => Cow::Borrowed(reason),
        };
        let spots = match self.outcome.decode_span {
            Some(span) => {
                vec![(self.written.as_ref().map_or(span, |written| written.first_line(span)), None)]
            }
            None => self.fields(&refusal.fields),
        };
        let rule = refusing(self.outcome, refusal);
        let mut finding = self.finding(Severity::Error, rule, &status.message, spots, &refusal.evidence);
        let advice = advice(self.outcome, refusal, self.fixtures);
        finding.reasons.extend(advice.into_iter().map(Reason::placeless));
        finding.reasons.extend(refusal.rule.iter().flat_map(|rule| of_expression(rule)));
        if let Some(place) = self.outcome.place.as_ref() {
            for (path, reason) in &refusal.reasons {
                let Some(span) = self.written.as_ref().map(|written| written.mark(&written.find(path)))
                else {
                    continue;
                };
                let at = spot(place.source(), span, None);
                let same = |known: &&mut Spot<'_>| (known.line, known.columns) == (at.line, at.columns);
                if let Some(known) = finding.spots.iter_mut().find(same) {
                    let says = known.says.get_or_insert_default();
                    if !says.split("; ").any(|said| said == reason) {
                        says.push_str(if says.is_empty() { "" } else { "; " });
                        says.push_str(reason);
                    }
                }
            }
        }
        Finding { code, accepted: self.outcome.accepted.refusal.as_ref(), ..finding }
    }

    /// Returns the warnings, in the order of the answer.
    fn warnings(&self) -> impl Iterator<Item = Finding<'a>> {
        let trace = &self.outcome.trace;
        trace.warnings.iter().filter(|warning| !is_said(warning, self.said)).map(|warning| {
            let step = warning_step(self.outcome, warning);
            let fields = step.map_or(&[][..], |step| &step.fields);
            let evidence = step.map_or(&[][..], |step| &step.evidence);
            let rule = warning_of(self.outcome, warning);
            let mut spots = self.fields(fields);
            if step.is_none() {
                spots.extend(self.named_field(warning).map(|span| (span, None)));
            }
            let mut finding = self.finding(Severity::Warning, rule, warning, spots, evidence);
            let violation = trace.violations.iter().find(|broken| broken.warning.as_ref() == Some(warning));
            finding.reasons.extend(violation.iter().flat_map(|violation| of_expression(&violation.rule)));
            Finding { accepted: self.outcome.accepted.warnings.get(warning), ..finding }
        })
    }

    fn finding(
        &self,
        severity: Severity,
        rule: &'static str,
        message: &'a str,
        mut spots: Vec<(Span, Option<&'a Path>)>,
        evidence: &'a [Evidence],
    ) -> Finding<'a> {
        let place = self.outcome.place.as_ref();
        if let (true, Some(written)) = (spots.is_empty(), &self.written) {
            spots.push((written.mark_whole(), None));
        }
        let excerpts = self
            .written
            .iter()
            .flat_map(|written| spots.iter().map(|(span, _)| written.excerpt(written.first_line(*span))));
        let excerpts: Vec<_> = excerpts.collect::<Option<_>>().unwrap_or_default();
        let spots = spots.into_iter().filter_map(|(span, field)| Some(spot(place?.source(), span, field)));
        Finding {
            subject: Some(Subject::of(self.outcome)),
            spots: spots.collect(),
            excerpt: excerpts.first().cloned(),
            excerpts,
            reasons: self.reasons(evidence),
            ..Finding::new(severity, rule, message)
        }
    }

    /// Returns the reasons that `evidence` is.
    fn reasons(&self, evidence: &[Evidence]) -> Vec<Reason> {
        let groups = grouped(evidence, self.fixtures).into_iter();
        groups.map(|(evidence, place)| Reason { text: evidence.to_string(), place }).collect()
    }

    /// Returns the place of the field that a warning of the server begins with: `spec.containers[0].env[1].name: ...`.
    fn named_field(&self, warning: &str) -> Option<Span> {
        let (field, _) = warning.split_once(": ")?;
        let path = path_of(field)?;
        let written = self.written.as_ref()?;
        Some(written.mark(&written.find(&path)))
    }

    /// Returns the places of `fields`; for one that was not written, that of the innermost field around it.
    fn fields(&self, fields: &'a [Path]) -> Vec<(Span, Option<&'a Path>)> {
        let Some(written) = &self.written else { return Vec::new() };
        let mut spots: Vec<(Span, Option<&Path>)> = Vec::new();
        for path in fields {
            let span = written.mark(&written.find(path));
            if spots.len() < MAX_SPOTS && !spots.iter().any(|(other, _)| other.start == span.start) {
                spots.push((span, Some(path)));
            }
        }
        spots
    }
}

/// Returns the path in `text`, such as `spec.containers[0].image`, if it is one.
fn path_of(text: &str) -> Option<Path> {
    let is_field = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut path: Option<Path> = None;
    for step in text.split('.') {
        let (name, keys) = step.split_once('[').map_or((step, ""), |(name, keys)| (name, keys));
        if !is_field(name) {
            return None;
        }
        let name = name.to_owned();
        let mut here = match path {
            Some(path) => path.child(name),
            None => Path::named(name),
        };
        for key in keys.split('[').filter(|key| !key.is_empty()) {
            let key = key.strip_suffix(']')?;
            here = match key.parse() {
                Ok(index) => here.index(index),
                Err(_) => here.key(key.trim_matches('"')),
            };
        }
        path = Some(here);
    }
    path.filter(|_| text.contains('.'))
}

/// Returns the rule by which `outcome` is refused.
pub(super) fn refusing(outcome: &Outcome, refusal: &Refusal) -> &'static str {
    let own = if refusal.status.code == 422 { API_VALIDATION } else { API_SERVER };
    outcome.denied_by().unwrap_or(own)
}

/// Returns the rule that `warning` of `outcome` comes from.
pub(super) fn warning_of(outcome: &Outcome, warning: &String) -> &'static str {
    warning_step(outcome, warning).map_or(API_SERVER, |step| step.plugin)
}

fn warning_step<'a>(outcome: &'a Outcome, warning: &String) -> Option<&'a Step> {
    outcome.trace.steps.iter().find(|step| step.warnings.contains(warning))
}

impl<'a> Spot<'a> {
    /// Returns a whole line of `file`.
    pub(super) fn at(file: &'a str, line: Option<usize>) -> Self {
        Self { file, line, columns: None, field: None, says: None }
    }
}

/// Returns the first line of `span`.
fn spot<'a>(source: &'a SourceFile, span: Span, field: Option<&'a Path>) -> Spot<'a> {
    let (line, columns) = source.columns(span);
    Spot { columns: Some(columns), field, ..Spot::at(source.name(), Some(line)) }
}

/// Returns `text` as a string of JSON, which YAML reads as well; characters that YAML does not know are escaped.
pub(super) fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    json.chars().fold(String::with_capacity(json.len()), |mut quoted, character| {
        if character.is_control() || matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}') {
            let _ = write!(quoted, "\\u{:04x}", u32::from(character));
        } else {
            quoted.push(character);
        }
        quoted
    })
}

/// Returns `2 of 9 requests are denied`, the most important result.
pub(super) fn verdict(summary: &Summary) -> String {
    let requests =
        |count: usize| if count == 1 { "1 request".to_owned() } else { format!("{count} requests") };
    let verdict = match (summary.requests, summary.denied) {
        (0, _) => "nothing was evaluated".to_owned(),
        (1, 0) => "the request is admitted".to_owned(),
        (all, 0) => format!("all {} are admitted", requests(all)),
        (1, _) => "the request is denied".to_owned(),
        (all, 1) => format!("1 of {} is denied", requests(all)),
        (all, denied) => format!("{denied} of {} are denied", requests(all)),
    };
    let accepted = summary.accepted_findings().map(|accepted| format!("; {accepted}")).unwrap_or_default();
    let errors = match summary.errors {
        0 => String::new(),
        1 => "; 1 error in the input".to_owned(),
        errors => format!("; {errors} errors in the input"),
    };
    let shown = summary.shown.map(|shown| format!("; {shown} shown by --only")).unwrap_or_default();
    format!("{verdict}{accepted}{errors}{shown}")
}
