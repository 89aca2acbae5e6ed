//! `-o tap`: TAP 14, a test point a request.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::evaluation::{Acceptance, Outcome};
use crate::report::finding::{Finding, quoted};
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Fixtures, Report, Severity, Summary};

/// Writes test points with findings as YAML blocks.
pub struct Tap<W> {
    out: W,
    fixtures: Arc<Fixtures>,
    points: usize,
}

impl<W: Write> Tap<W> {
    /// Returns a report to `out`; `fixtures` has the places of the objects of the cluster.
    pub fn new(out: W, fixtures: Arc<Fixtures>) -> Self {
        Self { out, fixtures, points: 0 }
    }
}

const PASSED: &str = "ok";
const FAILED: &str = "not ok";

impl<W: Write + Send + Sync> Report for Tap<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        writeln!(self.out, "TAP version 14")
    }

    /// Renders points without their numbers, which only [`write`](Self::write) knows.
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = String::new();
        let requests = outcomes.iter().flat_map(|outcome| Finding::by_request(outcome, &self.fixtures));
        for (request, findings) in requests {
            let result = if request.allowed() { PASSED } else { FAILED };
            let accepted = request.accepted.refusal.as_ref();
            add_point(&mut text, result, &Subject::of(request).to_string(), accepted, &findings);
        }
        Ok(text.into_bytes())
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        for line in rendered.split_inclusive(|byte| *byte == b'\n') {
            // Only test points begin in the first column.
            let result = [PASSED, FAILED].into_iter().find(|result| line.starts_with(result.as_bytes()));
            match result {
                Some(result) => {
                    self.points += 1;
                    write!(self.out, "{result} {}", self.points)?;
                    self.out.write_all(&line[result.len()..])?;
                }
                None => self.out.write_all(line)?,
            }
        }
        Ok(())
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let finding = Finding::of_diagnostic(diagnostic);
        if finding.severity != Severity::Error {
            return self.note(&diagnostic.message);
        }
        let subject = finding.place().unwrap_or_else(|| finding.code.to_string());
        let mut text = String::new();
        add_point(&mut text, FAILED, &subject, None, &[finding]);
        self.write(text.as_bytes())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        for note in summary.counted_notes() {
            self.note(&note)?;
        }
        writeln!(self.out, "1..{}", self.points)?;
        self.out.flush()
    }
}

impl<W: Write> Tap<W> {
    fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "# {}", one_line(text))
    }
}

/// Adds a test point. One that fails and is accepted is a TODO, which is not a failure.
fn add_point(
    text: &mut String,
    result: &str,
    description: &str,
    accepted: Option<&Acceptance>,
    findings: &[Finding<'_>],
) {
    let directive = accepted.map(|accepted| format!(" # TODO {}", one_line(&accepted.to_string())));
    let _ = writeln!(text, "{result} - {}{}", escape(description), directive.unwrap_or_default());
    if findings.is_empty() {
        return;
    }
    text.push_str("  ---\n  findings:\n");
    for finding in findings {
        let severity = match finding.severity {
            _ if finding.accepted.is_some() => "comment",
            Severity::Error => "fail",
            Severity::Warning => "warning",
            Severity::Note => "comment",
        };
        let _ = writeln!(text, "    - severity: {severity}");
        let _ = writeln!(text, "      rule: {}", quoted(finding.rule));
        let _ = writeln!(text, "      code: {}", quoted(&finding.code));
        let _ = writeln!(text, "      message: {}", quoted(finding.message));
        if let Some(help) = finding.help {
            let _ = writeln!(text, "      help: {}", quoted(help));
        }
        if let Some(accepted) = finding.accepted {
            let _ = writeln!(text, "      accepted: {}", quoted(&accepted.to_string()));
        }
        if let Some(place) = finding.place() {
            let _ = writeln!(text, "      at: {}", quoted(&place));
        }
        for (position, reason) in finding.reasons.iter().enumerate() {
            if position == 0 {
                text.push_str("      because:\n");
            }
            let _ = writeln!(text, "        - {}", quoted(&reason.to_string()));
        }
    }
    text.push_str("  ...\n");
}

/// Returns `text` as the description of a test point, where `#` begins a directive.
fn escape(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('#', "\\#")
}

fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        assert_eq!(escape("a # SKIP\n\\b"), "a \\# SKIP \\\\b");
    }

    #[test]
    fn points_are_numbered_where_they_are_written() {
        let mut tap = Tap::new(Vec::new(), Arc::default());
        tap.begin(&[]).unwrap();
        tap.write(b"ok - a\nnot ok - b\n  ---\n  message: \"ok\"\n  ...\n").unwrap();
        tap.diagnostic(&Diagnostic::note(Code::ClusterAssumed, "two\nlines")).unwrap();
        tap.diagnostic(&Diagnostic::input(Code::InputEmpty, "no\u{7}thing\u{85}")).unwrap();
        tap.end(&Summary::default()).unwrap();
        assert_eq!(
            String::from_utf8(tap.out).unwrap(),
            concat!(
                "TAP version 14\n",
                "ok 1 - a\n",
                "not ok 2 - b\n  ---\n  message: \"ok\"\n  ...\n",
                "# two lines\n",
                "not ok 3 - kadmit::input::empty\n",
                "  ---\n  findings:\n    - severity: fail\n      rule: \"Input\"\n",
                "      code: \"kadmit::input::empty\"\n      message: \"no\\u0007thing\\u0085\"\n  ...\n",
                "1..3\n",
            )
        );
    }
}
