//! `kadmit test -o json`: one JSON document.

use std::io::{self, Write};

use gotext::value::json;

use crate::report::Diagnostic;
use crate::suite::{API_VERSION, CaseResult, Failure, SuiteResult, Tally, Verdict};
use kube_api::Value;

/// Writes one JSON document and a line break.
pub fn write_json(results: &[SuiteResult], out: &mut impl Write) -> io::Result<()> {
    let Tally { cases, passed, failed, updated, broken } = Tally::of(results);
    let report = json!({
        "apiVersion": API_VERSION,
        "kind": "SuiteReport",
        "summary": {
            "suites": results.len(),
            "cases": cases,
            "passed": passed,
            "failed": failed,
            "updated": updated,
            "errors": broken,
        },
        "suites": results.iter().map(suite).collect::<Vec<_>>(),
    });
    writeln!(out, "{report}")?;
    out.flush()
}

fn suite(result: &SuiteResult) -> Value {
    json!({
        "file": result.file,
        "cases": result.cases.iter().map(|case| self::case(result, case)).collect::<Vec<_>>(),
        "diagnostics": result.errors.iter().chain(&result.remarks).map(diagnostic).collect::<Vec<_>>(),
    })
}

fn case(result: &SuiteResult, case: &CaseResult) -> Value {
    let (verdict, failures, diagnostics) = match &case.verdict {
        Verdict::Passed => ("passed", &[][..], &[][..]),
        Verdict::Updated => ("updated", &[][..], &[][..]),
        Verdict::Failed(failures) => ("failed", failures.as_slice(), &[][..]),
        Verdict::Broken(diagnostics) => ("error", &[][..], diagnostics.as_slice()),
    };
    json!({
        "name": case.name,
        "line": case.line,
        "verdict": verdict,
        "failures": failures.iter().map(|found| failure(result, found)).collect::<Vec<_>>(),
        "diagnostics": diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
    })
}

fn failure(result: &SuiteResult, failure: &Failure) -> Value {
    json!({
        "subject": failure.subject,
        "field": failure.field.map(crate::suite::Field::name),
        "line": result.line(failure),
        "expected": failure.expected,
        "actual": failure.actual,
        "because": failure.because,
    })
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": diagnostic.severity,
        "code": (diagnostic.code.name()),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": diagnostic.file,
        "line": diagnostic.line(),
    })
}
