//! `-o html`: a self-contained page, readable without scripts.
//!
//! Rows are written as outcomes arrive; the totals are written last, and shown first.

mod page;
mod row;
mod totals;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::evaluation::Outcome;
use crate::report::finding::verdict;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};
use kube_api::version::Version;

use totals::Totals;

pub(super) use page::{Foot, Head, MessageEntry, rendered};
pub(super) use row::{Block, Doing, Row, diff_lines, frame_of};
pub(super) use totals::{Count, Table, TableRow};

/// A page of a run.
pub struct Html<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    release: Option<Version>,
    diff: bool,
    /// Sums, to which requests rendered in parallel add.
    totals: Mutex<Totals>,
    diagnostics: Vec<Diagnostic>,
}

impl<W: Write> Html<W> {
    /// Returns a report to `out` about servers of `release`, or of several; `fixtures` has the places of the objects of
    /// the cluster; `diff` shows changes.
    pub fn new(out: W, release: Option<Version>, fixtures: Arc<Fixtures>, diff: bool) -> Self {
        Self { out, fixtures, release, diff, totals: Mutex::default(), diagnostics: Vec::new() }
    }
}

impl<W: Write + Send + Sync> Report for Html<W> {
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        let release = self.release.map(|release| format!("Kubernetes {release}"));
        let plugins = match plugins.len() {
            1 => "1 admission plugin".to_owned(),
            count => format!("{count} admission plugins"),
        };
        let about = release.into_iter().chain([plugins]).collect::<Vec<_>>().join(", ");
        let head = Head::new("Admission report", &about, "Objects");
        self.out.write_all(rendered(&head)?.as_bytes())
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        let mut totals = Totals::default();
        for outcome in outcomes {
            for row in Row::of(outcome, &self.fixtures, self.diff) {
                totals.add(&row);
                text.push_str(&rendered(&row)?);
            }
        }
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).join(totals);
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        self.diagnostics.push(diagnostic.clone());
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let counts = [
            ("requests", summary.requests, ""),
            ("admitted", summary.admitted, "good"),
            ("denied", summary.denied, "denied"),
            ("changed", summary.mutated, "changed"),
            ("warnings", summary.warnings, "warned"),
            ("skipped", summary.skipped, ""),
            ("known", summary.known, ""),
            ("errors in the input", summary.errors, "denied"),
        ];
        let is_always_shown = |name: &str| matches!(name, "requests" | "admitted" | "denied");
        let counts = counts.into_iter().filter(|(name, number, _)| is_always_shown(name) || *number > 0);
        let counts = counts.map(|(name, number, tone)| {
            let tone = if number > 0 { tone } else { "" };
            Count { name, number, tone }
        });
        let hooks = summary.hooks.iter().flat_map(|(hook, own)| {
            let remarks = own.remarks.iter().map(move |remark| format!("{} {hook}: {remark}", hook.kind));
            std::iter::once(format!("{} {hook}: {}", hook.kind, own.says())).chain(remarks)
        });
        let notes = summary.counted_notes().chain(hooks).map(MessageEntry::note);
        let said = self.diagnostics.iter().map(MessageEntry::of).chain(notes);
        let foot = Foot::new(verdict(summary), counts.collect(), totals.tables(), said.collect());
        self.out.write_all(rendered(&foot)?.as_bytes())?;
        self.out.flush()
    }
}

/// Returns the class of `severity`.
pub(super) fn tone(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "denied",
        Severity::Warning => "warned",
        Severity::Note => "quiet",
    }
}
