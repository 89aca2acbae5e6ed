//! `-o sarif`: SARIF 2.1.0, which code scanning services and editors read.
//!
//! A rule is a plugin, a result a refusal or a warning. A refusal has the edits of `kadmit fix` if each has one right
//! value, and a warning about an old version of an API the edit to the current one. Limits, classes and images that a plugin sets are informational results
//! with an edit that adds them to the manifest: a manifest that leaves them to the cluster is not wrong.

pub(super) mod fix;
mod log;

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::plugin;
use crate::report::edits::{self, edits, has_no_secret};
use crate::report::finding::{API_SERVER, API_VALIDATION, DRIFT, Finding, INPUT};
use crate::report::{Diagnostic, Fixtures, Report, RepositoryPaths, Severity, Summary};

use log::{Invocation, Notification, Result, Rule, Text};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The number of results of a run beyond which GitHub refuses a log.
const MAX_RESULTS: usize = 25_000;

/// The terminator of a rendered result, which begins with its rank. JSON does not contain it.
const END: u8 = 0x1E;

/// The rule for findings of suites.
pub(super) const SUITE: &str = "Suite";

/// One log of one run, written as outcomes come.
pub struct Sarif<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    paths: RepositoryPaths,
    rules: Vec<&'static str>,
    /// The number of results that are written, and of all.
    written: usize,
    all: usize,
    /// The results that come after refusals and errors: warnings, and then remarks.
    waiting: [Vec<Vec<u8>>; 2],
    notifications: Vec<gotext::value::Value>,
}

impl<W: Write> Sarif<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self {
            out,
            fixtures,
            paths: RepositoryPaths::default(),
            rules: Vec::new(),
            written: 0,
            all: 0,
            waiting: Default::default(),
            notifications: Vec::new(),
        }
    }

    /// Returns the same report, with files named as `paths` does.
    #[must_use]
    pub fn naming(self, paths: RepositoryPaths) -> Self {
        Self { paths, ..self }
    }

    fn result<'f>(&self, finding: &'f Finding<'_>) -> Result<'f> {
        Result::of(finding, self.rule_index(finding))
    }

    fn bytes(&self, result: Result<'_>) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&result.naming(&self.paths))
    }

    fn rule_index(&self, finding: &Finding<'_>) -> Option<usize> {
        self.rules.iter().position(|rule| *rule == finding.rule)
    }

    /// Returns the values that plugins set in the object of `outcome` and that an edit of its manifest can add.
    fn changes(&self, outcome: &Outcome) -> serde_json::Result<Vec<Vec<u8>>> {
        let is_written = outcome.place.as_ref().is_some_and(|place| !place.is_review());
        if !(is_written && outcome.allowed() && outcome.mutated()) {
            return Ok(Vec::new());
        }
        let changes = Finding::of_changes(outcome, &self.fixtures, fix::edits);
        let result = |(finding, edits): (Finding<'_>, _)| {
            self.bytes(Result::of_change(&finding, self.rule_index(&finding), edits))
        };
        changes.into_iter().map(result).collect()
    }

    /// Returns the result of a finding about `request`; a warning of an old version of an API has the edit to the one
    /// to write.
    fn result_about(&self, request: &Outcome, finding: &Finding<'_>) -> serde_json::Result<Vec<u8>> {
        let is_warning = finding.severity == Severity::Warning && finding.rule == API_SERVER;
        let edit = is_warning.then(|| version_edit(request, finding.message)).flatten();
        let edits = (finding.severity == Severity::Error).then(|| edits(request)).flatten();
        let result = self.result(finding);
        self.bytes(match (edit, edits.zip(request.place.as_ref())) {
            (Some(edit), _) => edit.in_result(result),
            (None, Some((edits, place))) if has_no_secret(place, &edits) => {
                result.mended(place.source(), edits)
            }
            _ => result,
        })
    }

    /// Writes the result of a finding, with the edit that fixes it if there is one.
    pub(super) fn write_finding(
        &mut self,
        finding: &Finding<'_>,
        edit: Option<&VersionEdit>,
    ) -> io::Result<()> {
        let result = self.result(finding);
        let result = match edit {
            Some(edit) => edit.in_result(result),
            None => result,
        };
        self.write_result(&self.bytes(result)?)
    }

    fn write_result(&mut self, result: &[u8]) -> io::Result<()> {
        self.all += 1;
        self.write_counted(result)
    }

    /// Writes a result that is counted, unless there are too many.
    fn write_counted(&mut self, result: &[u8]) -> io::Result<()> {
        if self.written == MAX_RESULTS {
            return Ok(());
        }
        self.out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
        self.written += 1;
        self.out.write_all(result)
    }
}

