//! Drift for other programs: a finding for each field that differs, at the line of the manifest.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::admission::Operation;
use crate::report::drift::{Drift, DriftedField, DriftedObject, Identity, State};
use crate::report::finding::{DRIFT, Finding, Spot};
use crate::report::junit::{self, JUnit};
use crate::report::printable::printable;
use crate::report::sarif::Sarif;
use crate::report::subject::Subject;
use crate::report::{Diagnostic, Report, RepositoryPaths, Severity, Summary, github};

/// Writes a SARIF log, with files named as `paths` does.
pub fn write_sarif(out: &mut impl Write, drift: &Drift, paths: &RepositoryPaths) -> io::Result<()> {
    let mut text = Vec::new();
    let mut sarif = Sarif::new(&mut text, Arc::default()).naming(paths.clone());
    sarif.begin(&[DRIFT])?;
    for object in &drift.objects {
        let said = Said::of(object);
        said.findings(object).iter().try_for_each(|finding| sarif.write_finding(finding, None))?;
    }
    finish(&mut sarif, drift)?;
    out.write_all(&text)?;
    out.flush()
}

/// Writes a test case for each object.
pub fn write_junit(out: &mut impl Write, drift: &Drift) -> io::Result<()> {
    let mut text = Vec::new();
    let mut junit = JUnit::new(&mut text, Arc::default());
    junit.begin(&[])?;
    for object in &drift.objects {
        let said = Said::of(object);
        let findings = said.findings(object);
        let verdict = if object.state.is_drift() { junit::Verdict::Failure } else { junit::Verdict::Passed };
        let file = object.place.as_ref().map_or("-", |(file, _)| file);
        let name = object.identity.to_string();
        junit.write(junit::test_case(&name, file, verdict, &findings).as_bytes())?;
    }
    finish(&mut junit, drift)?;
    out.write_all(&text)?;
    out.flush()
}

/// Writes workflow commands, with files named as `paths` does.
pub fn write_github(out: &mut impl Write, drift: &Drift, paths: &RepositoryPaths) -> io::Result<()> {
    let mut text = String::new();
    for object in &drift.objects {
        let said = Said::of(object);
        text.extend(said.findings(object).iter().map(|finding| github::command(finding, paths)));
    }
    for diagnostic in &drift.diagnostics {
        text.push_str(&github::command(&Finding::of_diagnostic(diagnostic), paths));
    }
    let _ = writeln!(text, "::notice title=kadmit::{}", drift.in_words());
    out.write_all(printable(&text).as_bytes())?;
    out.flush()
}

fn finish(report: &mut dyn Report, drift: &Drift) -> io::Result<()> {
    drift.diagnostics.iter().try_for_each(|diagnostic: &Diagnostic| report.diagnostic(diagnostic))?;
    let mut summary = Summary { requests: drift.objects.len(), ..Summary::default() };
    drift.diagnostics.iter().for_each(|diagnostic| summary.count_diagnostic(diagnostic));
    summary.exit_status = match (summary.errors, drift.fails && drift.has_drift()) {
        (0, false) => 0,
        (0, true) => 1,
        _ => 2,
    };
    report.end(&summary)
}

/// The messages about an object, each with the line that it is about.
struct Said(Vec<(String, Option<usize>)>);

impl Said {
    fn of(object: &DriftedObject) -> Self {
        let whole = object.place.as_ref().map(|(_, line)| *line);
        let field = |field: &DriftedField| {
            let by = field.by();
            let by = if by.is_empty() { String::new() } else { format!(", set by {by}") };
            let what = if field.is_applied { State::WouldChange } else { State::ChangedByOthers };
            (format!("{}: {}: {}{by}", what.as_str(), field.path, field.values()), field.line.or(whole))
        };
        let mut said: Vec<_> = object.fields.iter().map(field).collect();
        if let Some(refused) = &object.refusal {
            let message = format!("{} by {}: {}", State::Refused.as_str(), refused.plugin, refused.message);
            said.insert(0, (message, whole));
        } else if said.is_empty() && object.state != State::InSync {
            said.push((object.state.as_str().to_owned(), whole));
        }
        Self(said)
    }

    fn findings<'a>(&'a self, object: &'a DriftedObject) -> Vec<Finding<'a>> {
        let severity = if object.state.is_drift() { Severity::Error } else { Severity::Note };
        let Identity { kind, namespace, name, .. } = &object.identity;
        let finding = |(message, line): &'a (String, Option<usize>)| Finding {
            code: Cow::Borrowed("Drift"),
            subject: Some(Subject::named(kind, namespace, name, Operation::Create)),
            spots: object.place.iter().map(|(file, _)| Spot::at(file, *line)).collect(),
            ..Finding::new(severity, DRIFT, message)
        };
        self.0.iter().map(finding).collect()
    }
}
