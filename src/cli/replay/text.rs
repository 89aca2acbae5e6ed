//! The findings of a replay for people.

use std::io::{self, Write};

use colored::Colorize;

use crate::replay::{Asker, Changed, Changes, Counted, Differing, Findings, Noted};
use crate::report::comparison::colored;
use crate::report::{printable, write_labelled};

/// The number of those who ask that are named.
const MAX_ASKERS: usize = 5;

/// Returns how many of the judged requests agree; nothing if none was judged.
pub(super) fn calibration(findings: &Findings) -> Option<String> {
    // Rounded down: 100 % is all of them.
    let share = (findings.share()? * 100.0).floor() / 100.0;
    Some(format!("{} of {} judged requests agree ({share:.2} %)", findings.agree, findings.judged))
}

/// Writes the findings, in lines of `width` columns.
pub(super) fn write(out: &mut impl Write, findings: &Findings, width: usize) -> io::Result<()> {
    if let Some(calibration) = calibration(findings) {
        writeln!(out, "{}", calibration.bold())?;
    }
    for Differing { cause, count, example } in &findings.differences {
        let logged = &example.logged;
        writeln!(out)?;
        write_labelled(out, "", &format!("{count} ×").red().bold(), cause, width)?;
        let place = format!("{}:{} {}", logged.file, logged.line, logged.audit_id);
        writeln!(out, "  {}", printable(&place).dimmed())?;
        write_below(out, &format!("{} by {}", logged.request, example.user), width)?;
        write_labelled(out, "  ", &"server:".dimmed(), &example.server, width)?;
        write_labelled(out, "  ", &"kadmit:".dimmed(), &example.kadmit, width)?;
    }
    if !findings.not_judged.is_empty() {
        writeln!(out, "\nnot judged:")?;
        for Counted { cause, count } in &findings.not_judged {
            write_labelled(out, "  ", &format!("{count} ×").normal(), cause, width)?;
        }
    }
    if findings.reads > 0 {
        writeln!(out, "\n{} requests that only read were skipped", findings.reads)?;
    }
    if findings.unselected > 0 {
        writeln!(out, "\n{} requests were not selected", findings.unselected)?;
    }
    if let Some(changes) = &findings.changes {
        write_changes(out, changes, width)?;
    }
    for Noted { cause, count, file, line } in &findings.notes {
        writeln!(out)?;
        let note = format!("{cause}: {count} ×, first at {file}:{line}");
        write_labelled(out, "", &"note:".cyan(), &note, width)?;
    }
    Ok(())
}

/// Writes `text` below a title.
fn write_below(out: &mut impl Write, text: &str, width: usize) -> io::Result<()> {
    write_labelled(out, " ", &"".normal(), text, width)
}

fn write_changes(out: &mut impl Write, changes: &Changes, width: usize) -> io::Result<()> {
    let groups = &changes.groups;
    let nothing = if groups.is_empty() { ": no difference" } else { "" };
    writeln!(out, "\nafter the change, of {} requests{nothing}", changes.compared)?;
    for group in groups {
        write_group(out, group, width)?;
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

fn write_group(out: &mut impl Write, group: &Changed, width: usize) -> io::Result<()> {
    let Changed { event, plugin, message, count, first, last, by, example } = group;
    let title = format!("{count} × {} by {plugin}", event.as_str());
    writeln!(out, "\n{}", colored(*event, &printable(&title)).bold())?;
    if !message.is_empty() {
        write_below(out, message, width)?;
    }
    for asker in by.iter().take(MAX_ASKERS) {
        let Asker { user, user_agent, workload } = &asker.asker;
        let with = if user_agent.is_empty() { String::new() } else { format!(" ({user_agent})") };
        let of = if workload.is_empty() { String::new() } else { format!(" for {workload}") };
        write_below(out, &format!("{} by {user}{with}{of}", asker.count), width)?;
    }
    if by.len() > MAX_ASKERS {
        writeln!(out, "  {}", format!("… and by {} others", by.len() - MAX_ASKERS).dimmed())?;
    }
    let logged = &example.logged;
    let times = if first == last { first.clone() } else { format!("{first} to {last}") };
    write_below(out, &format!("{times}, first {}:{} {}", logged.file, logged.line, logged.audit_id), width)?;
    write_below(out, &logged.request, width)
}