impl<W: Write + Send + Sync> Report for Sarif<W> {
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        self.rules = plugins.iter().copied().chain([API_SERVER, API_VALIDATION, INPUT]).collect();
        let rules: Vec<Rule> = self.rules.iter().map(|name| rule(name)).collect();
        let (rules, version) = (serde_json::to_string(&rules)?, env!("CARGO_PKG_VERSION"));
        write!(
            self.out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\
             \"tool\":{{\"driver\":{{\"name\":\"kadmit\",\"semanticVersion\":\"{version}\",\
             \"version\":\"{version}\",\"rules\":{rules}}}}},\
             \"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes {
            let mut results = Vec::new();
            for (request, findings) in Finding::by_request(outcome, &self.fixtures) {
                for finding in &findings {
                    let rank = if finding.severity == Severity::Error { b'0' } else { b'1' };
                    results.push((rank, self.result_about(request, finding)?));
                }
                results.extend(self.changes(request)?.into_iter().map(|result| (b'2', result)));
            }
            for (rank, result) in results {
                text.push(rank);
                text.extend(result);
                text.push(END);
            }
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for result in rendered.split(|byte| *byte == END) {
            let Some((rank, result)) = result.split_first() else { continue };
            if *rank == b'0' {
                self.write_result(result)?;
                continue;
            }
            self.all += 1;
            let waiting = &mut self.waiting[usize::from(*rank != b'1')];
            if waiting.len() < MAX_RESULTS {
                waiting.push(result.to_vec());
            }
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        if finding.spots.is_empty() {
            self.notifications.push(gotext::value::to_value(Notification::of(&finding))?);
            return Ok(());
        }
        let mut result = self.result(&finding);
        if let Some((source, _)) = &diagnostic.source {
            result = match &diagnostic.edits[..] {
                [] => result,
                [(span, version)] => {
                    let (line, from) = source.line_column(span.start);
                    let (_, to) = source.line_column(span.end);
                    result.fixed_by(source.name(), (line, from, to), version)
                }
                _ => result.mended(source, diagnostic.edits.clone()),
            };
        }
        self.write_result(&self.bytes(result)?)
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for result in mem::take(&mut self.waiting).into_iter().flatten() {
            self.write_counted(&result)?;
        }
        let cut = (self.written < self.all).then(|| {
            format!("{} of {} results are here, refusals first: GitHub takes no more", self.written, self.all)
        });
        let notes = summary.counted_notes().chain(cut);
        let invocation = Invocation {
            execution_successful: summary.exit_status <= 1,
            exit_code: summary.exit_status,
            tool_configuration_notifications: &self.notifications,
            tool_execution_notifications: notes.map(|note| Notification::note(&note)).collect(),
        };
        let invocation = serde_json::to_string(&invocation)?;
        writeln!(self.out, "\n],\"invocations\":[{invocation}]}}]}}")?;
        self.out.flush()
    }
}

/// The edit of the `apiVersion` of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionEdit {
    file: String,
    /// The line, and the columns from and to.
    place: (usize, usize, usize),
    version: String,
}

impl VersionEdit {
    fn in_result<'a>(&self, result: Result<'a>) -> Result<'a> {
        result.fixed_by(&self.file, self.place, &self.version)
    }
}

