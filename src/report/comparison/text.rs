//! Comparisons for people.

use std::io::{self, Write};

use colored::Colorize;

use crate::evaluation::{Acceptance, QuotaUse};
use crate::report::comparison::difference::{Difference, Event, OutcomeEvent, Verdict};
use crate::report::comparison::kept::Denial;
use crate::report::comparison::tally::{self, Tally};
use crate::report::comparison::{Compared, Side};
use crate::report::fold::fold;
use crate::report::text::{
    Excerpt, Headline, counted, write_change, write_excerpt, write_labelled, write_quota,
};

/// Writes the effect of a change of manifests, object by object; changed objects line by line if `diff` is set.
pub fn write_diff(out: &mut impl Write, compared: &Compared, diff: bool, width: usize) -> io::Result<()> {
    if compared.is_empty() {
        return Ok(());
    }
    let mut spaced = None;
    for difference in &compared.differences {
        let has_body = has_body(difference);
        // Objects with a single line are not separated by blank lines.
        if spaced == Some(true) || (spaced.is_some() && has_body) {
            writeln!(out)?;
        }
        spaced = Some(has_body);
        write_difference(out, difference, diff, width)?;
    }
    if spaced.is_some() {
        writeln!(out)?;
    }
    write_notes(out, compared, usize::MAX, width)?;
    write_sizes(out, compared)?;
    let objects = || compared.differences.iter().filter(|difference| !difference.is_caused);
    let parts = [
        (objects().filter(|difference| difference.is_added()).count(), "added"),
        (objects().filter(|difference| difference.is_removed()).count(), "removed"),
        (objects().filter(|difference| difference.change.is_some()).count(), "changed"),
    ];
    let mut words: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    words.extend(tally::each_in_words(&Tally::of(&compared.differences).by_event()));
    let words = if words.is_empty() { "no difference".to_owned() } else { words.join(", ") };
    if !write_hidden(out, compared)? {
        writeln!(out, "{}", fold(&words, width).join("\n"))?;
    }
    out.flush()
}

/// Writes how many differences are hidden, and returns whether all are.
pub(super) fn write_hidden(out: &mut impl Write, compared: &Compared) -> io::Result<bool> {
    if compared.hidden > 0 {
        writeln!(out, "{} not shown", counted(compared.hidden, "difference"))?;
    }
    Ok(compared.hidden > 0 && compared.differences.is_empty())
}

fn has_body(difference: &Difference) -> bool {
    let was_denied = matches!(difference.before, Verdict::Denied(_));
    difference.change.is_some() || !difference.happened.is_empty() || was_denied
}

fn write_difference(
    out: &mut impl Write,
    difference: &Difference,
    diff: bool,
    width: usize,
) -> io::Result<()> {
    let mark = match (&difference.before, &difference.after) {
        (_, Verdict::Denied(_)) => "✗".red(),
        (Verdict::Absent, _) => "+".green(),
        (_, Verdict::Absent) => "-".red(),
        _ if difference.has(Event::NoLongerDenied) => "✓".green(),
        _ => "~".cyan(),
    };
    let lead = if difference.is_caused { "↳ " } else { "" };
    let subject = if difference.is_caused { difference.subject.normal() } else { difference.subject.bold() };
    Headline { lead, mark, subject: &subject, remark: "", place: &place(difference) }.write(out, width)?;
    if let (Verdict::Denied(denial), true) = (&difference.before, difference.is_removed()) {
        writeln!(out, "  removed; {} denied it {}", denial.rule, code(denial))?;
    }
    for happened in &difference.happened {
        write_happened(out, difference, happened, width)?;
    }
    let Some((before, after)) = &difference.change else { return Ok(()) };
    writeln!(out, "  {}", "stored otherwise".cyan())?;
    if diff { write_change(out, &before.object(), &after.object(), width) } else { Ok(()) }
}

fn write_happened(
    out: &mut impl Write,
    difference: &Difference,
    happened: &OutcomeEvent,
    width: usize,
) -> io::Result<()> {
    let (event, rule) = (happened.event.as_str(), happened.rule);
    let message = happened.message.as_deref().unwrap_or_default();
    match happened.event {
        Event::NewlyDenied | Event::DeniedOtherwise => {
            let Verdict::Denied(denial) = &difference.after else { return Ok(()) };
            let event = if difference.is_added() { "added, and denied" } else { event };
            writeln!(out, "  {event} by {} {}", rule.red().bold(), code(denial))?;
            if let Verdict::Denied(before) = &difference.before {
                let said = format!("{} {}: {}", before.rule, code(before), before.message);
                write_labelled(out, "  ", &"before:".dimmed(), &said, width)?;
            }
            write_acceptance(out, "  ", happened.accepted.as_ref(), width)?;
            write_refusal(out, difference, denial, width)
        }
        Event::NewlyWarned => {
            writeln!(out, "  {event} by {}", rule.yellow())?;
            write_acceptance(out, "  ", happened.accepted.as_ref(), width)?;
            write_labelled(out, "  ", &"⚠".yellow(), message, width)
        }
        Event::NoLongerDenied | Event::NoLongerWarned => {
            writeln!(out, "  {event} by {}", rule.green())?;
            write_labelled(out, "  ", &"before:".dimmed(), message, width)
        }
        Event::NewlyMutated | Event::MutatedOtherwise | Event::NoLongerMutated => {
            writeln!(out, "  {event} by {}", rule.cyan())
        }
        Event::NewlyDefaulted | Event::NewlyRead => {
            writeln!(out, "  {event} by {}", rule.cyan())?;
            write_labelled(out, "  ", &"".normal(), message, width)
        }
    }
}

