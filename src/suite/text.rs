//! `kadmit test -o text`: for people.

use std::io::{self, Write};

use colored::{ColoredString, Colorize};
use similar::{ChangeTag, TextDiff};

use crate::report::{UNLIMITED, fold, printable, write_labelled};
use crate::suite::{CaseResult, Failure, SuiteResult, Tally, Verdict};

/// Lines around a difference, at most.
const CONTEXT: usize = 3;

/// Writes one line per suite, below it the failures, and the number of passed cases. With `is_quiet` suites are
/// left out in which everything is as expected.
pub fn write_text(
    results: &[SuiteResult],
    is_quiet: bool,
    out: &mut impl Write,
    width: usize,
) -> io::Result<()> {
    let is_shown = |result: &&SuiteResult| {
        let tally = result.tally();
        !is_quiet || tally.failed + tally.broken > 0
    };
    let mut spaced = false;
    for (position, result) in results.iter().filter(is_shown).enumerate() {
        let has_body = result.cases.iter().any(|case| !matches!(case.verdict, Verdict::Passed));
        if position > 0 && (spaced || has_body) {
            writeln!(out)?;
        }
        spaced = has_body;
        write_suite(result, out, width)?;
    }
    if results.is_empty() {
        return out.flush();
    }
    if results.iter().any(|result| is_shown(&result)) {
        writeln!(out)?;
    }
    let tally = Tally::of(results);
    let suites = counted(results.len(), "suite");
    writeln!(out, "{suites}, {}: {}", counted(tally.cases, "case"), counts(tally))?;
    out.flush()
}

fn write_suite(result: &SuiteResult, out: &mut impl Write, width: usize) -> io::Result<()> {
    let tally = result.tally();
    let failed = tally.failed + tally.broken > 0;
    let mark = if failed { "✗".red() } else { "✓".green() };
    let counts = if result.cases.is_empty() { "cannot be run".to_owned() } else { counts(tally) };
    let line = Line { indent: 0, mark: Some(mark), text: result.file.bold(), right: &counts };
    line.write(out, width)?;
    for case in &result.cases {
        write_case(result, case, out, width)?;
    }
    Ok(())
}

/// A message, with its place or verdict at the end of the line.
struct Line<'a> {
    indent: usize,
    mark: Option<ColoredString>,
    text: ColoredString,
    right: &'a str,
}

impl Line<'_> {
    fn write(self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let Self { indent, mark, text, right } = self;
        let right = &*printable(right);
        let hanging = indent + if mark.is_some() { 2 } else { 0 };
        let lines = fold(&text, width.saturating_sub(hanging));
        for (position, line) in lines.iter().enumerate() {
            let mut shown = text.clone();
            shown.input.clone_from(line);
            match (position, &mark) {
                (0, Some(mark)) => write!(out, "{:indent$}{mark} {shown}", "")?,
                (0, None) => write!(out, "{:indent$}{shown}", "")?,
                _ => write!(out, "\n{:hanging$}{shown}", "")?,
            }
        }
        let used = hanging + lines.last().map_or(0, |line| line.chars().count()) + right.chars().count();
        match width.checked_sub(used).filter(|free| *free > 0) {
            Some(_) if width >= UNLIMITED => writeln!(out, "  {}", right.dimmed()),
            Some(free) => writeln!(out, "{:free$}{}", "", right.dimmed()),
            None => writeln!(out, "\n{:hanging$}{}", "", right.dimmed()),
        }
    }
}

fn write_case(result: &SuiteResult, case: &CaseResult, out: &mut impl Write, width: usize) -> io::Result<()> {
    let (mark, failures) = match &case.verdict {
        Verdict::Passed => return Ok(()),
        Verdict::Failed(failures) => ("✗".red(), failures.as_slice()),
        Verdict::Updated => ("↻".yellow(), &[][..]),
        Verdict::Broken(_) => ("!".red(), &[][..]),
    };
    let what = match &case.verdict {
        Verdict::Updated => "updated".to_owned(),
        Verdict::Broken(_) => format!("{}:{}, could not be run", result.file, case.line),
        _ => format!("{}:{}", result.file, case.line),
    };
    Line { indent: 2, mark: Some(mark), text: case.name.bold(), right: &what }.write(out, width)?;
    for (position, failure) in failures.iter().enumerate() {
        write_failure(result, failure, out, width)?;
        // It is reported once, and not if a message shows it.
        if let Some(because) = &failure.because {
            let again = failures[position + 1..].iter().any(|later| later.because.as_ref() == Some(because));
            let is_shown =
                failures.iter().any(|other| other.field.is_some() && because.ends_with(&other.actual));
            if !again && !is_shown {
                write_labelled(out, "      ", &"because".dimmed(), because, width)?;
            }
        }
    }
    Ok(())
}

fn write_failure(
    result: &SuiteResult,
    failure: &Failure,
    out: &mut impl Write,
    width: usize,
) -> io::Result<()> {
    let what = match failure.field {
        Some(field) => format!("{} of {}", field.name(), failure.subject),
        None => failure.subject.clone(),
    };
    let place = format!("{}:{}", result.file, result.line(failure));
    Line { indent: 4, mark: None, text: what.cyan(), right: &place }.write(out, width)?;
    let diff = TextDiff::from_lines(&failure.expected, &failure.actual);
    for (position, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if position > 0 {
            writeln!(out, "      …")?;
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let line = change.value().trim_end_matches(['\n', '\r']);
            for (row, text) in fold(line, width.saturating_sub(8)).into_iter().enumerate() {
                let sign = |sign| if row == 0 { sign } else { " " };
                match change.tag() {
                    ChangeTag::Equal => writeln!(out, "        {}", text.dimmed())?,
                    ChangeTag::Delete => writeln!(out, "      {}", format!("{} {text}", sign("-")).red())?,
                    ChangeTag::Insert => writeln!(out, "      {}", format!("{} {text}", sign("+")).green())?,
                }
            }
        }
    }
    Ok(())
}

fn counts(tally: Tally) -> String {
    let parts = [
        (tally.passed, "passed"),
        (tally.failed, "failed"),
        (tally.updated, "updated"),
        (tally.broken, "could not be run"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