/// Returns the edit of the manifest of `request` to the version that `message` of the server says to write: a warning of
/// a deprecated version, or a refusal of one that is gone.
pub(super) fn version_edit(request: &Outcome, message: &str) -> Option<VersionEdit> {
    let place = request.place.as_ref().filter(|place| place.field().is_none() && !place.is_review())?;
    let version = if let Some((_, rest)) = message.split_once("; only `apiVersion: ") {
        rest.split_once('`')?.0
    } else {
        let (old, rest) = message.split_once(" is deprecated in ")?;
        let (_, new) = rest.rsplit_once("; use ")?;
        let ((old_version, kind), (version, new_kind)) = (old.split_once(' ')?, new.split_once(' ')?);
        let is_this =
            old_version == request.kind.api_version() && kind == request.kind.kind && kind == new_kind;
        is_this.then_some(version)?
    };
    let (span, version) = edits::version(place, version)?;
    let (line, from) = place.source().line_column(span.start);
    let (_, to) = place.source().line_column(span.end);
    Some(VersionEdit { file: place.file().to_owned(), place: (line, from, to), version })
}

/// Returns the description of the rule called `name`.
fn rule(name: &'static str) -> Rule {
    let markdown = match name {
        API_SERVER => {
            "Refused by the API server itself. It cannot read the object, or the request does not fit what exists."
                .to_owned()
        }
        API_VALIDATION => {
            "Refused by API validation. A field of the object has a value that it cannot have; this is checked \
             between the mutating and the validating plugins."
                .to_owned()
        }
        DRIFT => {
            "A live object differs from its manifest. Applying the manifest changes it, or others changed it.".to_owned()
        }
        SUITE => {
            "A check of a suite does not hold. The answer of the server is not what a case of the suite expects."
                .to_owned()
        }
        INPUT => "Invalid input. A file cannot be read or is not a manifest, so no request was sent.".to_owned(),
        plugin => plugin::find(plugin).map(plugin::Plugin::documentation).unwrap_or_default(),
    };
    let full: String = markdown.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let short = first_sentence(&full).replace('`', "");
    let text = if short.is_empty() { name.to_owned() } else { short };
    Rule {
        id: name,
        short_description: Text::plain(&text),
        full_description: Text::plain(&full.replace('`', "")),
        help: Text { text: markdown.trim_end().to_owned(), markdown: Some(markdown.trim_end().to_owned()) },
    }
}

/// Returns the first sentence of `text`.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text.trim_end(), |end| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a log with `warnings`, followed by `refusals`.
    fn log(warnings: usize, refusals: usize) -> gotext::value::Value {
        let mut out = Vec::new();
        let mut sarif = Sarif::new(&mut out, Arc::default());
        sarif.begin(&[]).unwrap();
        let rendered = |rank: u8, level: &str, count: usize| {
            let result = [&[rank], format!("{{\"level\":\"{level}\"}}").as_bytes(), &[END]].concat();
            result.repeat(count)
        };
        sarif.write(&rendered(b'1', "warning", warnings)).unwrap();
        sarif.write(&rendered(b'0', "error", refusals)).unwrap();
        sarif.end(&Summary::default()).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn refusals_come_first_and_what_is_cut_is_said() {
        let log_of = |warnings, refusals| {
            let log = log(warnings, refusals);
            let results = log["runs"][0]["results"].as_array().unwrap().clone();
            let said = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
                .as_str()
                .map(str::to_owned);
            (results.len(), results[0]["level"].clone(), said)
        };
        assert_eq!(log_of(2, 1), (3, "error".into(), None));
        let (count, first, said) = log_of(MAX_RESULTS, 7);
        assert_eq!((count, first), (MAX_RESULTS, "error".into()));
        assert_eq!(said.unwrap(), "25000 of 25007 results are here, refusals first: GitHub takes no more");
    }
}
