//! `-o gitlab`: GitLab's Code Quality report, which it shows in merge requests.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::evaluation::Outcome;
use crate::report::finding::Finding;
use crate::report::items::{self, Items};
use crate::report::{Diagnostic, Fixtures, Report, RepositoryPaths, Severity, Summary};

/// One JSON list, written as outcomes come.
pub struct GitLab<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    paths: RepositoryPaths,
    items: Items,
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: Cow<'a, str>,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

impl<W: Write> GitLab<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self { out, fixtures, paths: RepositoryPaths::default(), items: Items::default() }
    }

    /// Returns the same report, with files named as `paths` does.
    #[must_use]
    pub fn naming(self, paths: RepositoryPaths) -> Self {
        Self { paths, ..self }
    }
}

impl<W: Write + Send + Sync> Report for GitLab<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        self.out.write_all(b"[")
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for finding in outcomes.iter().flat_map(|outcome| Finding::unaccepted(outcome, &self.fixtures)) {
            let Some(issue) = Issue::of(&finding, &self.paths) else { continue };
            items::push(&mut text, &issue)?;
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.items.write(&mut self.out, rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        match Issue::of(&Finding::of_diagnostic(diagnostic), &self.paths) {
            Some(issue) => self.write(&serde_json::to_vec(&issue)?),
            None => Ok(()),
        }
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.write_all(if self.items.is_empty() { b"]\n" } else { b"\n]\n" })?;
        self.out.flush()
    }
}

impl<'a> Issue<'a> {
    /// Returns the entry; nothing for a finding without a file: GitLab requires a path, and an invented one would
    /// mislead.
    fn of(finding: &'a Finding<'_>, paths: &RepositoryPaths) -> Option<Self> {
        let spot = finding.spots.first()?;
        let (description, check_name) = match &finding.subject {
            Some(subject) => (format!("{subject}: {}", finding.message), finding.rule),
            None => (finding.message.to_owned(), &*finding.code),
        };
        let severity = match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        };
        let location = Location {
            // GitLab compares the path with those of the repository, character by character.
            path: paths.name(spot.file),
            lines: Lines { begin: spot.line.unwrap_or(1) },
        };
        Some(Self { description, check_name, fingerprint: finding.fingerprint(), severity, location })
    }
}
