//! `-o sarif`: SARIF 2.1.0, which code scanning services and editors read.
//!
//! A rule is a plugin, a result a refusal or a warning. No refusal says what the right value would be; but what a plugin
//! sets is an informational result with a fix, where an edit makes the manifest say it itself. Nothing is wrong with a
//! manifest that leaves it to the cluster, so that nobody is alarmed by it.

pub(super) mod fix;
mod log;

use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::plugin;
use crate::report::finding::{API_SERVER, API_VALIDATION, Finding, INPUT};
use crate::report::{Diagnostic, Fixtures, Report, Summary};

use log::{Invocation, Notification, Result, Rule, Text};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One log of one run, written as outcomes come.
pub struct Sarif<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    rules: Vec<&'static str>,
    is_empty: bool,
    notifications: Vec<crate::value::Value>,
}

impl<W: Write> Sarif<W> {
    /// A report to `out`; `fixtures` says where the objects of the cluster were written.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self { out, fixtures, rules: Vec::new(), is_empty: true, notifications: Vec::new() }
    }

    fn result(&self, finding: &Finding<'_>) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Result::of(finding, self.rule_index(finding)))
    }

    fn rule_index(&self, finding: &Finding<'_>) -> Option<usize> {
        self.rules.iter().position(|rule| *rule == finding.rule)
    }

    /// What plugins set of the object of `outcome` that an edit of its manifest can say.
    fn changes(&self, outcome: &Outcome) -> serde_json::Result<Vec<Vec<u8>>> {
        let is_written = outcome.place.as_ref().is_some_and(|place| !place.is_review());
        if !(is_written && outcome.allowed() && outcome.mutated() && outcome.cause.is_none()) {
            return Ok(Vec::new());
        }
        let changes = Finding::of_changes(outcome, &self.fixtures, fix::insertions);
        let result = |(finding, insertions): (Finding<'_>, _)| {
            serde_json::to_vec(&Result::of_change(&finding, self.rule_index(&finding), insertions))
        };
        changes.into_iter().map(result).collect()
    }

    fn write_result(&mut self, result: &[u8]) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
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
            let findings = Finding::of(outcome, &self.fixtures);
            let findings: serde_json::Result<Vec<_>> =
                findings.iter().map(|finding| self.result(finding)).collect();
            for result in findings?.into_iter().chain(self.changes(outcome)?) {
                if !text.is_empty() {
                    text.extend(b",\n");
                }
                text.extend(result);
            }
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        if rendered.is_empty() { Ok(()) } else { self.write_result(rendered) }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        if finding.spots.is_empty() {
            self.notifications.push(crate::value::to_value(Notification::of(&finding))?);
            return Ok(());
        }
        let mut result = Result::of(&finding, self.rule_index(&finding));
        if let (Some((span, text)), Some((source, _))) = (&diagnostic.edit, &diagnostic.source) {
            let (line, from) = source.line_column(span.start);
            let (_, to) = source.line_column(span.end);
            result = result.fixed_by(source.name(), (line, from, to), text);
        }
        self.write_result(&serde_json::to_vec(&result)?)
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let notes = summary.counted_notes();
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

/// What is known of the rule called `name`.
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
        INPUT => "Wrong input. A file cannot be read or is no manifest, so nothing was asked of the server.".to_owned(),
        plugin => plugin::find(plugin).and_then(plugin::Plugin::documentation).unwrap_or_default(),
    };
    let full: String = markdown.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let short = first_sentence(&full).replace('`', "");
    let text = if short.is_empty() { name.to_owned() } else { short };
    Rule {
        id: name,
        name,
        short_description: Text::plain(&text),
        full_description: Text::plain(&full.replace('`', "")),
        help: Text { text: markdown.trim_end().to_owned(), markdown: Some(markdown.trim_end().to_owned()) },
    }
}

/// `text` to its first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text.trim_end(), |end| &text[..=end])
}
