//! The results of an evaluation.

use std::fmt;
use std::io;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::report::{Diagnostic, Fixtures, Json, Report, Severity, Summary, mask_secrets};
#[cfg(feature = "report")]
use crate::report::{Escapes, Printable, Text, TextStyle, Verbosity, write_diagnostic};
use kube_api::version::Version;

/// The results of an evaluation, with everything that a report shows.
#[must_use]
#[non_exhaustive]
pub struct Evaluation {
    /// The outcome of each request, in the order of evaluation. Each has the requests of controllers because of it in
    /// `caused`; those that controllers retry later are at the end.
    pub outcomes: Vec<Outcome>,
    /// Errors in the input, and assumptions.
    pub diagnostics: Vec<Diagnostic>,
    /// The outcomes in numbers.
    pub summary: Summary,
    /// The release of Kubernetes that answered.
    pub release: Version,
    /// The names of the plugins that requests passed, in order.
    pub plugins: Vec<&'static str>,
    fixtures: Arc<Fixtures>,
    shows_secrets: bool,
}

/// Formats the evaluation without the values of Secrets: the panics of tests end up in logs.
impl fmt::Debug for Evaluation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Evaluation");
        shown.field("outcomes", &self.masked()).field("diagnostics", &self.diagnostics);
        shown.field("summary", &self.summary).field("release", &self.release);
        shown.field("plugins", &self.plugins).finish_non_exhaustive()
    }
}

/// Formats the evaluation as `kadmit run` prints it: errors and notes about the input, then every object, and what is
/// refused last. Without colours and without the time that it took, as wide as the format says, or else 80 columns.
#[cfg(feature = "report")]
impl fmt::Display for Evaluation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = formatter.width().unwrap_or(80);
        let style = TextStyle {
            verbosity: Verbosity::Normal,
            diff: true,
            all_diffs: false,
            warnings_fail: false,
            width,
        };
        let mut bytes = Vec::new();
        let mut write = || {
            let mut out = Printable::new(&mut bytes, Escapes::Colored);
            for diagnostic in &self.diagnostics {
                write_diagnostic(&mut out, diagnostic, width)?;
            }
            self.write_to(&mut Text::new(&mut out, style, self.fixtures.clone()).timeless())
        };
        write().map_err(|_| fmt::Error)?;
        formatter.write_str(&without_colors(&String::from_utf8_lossy(&bytes)))
    }
}

/// Returns `text` without sequences for colours, which are all that it has: others are escaped.
#[cfg(feature = "report")]
fn without_colors(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

impl Evaluation {
    pub(super) fn new(release: Version, plugins: Vec<&'static str>, fixtures: Arc<Fixtures>) -> Self {
        let summary = Summary::default();
        Self {
            outcomes: Vec::new(),
            diagnostics: Vec::new(),
            summary,
            release,
            plugins,
            fixtures,
            shows_secrets: false,
        }
    }

    pub(super) fn take(&mut self, result: Result<Outcome, Diagnostic>) -> ControlFlow<()> {
        match result {
            Ok(outcome) => {
                self.summary.count(&outcome);
                self.fixtures.remember(&outcome);
                self.outcomes.push(outcome);
            }
            Err(diagnostic) => self.diagnostics.push(diagnostic),
        }
        ControlFlow::Continue(())
    }

    pub(super) fn end(&mut self) {
        for diagnostic in &self.diagnostics {
            self.summary.count_diagnostic(diagnostic);
        }
        self.summary.exit_status = match (self.summary.errors, self.summary.denied) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        };
    }

    /// Whether there were requests, all of them were admitted, and the input has no errors.
    pub fn is_admitted(&self) -> bool {
        self.summary.requests > 0 && self.summary.denied == 0 && self.summary.errors == 0
    }

    /// Returns the requests that were denied, those of controllers included.
    pub fn denied(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().flat_map(Outcome::with_caused).filter(|outcome| !outcome.allowed())
    }

    /// Returns the errors in the input.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the places of the objects of the cluster, for reports that name them.
    pub fn fixtures(&self) -> &Arc<Fixtures> {
        &self.fixtures
    }

    /// Writes the evaluation as `report` does, without the values of Secrets unless they are
    /// [shown](Self::showing_secrets).
    ///
    /// # Errors
    ///
    /// Returns the error of writing.
    pub fn write_to(&self, report: &mut dyn Report) -> io::Result<()> {
        report.begin(&self.plugins)?;
        let rendered = if self.shows_secrets {
            report.render(&self.outcomes)?
        } else {
            report.render(&self.masked())?
        };
        report.write(&rendered)?;
        for diagnostic in &self.diagnostics {
            report.diagnostic(diagnostic)?;
        }
        report.end(&self.summary)
    }

    /// Sets whether the values of Secrets are written.
    pub fn showing_secrets(mut self, shows_secrets: bool) -> Self {
        self.shows_secrets = shows_secrets;
        self
    }

    /// Returns the outcomes without the values of Secrets.
    fn masked(&self) -> Vec<Outcome> {
        let mut outcomes = self.outcomes.clone();
        for outcome in &mut outcomes {
            mask_secrets(outcome);
        }
        outcomes
    }

    /// Writes the evaluation as `kadmit run -o json` does.
    ///
    /// # Errors
    ///
    /// Returns the error of writing.
    pub fn write_json(&self, out: impl Write + Send + Sync) -> io::Result<()> {
        self.write_to(&mut Json::about(out, Some(self.release), Arc::clone(&self.fixtures)))
    }
}
