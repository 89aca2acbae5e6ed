//! `-o json` and `-o jsonl`: the machine-readable report.
//!
//! The format is public API, so fields are only ever added. `quotas` has one entry per quota of the cluster: the usage
//! of each resource `before` and `after` the run, and the objects `by` which it changed, including those that
//! controllers created for them. `policies` and `webhooks` have what each did with the requests of the run.

mod diagnostic;
mod hook;
mod line;
mod quota;
mod result;
mod step;
mod summary;

use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::Outcome;
#[cfg(feature = "cli")]
use crate::evaluation::QuotaUse;
use crate::report::items::{self, Items};
use crate::report::{Diagnostic, Fixtures, Report, Summary};
use kube_api::Value;
use kube_api::version::Version;

use hook::HookEntry;
use line::StoredResult;
use quota::{QuotaEntry, QuotaLine};
use result::AdmissionResult;
use summary::SummaryEntry;

pub(super) use diagnostic::DiagnosticEntry;

/// One JSON document for the whole run, written as outcomes come.
pub struct Json<W> {
    out: W,
    release: Option<Version>,
    fixtures: Arc<Fixtures>,
    items: Items,
    diagnostics: Vec<Value>,
}

/// Writes one result per line, and at the end a line for each quota, policy and webhook.
pub struct JsonLines<W> {
    out: W,
    release: Option<Version>,
    fixtures: Arc<Fixtures>,
    shows_secrets: bool,
}

/// Returns the line of `-o jsonl` about a quota.
#[cfg(feature = "cli")]
pub(crate) fn quota_line(quota: &QuotaUse) -> Option<String> {
    serde_json::to_string(&QuotaLine { quota: QuotaEntry::of(quota) }).ok()
}

impl<W: Write> Json<W> {
    /// Returns a report to `out` about a server of `release`.
    pub fn new(out: W, release: Version) -> Self {
        Self { release: Some(release), ..Self::of_results(out, Arc::default()) }
    }

    /// Returns a report to `out` about servers of `release`, or of several; `fixtures` has the places of the objects of
    /// the cluster.
    pub fn about(out: W, release: Option<Version>, fixtures: Arc<Fixtures>) -> Self {
        Self { release, ..Self::of_results(out, fixtures) }
    }

    fn of_results(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self { out, release: None, fixtures, items: Items::default(), diagnostics: Vec::new() }
    }
}

impl<W: Write> JsonLines<W> {
    /// Returns a report to `out` about servers of `release`, or of several; `fixtures` has the places of the objects of
    /// the cluster.
    pub fn new(out: W, release: Option<Version>, fixtures: Arc<Fixtures>) -> Self {
        Self { out, release, fixtures, shows_secrets: false }
    }

    /// Sets whether the texts of manifests keep the values of Secrets.
    #[must_use]
    pub fn showing_secrets(self, shows_secrets: bool) -> Self {
        Self { shows_secrets, ..self }
    }
}

impl<W: Write + Send + Sync> Report for Json<W> {
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        let plugins = serde_json::to_string(plugins)?;
        let release = self.release.map(|release| format!("\"kubernetesVersion\":\"{release}\","));
        write!(
            self.out,
            "{{\"apiVersion\":\"kadmit.dev/v1alpha1\",\"kind\":\"AdmissionReport\",\
             {}\"plugins\":{plugins},\"results\":[",
            release.unwrap_or_default()
        )
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for (position, outcome) in outcomes.iter().flat_map(|outcome| outcome.with_caused().enumerate()) {
            let release = outcome.release.filter(|_| self.release.is_none());
            let result = AdmissionResult::of(outcome, position == 0, &self.fixtures, release);
            items::push(&mut text, &result)?;
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.items.write(&mut self.out, rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        self.diagnostics.push(gotext::value::to_value(DiagnosticEntry::of(diagnostic))?);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let quotas: Vec<_> = summary.quotas.iter().map(QuotaEntry::of).collect();
        let (webhooks, policies): (Vec<_>, Vec<_>) =
            summary.hooks.iter().map(HookEntry::of).partition(HookEntry::is_webhook);
        let summary = serde_json::to_string(&SummaryEntry::of(summary))?;
        let diagnostics = serde_json::to_string(&self.diagnostics)?;
        write!(self.out, "\n],\"diagnostics\":{diagnostics}")?;
        if !quotas.is_empty() {
            write!(self.out, ",\"quotas\":{}", serde_json::to_string(&quotas)?)?;
        }
        for (name, hooks) in [("policies", policies), ("webhooks", webhooks)] {
            if !hooks.is_empty() {
                write!(self.out, ",\"{name}\":{}", serde_json::to_string(&hooks)?)?;
            }
        }
        writeln!(self.out, ",\"summary\":{summary}}}")?;
        self.out.flush()
    }
}

impl<W: Write + Send + Sync> Report for JsonLines<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for (position, outcome) in outcomes.iter().flat_map(|outcome| outcome.with_caused().enumerate()) {
            let result =
                StoredResult::of(outcome, position == 0, &self.fixtures, self.release, self.shows_secrets);
            serde_json::to_writer(&mut text, &result)?;
            text.push(b'\n');
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let line = gotext::value::json!({"diagnostic": DiagnosticEntry::of(diagnostic)});
        writeln!(self.out, "{line}")
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for quota in &summary.quotas {
            let line = serde_json::to_string(&QuotaLine { quota: QuotaEntry::of(quota) })?;
            writeln!(self.out, "{line}")?;
        }
        for hook in summary.hooks.iter().map(HookEntry::of) {
            writeln!(self.out, "{}", serde_json::to_string(&hook.into_line())?)?;
        }
        self.out.flush()
    }
}