/// Writes why the user accepts it, if that is so.
pub(super) fn write_acceptance(
    out: &mut impl Write,
    indent: &str,
    accepted: Option<&Acceptance>,
    width: usize,
) -> io::Result<()> {
    let Some(accepted) = accepted.map(ToString::to_string) else { return Ok(()) };
    let (what, why) = accepted.split_once(' ').unwrap_or((&accepted, ""));
    write_labelled(out, indent, &what.yellow(), why, width)
}

/// Draws the reason of its denial.
fn write_refusal(
    out: &mut impl Write,
    difference: &Difference,
    denial: &Denial,
    width: usize,
) -> io::Result<()> {
    let shown = difference.evidence.as_deref();
    let help = shown.map(|shown| shown.reasons.join("\n")).filter(|help| !help.is_empty());
    let excerpt = shown.and_then(|shown| {
        let (first_line, text) = shown.excerpt.as_ref()?;
        let (first_line, line, columns) = (*first_line, shown.line, shown.columns?);
        Some(Excerpt { file: &shown.file, first_line, text, line, columns, label: denial.rule })
    });
    write_excerpt(out, &denial.message, help.as_deref(), excerpt.as_ref(), width)
}

/// Writes the assumptions of both runs, not more than `most`.
pub(super) fn write_notes(
    out: &mut impl Write,
    compared: &Compared,
    most: usize,
    width: usize,
) -> io::Result<()> {
    let notes = compared.notes();
    notes.iter().take(most).try_for_each(|note| write_labelled(out, "", &"note:".cyan(), note, width))?;
    if notes.len() > most {
        writeln!(out, "{}", format!("… and {} (--all)", counted(notes.len() - most, "more note")).dimmed())?;
    }
    if notes.is_empty() { Ok(()) } else { writeln!(out) }
}

/// Writes `11 objects, 3 denied → 12 objects, 5 denied`.
pub(super) fn write_sizes(out: &mut impl Write, compared: &Compared) -> io::Result<()> {
    let size = |side: &Side| {
        let summary = &side.summary;
        format!("{}, {} denied", counted(summary.requests, "object"), summary.denied)
    };
    writeln!(out, "before: {}; after: {}", size(&compared.before), size(&compared.after))
}

/// The number of requests that both sides deny, and that are named.
const MAX_DENIED: usize = 10;

/// Writes what both sides deny, not more than `most` of it.
pub(super) fn write_denied_by_both(
    out: &mut impl Write,
    compared: &Compared,
    all: bool,
    width: usize,
) -> io::Result<()> {
    let denied = &compared.denied_by_both;
    if denied.is_empty() {
        return Ok(());
    }
    let most = if all { usize::MAX } else { MAX_DENIED };
    let shown: Vec<&str> = denied.iter().take(most).map(String::as_str).collect();
    let more = denied.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more (--all)") } else { String::new() };
    write_labelled(
        out,
        "",
        &"denied before and after:".dimmed(),
        &format!("{}{more}", shown.join(", ")),
        width,
    )
}

/// Writes the usage, after the second run, of the quotas that refused something in it or that are new in it.
pub(super) fn write_quotas(out: &mut impl Write, compared: &Compared, width: usize) -> io::Result<()> {
    let (before, after) = (&compared.before.summary, &compared.after.summary);
    let is_of_interest = |quota: &&QuotaUse| {
        let key = (quota.namespace.clone(), quota.name.clone());
        let hard = |quota: &QuotaUse| -> Vec<_> {
            quota.resources.iter().map(|(name, amounts)| (name.clone(), amounts.hard.clone())).collect()
        };
        let known = before.quotas.iter().find(|known| (&known.namespace, &known.name) == (&key.0, &key.1));
        after.refusing_quotas.contains(&key) || known.is_none_or(|known| hard(known) != hard(quota))
    };
    after.quotas.iter().filter(is_of_interest).try_for_each(|quota| write_quota(out, quota, width))
}

/// Returns `report.yaml:13`.
pub(super) fn place(difference: &Difference) -> String {
    difference.place.as_ref().map(|(file, line)| format!("{file}:{line}")).unwrap_or_default()
}

/// Returns `(403 Forbidden)`.
fn code(denial: &Denial) -> String {
    format!("({} {})", denial.code, denial.reason).replace(" )", ")")
}
