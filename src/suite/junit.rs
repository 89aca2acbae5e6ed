//! `kadmit test -o junit`: JUnit's XML, a test suite a file.

use std::io::{self, Write};

use crate::report::{Diagnostic, attribute, escape};
use crate::suite::{Failure, SuiteResult, Verdict};

/// Writes JUnit's XML.
pub fn write_junit(results: &[SuiteResult], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kadmit test\">")?;
    for result in results {
        let tally = result.tally();
        let errors = usize::from(!result.errors.is_empty());
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\">",
            attribute(&result.file),
            tally.cases + errors,
            tally.failed,
            tally.broken
        )?;
        if errors > 0 {
            write_case(out, &result.file, &result.file, Some(("error", &text_of(&result.errors))))?;
        }
        for case in &result.cases {
            let reason = match &case.verdict {
                Verdict::Passed | Verdict::Updated => None,
                Verdict::Failed(failures) => Some(("failure", differences(result, failures))),
                Verdict::Broken(diagnostics) => Some(("error", text_of(diagnostics))),
            };
            let reason = reason.as_ref().map(|(element, text)| (*element, text.as_str()));
            write_case(out, &case.name, &result.file, reason)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")?;
    out.flush()
}

fn write_case(out: &mut impl Write, name: &str, file: &str, reason: Option<(&str, &str)>) -> io::Result<()> {
    let case = format!("    <testcase name=\"{}\" classname=\"{}\"", attribute(name), attribute(file));
    let Some((element, text)) = reason else { return writeln!(out, "{case}/>") };
    let first = text.lines().next().unwrap_or_default();
    let (message, text) = (attribute(first), escape(text));
    writeln!(out, "{case}>\n      <{element} message=\"{message}\">{text}</{element}>\n    </testcase>")
}

fn text_of(diagnostics: &[Diagnostic]) -> String {
    let line = |diagnostic: &Diagnostic| match (&diagnostic.file, diagnostic.line()) {
        (Some(file), Some(line)) => format!("{file}:{line}: {}", diagnostic.message),
        _ => diagnostic.message.clone(),
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn differences(result: &SuiteResult, failures: &[Failure]) -> String {
    let told = |failure: &Failure| {
        let field = failure.field.map(|field| format!("{} of ", field.name())).unwrap_or_default();
        let because = failure.because.as_ref().map(|text| format!("\nbecause {text}")).unwrap_or_default();
        format!(
            "{}:{}: {field}{} is not as expected\nexpected:\n{}\nactual:\n{}{because}",
            result.file,
            result.line(failure),
            failure.subject,
            indented(&failure.expected),
            indented(&failure.actual)
        )
    };
    failures.iter().map(told).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
