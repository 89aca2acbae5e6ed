//! Drift as a comment or a ticket.

use std::io::{self, Write};

use crate::report::drift::{Drift, State};
use crate::report::markdown::{changed_lines, code, folded};

/// The longest text in a cell.
const LONGEST: usize = 300;

/// Writes a table of the fields that differ, and the changes that applying makes, folded.
pub fn write_markdown(out: &mut impl Write, drift: &Drift) -> io::Result<()> {
    writeln!(out, "**{}**\n", drift.in_words())?;
    let differing: Vec<_> = drift.objects.iter().filter(|object| object.state != State::InSync).collect();
    if !differing.is_empty() {
        writeln!(out, "| Object | State | Field | Live → manifest | Set by |\n|---|---|---|---|---|")?;
    }
    for object in &differing {
        let subject = code(&object.identity.to_string(), LONGEST);
        let place = object.place.as_ref();
        let place = place.map(|(file, line)| format!("<br>{}", code(&format!("{file}:{line}"), LONGEST)));
        let (place, state) = (place.unwrap_or_default(), object.state.as_str());
        let refusal =
            object.refusal.as_ref().map(|refused| format!("{}: {}", refused.plugin, refused.message));
        if let Some(refusal) = refusal {
            writeln!(out, "| {subject}{place} | {state} | | {} | |", code(&refusal, LONGEST))?;
        } else if object.fields.is_empty() {
            writeln!(out, "| {subject}{place} | {state} | | | |")?;
        }
        for field in &object.fields {
            let line = field.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            let state = if field.is_applied { State::WouldChange } else { State::ChangedByOthers }.as_str();
            let by = if field.writers.is_empty() { String::new() } else { code(&field.by(), LONGEST) };
            let (path, values) = (code(&field.path, LONGEST), code(&field.values(), LONGEST));
            writeln!(out, "| {subject}{place} | {state} | {path}{line} | {values} | {by} |")?;
        }
    }
    for object in differing {
        if let Some((live, after)) = &object.change {
            let diff = changed_lines(live, after);
            write!(out, "\n{}", folded(&object.identity.to_string(), "when applied", &diff))?;
        }
    }
    out.flush()
}
