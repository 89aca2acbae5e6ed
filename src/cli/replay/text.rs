//! The findings of a replay for people.

use std::fmt::{self, Write};

use crate::replay::{Asker, Changed, Changes, Counted, Differing, Findings, Noted};

/// The number of those who ask that are named.
const MOST_ASKERS: usize = 5;

/// Returns the whole text.
pub(super) fn of(findings: &Findings) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = write(&mut text, findings);
    text
}

/// Returns how many of the judged requests agree; nothing if none was judged.
pub(super) fn calibration(findings: &Findings) -> Option<String> {
    // Rounded down: 100 % is all of them.
    let share = (findings.share()? * 100.0).floor() / 100.0;
    Some(format!("{} of {} judged requests agree ({share:.2} %)", findings.agree, findings.judged))
}

fn write(out: &mut String, findings: &Findings) -> fmt::Result {
    if let Some(calibration) = calibration(findings) {
        writeln!(out, "{calibration}")?;
    }
    for Differing { cause, count, example } in &findings.differences {
        let logged = &example.logged;
        writeln!(out, "\n{count} × {cause}")?;
        writeln!(out, "  {}:{} {}", logged.file, logged.line, logged.audit_id)?;
        writeln!(out, "  {} by {}", logged.request, example.user)?;
        writeln!(out, "  server: {}", example.server.replace('\n', "\n          "))?;
        writeln!(out, "  kadmit: {}", example.kadmit.replace('\n', "\n          "))?;
    }
    if !findings.not_judged.is_empty() {
        writeln!(out, "\nnot judged:")?;
        for Counted { cause, count } in &findings.not_judged {
            writeln!(out, "  {count} × {cause}")?;
        }
    }
    if findings.reads > 0 {
        writeln!(out, "\n{} requests that only read were skipped", findings.reads)?;
    }
    if findings.unselected > 0 {
        writeln!(out, "\n{} requests were not selected", findings.unselected)?;
    }
    if let Some(changes) = &findings.changes {
        write_changes(out, changes)?;
    }
    for Noted { cause, count, file, line } in &findings.notes {
        writeln!(out, "\nnote: {cause}: {count} ×, first at {file}:{line}")?;
    }
    Ok(())
}

fn write_changes(out: &mut String, changes: &Changes) -> fmt::Result {
    let groups = &changes.groups;
    let nothing = if groups.is_empty() { ": no difference" } else { "" };
    writeln!(out, "\nafter the change, of {} requests{nothing}", changes.compared)?;
    for group in groups {
        write_group(out, group)?;
    }
    if changes.consequences > 0 {
        let count = changes.consequences;
        writeln!(
            out,
            "\n{count} requests are consequences: about objects that would not be there, or not so"
        )?;
    }
    Ok(())
}

fn write_group(out: &mut String, group: &Changed) -> fmt::Result {
    let Changed { event, plugin, message, count, first, last, by, example } = group;
    writeln!(out, "\n{count} × {} by {plugin}", event.as_str())?;
    if !message.is_empty() {
        writeln!(out, "  {}", message.replace('\n', "\n  "))?;
    }
    for asker in by.iter().take(MOST_ASKERS) {
        let Asker { user, user_agent, workload } = &asker.asker;
        let with = if user_agent.is_empty() { String::new() } else { format!(" ({user_agent})") };
        let of = if workload.is_empty() { String::new() } else { format!(" for {workload}") };
        writeln!(out, "  {} by {user}{with}{of}", asker.count)?;
    }
    if by.len() > MOST_ASKERS {
        writeln!(out, "  … and by {} others", by.len() - MOST_ASKERS)?;
    }
    let logged = &example.logged;
    let times = if first == last { first.clone() } else { format!("{first} to {last}") };
    writeln!(out, "  {times}, first {}:{} {}", logged.file, logged.line, logged.audit_id)?;
    writeln!(out, "  {}", logged.request)
}
