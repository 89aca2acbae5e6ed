//! Suites for other programs: what is not as expected, as the formats of a run have it.

use std::io::{self, Write};

use crate::report::{self, Diagnostic, Severity};
use crate::suite::{SuiteResult, Tally, Verdict};

/// What is not as expected, and what is wrong with suites, at its place.
fn findings(results: &[SuiteResult]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for result in results {
        findings.extend(result.errors.iter().cloned());
        for case in &result.cases {
            match &case.verdict {
                Verdict::Passed | Verdict::Updated => {}
                Verdict::Broken(diagnostics) => findings.extend(diagnostics.iter().cloned()),
                Verdict::Failed(failures) => findings.extend(failures.iter().map(|failure| {
                    let field = failure.field.map(|field| format!("{} of ", field.name()));
                    let message = format!(
                        "{}: {}{} is not as expected\nexpected: {}\nactual: {}",
                        case.name,
                        field.unwrap_or_default(),
                        failure.subject,
                        failure.expected,
                        failure.actual
                    );
                    let finding = Diagnostic::input(report::NOT_AS_EXPECTED, message);
                    let finding = Diagnostic { help: failure.because.clone(), ..finding };
                    match &result.source {
                        Some(source) => finding.at(source.clone(), failure.span),
                        None => finding,
                    }
                })),
            }
        }
    }
    findings
}

/// Writes a SARIF log.
pub fn write_sarif(results: &[SuiteResult], out: &mut impl Write) -> io::Result<()> {
    report::write_sarif_of_suites(out, &findings(results))
}

/// Writes workflow commands.
pub fn write_github(results: &[SuiteResult], out: &mut impl Write) -> io::Result<()> {
    report::write_github_of_suites(out, &findings(results))
}

/// Writes a comment on a pull request.
pub fn write_markdown(results: &[SuiteResult], out: &mut impl Write) -> io::Result<()> {
    let tally = Tally::of(results);
    let mark = if tally.failed + tally.broken > 0 { "❌" } else { "✅" };
    let cases = if tally.cases == 1 { "1 case".to_owned() } else { format!("{} cases", tally.cases) };
    let verdict = match (tally.failed, tally.broken) {
        (0, 0) => format!("{cases}, all as expected"),
        (failed, 0) => format!("{cases}, {failed} not as expected"),
        (failed, broken) => format!("{cases}, {failed} not as expected, {broken} cannot be run"),
    };
    let rows: Vec<_> =
        findings(results).into_iter().filter(|found| found.severity == Severity::Error).collect();
    report::write_markdown_of_suites(out, &format!("{mark} kadmit test: {verdict}"), &rows)
}
