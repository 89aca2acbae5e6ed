//! Drift for people.

use std::io::{self, Write};

use colored::{ColoredString, Colorize};

use crate::report::drift::{Drift, DriftedField, DriftedObject, State};
use crate::report::fold::fold;
use crate::report::text::{Headline, write_change, write_labelled};

/// Writes every object that differs; with `verbose` also the others, and the number of fields by their reasons.
pub fn write_text(out: &mut impl Write, drift: &Drift, verbose: bool, width: usize) -> io::Result<()> {
    let is_shown =
        |object: &&DriftedObject| verbose || object.state != State::InSync || !object.notes.is_empty();
    let mut spaced = None;
    for object in drift.objects.iter().filter(is_shown) {
        let has_body = has_body(object, verbose);
        // Objects with a single line are not separated by blank lines.
        if spaced == Some(true) || spaced.is_some() && has_body {
            writeln!(out)?;
        }
        spaced = Some(has_body);
        write_object(out, object, verbose, width)?;
    }
    if spaced.is_some() {
        writeln!(out)?;
    }
    writeln!(out, "{}", fold(&drift.in_words(), width).join("\n"))?;
    if verbose {
        let explained = drift.explained();
        let mut counts: Vec<_> = explained.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts: Vec<String> = counts.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
        if !counts.is_empty() {
            write_labelled(out, "", &"explained by".normal(), &counts.join(" · "), width)?;
        }
    }
    out.flush()
}

fn has_body(object: &DriftedObject, verbose: bool) -> bool {
    let explains = verbose && !object.explained.is_empty();
    explains || !object.fields.is_empty() || object.refusal.is_some() || !object.notes.is_empty()
}

fn mark(state: State) -> ColoredString {
    match state {
        State::Refused => "✗".red(),
        State::Missing => "+".green(),
        State::WouldChange | State::ChangedByOthers => "~".yellow(),
        State::Extra => "-".red(),
        State::PerhapsExtra => "-".dimmed(),
        State::InSync => "✓".green(),
    }
}

/// Writes the line above the text about an object.
pub(super) fn write_headline(out: &mut impl Write, object: &DriftedObject, width: usize) -> io::Result<()> {
    let place = object.place.as_ref().map(|(file, line)| format!("{file}:{line}")).unwrap_or_default();
    let subject = object.identity.to_string();
    let remark = format!(": {}", object.state.as_str());
    let (mark, subject) = (mark(object.state), subject.bold());
    Headline { lead: "", mark, subject: &subject, remark: &remark, place: &place }.write(out, width)
}

fn write_object(out: &mut impl Write, object: &DriftedObject, verbose: bool, width: usize) -> io::Result<()> {
    write_headline(out, object, width)?;
    if let Some(refused) = &object.refusal {
        let label = format!("{} denies it:", refused.plugin);
        write_labelled(out, "  ", &label.red(), &refused.message, width)?;
    }
    if let Some((live, after)) = &object.change {
        write_change(out, live, after, width)?;
    }
    let of_others = |field: &&DriftedField| !field.is_applied || object.change.is_none();
    for field in object.fields.iter().filter(of_others) {
        write_field(out, field, &format!("{}: {}", field.path, field.values()), width)?;
    }
    for field in object.fields.iter().filter(|field| !of_others(field) && !field.writers.is_empty()) {
        write_field(out, field, &field.path, width)?;
    }
    for note in &object.notes {
        write_labelled(out, "  ", &"note:".cyan(), note, width)?;
    }
    if verbose {
        for field in &object.explained {
            let says = format!("{}: {}", field.path, field.cause);
            write_labelled(out, "  ", &"explained".dimmed(), &says, width)?;
        }
    }
    Ok(())
}

fn write_field(out: &mut impl Write, field: &DriftedField, says: &str, width: usize) -> io::Result<()> {
    let by = field.by();
    let by = if by.is_empty() { String::new() } else { format!(", set by {by}") };
    write_labelled(out, "  ", &"field".yellow(), &format!("{says}{by}"), width)
}
