//! `-o github`: workflow commands, which GitHub Actions turns into annotations of the changed files.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::Outcome;
use crate::report::finding::Finding;
use crate::report::{Diagnostic, Fixtures, Report, RepositoryPaths, Severity, Summary};

/// Writes one command per finding.
pub struct GitHub<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    paths: RepositoryPaths,
}

impl<W: Write> GitHub<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self { out, fixtures, paths: RepositoryPaths::default() }
    }

    /// Returns the same report, with files named as `paths` does.
    #[must_use]
    pub fn naming(self, paths: RepositoryPaths) -> Self {
        Self { paths, ..self }
    }
}

impl<W: Write + Send + Sync> Report for GitHub<W> {
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let findings = outcomes.iter().flat_map(|outcome| Finding::unaccepted(outcome, &self.fixtures));
        Ok(findings.map(|finding| command(&finding, &self.paths)).collect::<String>().into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        self.out.write_all(command(&Finding::of_diagnostic(diagnostic), &self.paths).as_bytes())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for note in summary.counted_notes().chain(summary.accepted_findings()) {
            writeln!(self.out, "::notice title=kadmit::{}", escape_data(&note))?;
        }
        self.out.flush()
    }
}

/// Returns the command for a finding, and the end of its line.
pub(super) fn command(finding: &Finding<'_>, paths: &RepositoryPaths) -> String {
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut command = format!("::{name} ");
    if let Some(spot) = finding.spots.first() {
        let _ = write!(command, "file={},", escape_property(&paths.name(spot.file)));
        if let Some(line) = spot.line {
            let _ = write!(command, "line={line},");
        }
        if let Some((start, end)) = spot.columns {
            let _ = write!(command, "col={start},endColumn={end},");
        }
    }
    let who = if finding.subject.is_some() { finding.rule } else { &*finding.code };
    let title = match &finding.subject {
        Some(subject) => format!("{who}: {subject} {}", finding.verdict()),
        None => who.to_owned(),
    };
    let mut message = finding.message.to_owned();
    for reason in &finding.reasons {
        let _ = write!(message, "\n{reason}");
    }
    if let Some(help) = finding.help {
        let _ = write!(message, "\n{help}");
    }
    let _ = writeln!(command, "title={}::{}", escape_property(&title), escape_data(&message));
    command
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        assert_eq!(escape_data("100% a:b,c\r\nd"), "100%25 a:b,c%0D%0Ad");
        assert_eq!(escape_property("100% a:b,c\r\nd"), "100%25 a%3Ab%2Cc%0D%0Ad");
    }

    #[test]
    fn a_finding_without_a_file_is_a_command_too() {
        let diagnostic = Diagnostic::input(Code::InputEmpty, "nothing\nto do").help("50%");
        assert_eq!(
            command(&Finding::of_diagnostic(&diagnostic), &RepositoryPaths::default()),
            "::error title=kadmit%3A%3Ainput%3A%3Aempty::nothing%0Ato do%0A50%25\n"
        );
    }
}
