//! The findings of a replay for people.

use std::fmt::{self, Write};

use crate::replay::{Asker, Changed, Changes, Counted, Findings, Noted};

/// The number of those who ask that are named.
const MOST_ASKERS: usize = 5;

/// The parts of the text.
pub(super) struct Pieces<'a> {
    pub(super) findings: &'a Findings,
    pub(super) changes: Option<&'a Changes>,
}

/// Returns the whole text.
pub(super) fn of(pieces: &Pieces<'_>) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = write(&mut text, pieces);
    text
}

fn write(out: &mut String, Pieces { findings, changes }: &Pieces<'_>) -> fmt::Result {
    if let Some(share) = findings.share() {
        // Rounded down: 100 % is all of them.
        let share = (share * 100.0).floor() / 100.0;
        writeln!(out, "{} of {} judged requests agree ({share:.2} %)", findings.agree, findings.judged)?;
    }
    for (cause, count, example) in findings.differences() {
        writeln!(out, "\n{count} × {cause}")?;
        writeln!(out, "  {}:{} {}", example.file, example.line, example.audit_id)?;
        writeln!(out, "  {} by {}", example.request, example.user)?;
        writeln!(out, "  server: {}", example.server.replace('\n', "\n          "))?;
        writeln!(out, "  kadmit: {}", example.kadmit.replace('\n', "\n          "))?;
    }
    let left_out = findings.not_judged();
    if !left_out.is_empty() {
        writeln!(out, "\nnot judged:")?;
        for Counted { cause, count } in left_out {
            writeln!(out, "  {count} × {cause}")?;
        }
    }
    if findings.reads > 0 {
        writeln!(out, "\n{} requests that only read were skipped", findings.reads)?;
    }
    if findings.unselected > 0 {
        writeln!(out, "\n{} requests were not selected", findings.unselected)?;
    }
    if let Some(changes) = changes {
        write_changes(out, changes)?;
    }
    for Noted { cause, count, file, line } in findings.notes() {
        writeln!(out, "\nnote: {cause}: {count} ×, first at {file}:{line}")?;
    }
    Ok(())
}

fn write_changes(out: &mut String, changes: &Changes) -> fmt::Result {
    let groups = changes.groups();
    let nothing = if groups.is_empty() { ": no difference" } else { "" };
    writeln!(out, "\nafter the change, of {} requests{nothing}", changes.compared)?;
    for group in groups {
        write_group(out, &group)?;
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

fn write_group(out: &mut String, group: &Changed<'_>) -> fmt::Result {
    let Changed { words, plugin, message, count, first, last, by, example, .. } = group;
    writeln!(out, "\n{count} × {words} by {plugin}")?;
    if !message.is_empty() {
        writeln!(out, "  {}", message.replace('\n', "\n  "))?;
    }
    for asker in by.iter().take(MOST_ASKERS) {
        let Asker { user, user_agent, workload } = asker.asker;
        let with = if user_agent.is_empty() { String::new() } else { format!(" ({user_agent})") };
        let of = if workload.is_empty() { String::new() } else { format!(" for {workload}") };
        writeln!(out, "  {} by {user}{with}{of}", asker.count)?;
    }
    if by.len() > MOST_ASKERS {
        writeln!(out, "  … and by {} others", by.len() - MOST_ASKERS)?;
    }
    let times = if first == last { (*first).to_owned() } else { format!("{first} to {last}") };
    writeln!(out, "  {times}, first {}:{} {}", example.file, example.line, example.audit_id)?;
    writeln!(out, "  {}", example.request)
}
