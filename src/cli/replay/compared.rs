//! The findings of a replay in the formats of comparisons.

use std::io::{self, Write};

use crate::cli::Exit;
use crate::cli::replay::{Format, exit, text};
use crate::code::Code;
use crate::replay::{Changes, Counted, Differing, Findings, Noted};
use crate::report::comparison::{
    Compared, ComparedBy, Lead, LoggedChange, write_audit_markdown, write_github, write_html, write_junit,
    write_sarif,
};
use crate::report::{Diagnostic, RepositoryPaths};

/// Writes `findings` in `format`, text in lines of `width` columns. They are a failure if fewer than `expected` percent of
/// the requests agree.
pub(super) fn write(
    format: Format,
    mut out: &mut dyn Write,
    findings: &Findings,
    expected: f64,
    width: usize,
) -> io::Result<()> {
    let paths = RepositoryPaths::default();
    let compared = || of(findings, expected);
    match format {
        Format::Text => text::write(&mut out, findings, width),
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(findings)?),
        Format::Jsonl => writeln!(out, "{}", serde_json::to_string(findings)?),
        Format::Markdown => write_audit_markdown(&mut out, &compared(), usize::MAX),
        Format::Html => write_html(&mut out, &compared(), ComparedBy::Server, true),
        Format::Sarif => write_sarif(&mut out, &compared(), &paths),
        Format::JUnit => write_junit(&mut out, &compared()),
        Format::GitHub => write_github(&mut out, &compared(), &paths),
    }
}

fn of(findings: &Findings, expected: f64) -> Compared {
    let groups = findings.changes.iter().flat_map(|changes| &changes.groups);
    let changes = groups.map(|group| LoggedChange {
        event: group.event,
        rule: &group.plugin,
        message: &group.message,
        request: &group.example.logged.request,
        place: (&group.example.logged.file, group.example.logged.line),
        count: group.count,
    });
    let calibration = text::calibration(findings).unwrap_or_else(|| "nothing was judged".to_owned());
    let fails = exit(findings, expected) != Some(Exit::Admitted);
    let mut compared = Compared::of_log(
        changes,
        Lead { verdict: calibration.clone(), about: String::new(), fails },
        diagnostics(findings),
    );
    let about = match &findings.changes {
        None => "Each request of the log is judged with the objects that existed then".to_owned(),
        Some(Changes { compared: requests, consequences, .. }) => {
            let verdict = compared.in_words();
            if let Some(lead) = &mut compared.lead {
                lead.verdict = verdict;
            }
            let more = match consequences {
                0 => String::new(),
                count => format!("; {count} more are consequences of refusals"),
            };
            format!("{calibration}. After the change, of {requests} requests{more}")
        }
    };
    if let Some(lead) = &mut compared.lead {
        lead.about = about;
    }
    compared
}

/// Returns what is said about the log besides the changes.
fn diagnostics(findings: &Findings) -> Vec<Diagnostic> {
    let differences = findings.differences.iter().map(|Differing { cause, count, example }| {
        let logged = &example.logged;
        let message = format!(
            "{count} × {cause}: line {} {}: {} by {}: server: {}; kadmit: {}",
            logged.line, logged.audit_id, logged.request, example.user, example.server, example.kadmit
        );
        let warning = Diagnostic::warning(Code::ReplayDifference, message);
        Diagnostic { file: Some(logged.file.clone()), ..warning }
    });
    let left_out = findings.not_judged.iter().map(|Counted { cause, count }| {
        Diagnostic::note(Code::ReplayLog, format!("not judged: {count} × {cause}"))
    });
    let notes = findings.notes.iter().map(|Noted { cause, count, file, line }| {
        let note = Diagnostic::note(Code::ReplayLog, format!("{cause}: {count} ×, first at line {line}"));
        Diagnostic { file: Some(file.clone()), ..note }
    });
    differences.chain(left_out).chain(notes).collect()
}
