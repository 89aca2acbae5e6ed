//! Comparisons for other programs: new denials and warnings in the formats of a run.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::report::comparison::difference::{Difference, Verdict};
use crate::report::comparison::{Compared, tally};
use crate::report::finding::Finding;
use crate::report::junit::{self, JUnit};
use crate::report::printable::printable;
use crate::report::sarif::Sarif;
use crate::report::{Report, RepositoryPaths, github};

/// Writes a SARIF log, with files named as `paths` does.
pub fn write_sarif(out: &mut impl Write, compared: &Compared, paths: &RepositoryPaths) -> io::Result<()> {
    let mut text = Vec::new();
    let mut sarif = Sarif::new(&mut text, Arc::default()).naming(paths.clone());
    sarif.begin(&compared.after.plugins)?;
    for difference in &compared.differences {
        for finding in difference.findings() {
            let edit = difference.edit.as_ref().filter(|(message, _)| *message == finding.message);
            sarif.write_finding(&finding, edit.map(|(_, edit)| edit))?;
        }
    }
    finish(&mut sarif, compared)?;
    out.write_all(&text)?;
    out.flush()
}

/// Writes a test case for each difference.
pub fn write_junit(out: &mut impl Write, compared: &Compared) -> io::Result<()> {
    let mut text = Vec::new();
    let mut junit = JUnit::new(&mut text, Arc::default());
    junit.begin(&[])?;
    for difference in &compared.differences {
        let findings = difference.findings();
        let verdict = match &difference.after {
            Verdict::Denied(_) if findings.is_empty() => junit::Verdict::Passed,
            Verdict::Denied(_) if difference.is_accepted() => junit::Verdict::Skipped,
            Verdict::Denied(_) => junit::Verdict::Failure,
            _ => junit::Verdict::Passed,
        };
        let file = difference.place.as_ref().map_or("-", |(file, _)| file);
        junit.write(junit::test_case(&difference.subject, file, verdict, &findings).as_bytes())?;
    }
    finish(&mut junit, compared)?;
    out.write_all(&text)?;
    out.flush()
}

/// Writes workflow commands, with files named as `paths` does.
pub fn write_github(out: &mut impl Write, compared: &Compared, paths: &RepositoryPaths) -> io::Result<()> {
    let mut text = String::new();
    for finding in compared.differences.iter().flat_map(Difference::findings) {
        if finding.accepted.is_none() {
            text.push_str(&github::command(&finding, paths));
        }
    }
    for diagnostic in &compared.diagnostics {
        text.push_str(&github::command(&Finding::of_diagnostic(diagnostic), paths));
    }
    let words = tally::in_words(&tally::Tally::of(&compared.differences).by_event());
    let _ = writeln!(text, "::notice title=kadmit::{words}");
    out.write_all(printable(&text).as_bytes())?;
    out.flush()
}

/// Adds the diagnostics about the input, and ends the report.
fn finish(report: &mut dyn Report, compared: &Compared) -> io::Result<()> {
    compared.diagnostics.iter().try_for_each(|diagnostic| report.diagnostic(diagnostic))?;
    report.end(&compared.after.summary)
}
