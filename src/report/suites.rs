//! The findings of suites, in the formats of a run.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::code::Code;
use crate::report::finding::Finding;
use crate::report::markdown::{LONGEST, LONGEST_MESSAGE, LONGEST_NOTE, RESERVED, code};
use crate::report::printable::printable;
use crate::report::sarif::{SUITE, Sarif};
use crate::report::{Diagnostic, Report, RepositoryPaths, Summary, github};

/// The code of a check that fails.
pub(crate) const NOT_AS_EXPECTED: Code = Code::SuiteNotAsExpected;

fn finding(diagnostic: &Diagnostic) -> Finding<'_> {
    let finding = Finding::of_diagnostic(diagnostic);
    if diagnostic.code == NOT_AS_EXPECTED { Finding { rule: SUITE, ..finding } } else { finding }
}

/// Writes the findings of suites as a SARIF log.
pub(crate) fn write_sarif_of_suites(out: &mut impl Write, found: &[Diagnostic]) -> io::Result<()> {
    let mut text = Vec::new();
    let mut sarif = Sarif::new(&mut text, Arc::default());
    sarif.begin(&[SUITE])?;
    let is_wrong = |diagnostic: &&Diagnostic| diagnostic.code != NOT_AS_EXPECTED;
    for diagnostic in found {
        if is_wrong(&diagnostic) {
            sarif.diagnostic(diagnostic)?;
        } else {
            sarif.write_finding(&finding(diagnostic), None)?;
        }
    }
    let exit_status =
        if found.iter().any(|found| is_wrong(&found)) { 2 } else { u8::from(!found.is_empty()) };
    sarif.end(&Summary { exit_status, ..Summary::default() })?;
    drop(sarif);
    out.write_all(&text)?;
    out.flush()
}

/// Writes the findings of suites as workflow commands.
pub(crate) fn write_github_of_suites(out: &mut impl Write, found: &[Diagnostic]) -> io::Result<()> {
    let paths = RepositoryPaths::default();
    let command = |diagnostic| github::command(&finding(diagnostic), &paths);
    let commands: String = found.iter().map(command).collect();
    out.write_all(printable(&commands).as_bytes())?;
    out.flush()
}

/// Writes the findings of suites as a comment with a heading.
pub(crate) fn write_markdown_of_suites(
    out: &mut impl Write,
    heading: &str,
    found: &[Diagnostic],
) -> io::Result<()> {
    let mut text = format!("## {heading}\n");
    let mut missing = 0;
    for (position, diagnostic) in found.iter().enumerate() {
        if position == 0 {
            text.push_str("\n| Place | Message |\n|---|---|\n");
        }
        let place = finding(diagnostic).place().map(|place| code(&place, LONGEST_NOTE)).unwrap_or_default();
        let row = format!("| {place} | {} |\n", code(&diagnostic.message, LONGEST_MESSAGE));
        if missing == 0 && text.chars().count() + row.chars().count() <= LONGEST - RESERVED {
            text.push_str(&row);
        } else {
            missing += 1;
        }
    }
    if missing > 0 {
        let _ = writeln!(text, "\nLeft out, since a comment holds {LONGEST} characters: {missing} findings");
    }
    out.write_all(printable(&text).as_bytes())?;
    out.flush()
}
