//! Comparisons as a comment on a pull request, never longer than one may be.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::evaluation::Acceptance;
use crate::report::Severity;
use crate::report::comparison::difference::{Difference, Event, OutcomeEvent, Verdict};
use crate::report::comparison::tally::{self, Tally};
use crate::report::comparison::{Compared, Lead, Side};
use crate::report::markdown::{
    LONGEST, LONGEST_MESSAGE, LONGEST_NOTE, MAX_NOTES, RESERVED, changed_lines, code, folded,
};
use crate::report::text::counted;

/// A comment of limited size. Parts are added while they fit; then no more, so that there are no gaps.
struct Comment {
    text: String,
    length: usize,
    missing: usize,
}

impl Comment {
    fn new(text: String) -> Self {
        Self { length: text.chars().count(), text, missing: 0 }
    }

    /// Adds `part`, after `heading` if it is the first below that.
    fn add(&mut self, heading: &mut Option<&str>, part: &str) {
        let lead = heading.unwrap_or_default();
        let length = lead.chars().count() + part.chars().count();
        if self.missing > 0 || self.length + length > LONGEST - RESERVED {
            self.missing += 1;
            return;
        }
        heading.take();
        self.length += length;
        self.text.push_str(lead);
        self.text.push_str(part);
    }
}

/// Writes the effect of a change of manifests; changed objects line by line if `diff` is set.
pub fn write_diff(out: &mut impl Write, compared: &Compared, diff: bool) -> io::Result<()> {
    let mut comment = Comment::new(heading(compared, "the change of the manifests"));
    let mut table = Some("\n| | Object | Message |\n|---|---|---|\n");
    let mut rows: Vec<(Event, String)> = Vec::new();
    for difference in &compared.differences {
        rows.extend(difference.happened.iter().map(|happened| (happened.event, row(difference, happened))));
    }
    rows.sort_by_key(|(event, _)| *event);
    for (_, row) in &rows {
        comment.add(&mut table, row);
    }
    let objects = || compared.differences.iter().filter(|difference| !difference.is_caused);
    list(&mut comment, "\nAdded:\n\n", objects().filter(|difference| difference.is_added()));
    list(&mut comment, "\nRemoved:\n\n", objects().filter(|difference| difference.is_removed()));
    for difference in compared.differences.iter().filter(|_| diff) {
        let Some((before, after)) = &difference.change else { continue };
        let lines = changed_lines(&before.object(), &after.object());
        comment.add(&mut Some("\n"), &folded(&difference.subject, "stored otherwise", &lines));
    }
    finish(out, compared, comment)
}

fn list<'a>(comment: &mut Comment, title: &str, differences: impl Iterator<Item = &'a Difference>) {
    let mut title = Some(title);
    for difference in differences {
        let subject = code(&difference.subject, LONGEST_NOTE);
        comment.add(&mut title, &format!("- {subject} {}\n", place(difference)));
    }
}

/// Writes the effect of a change of the server, with at most `examples` of each event in a namespace.
pub fn write_audit(out: &mut impl Write, compared: &Compared, examples: usize) -> io::Result<()> {
    let mut comment = Comment::new(heading(compared, "the change of the server"));
    for (what, these, others) in [
        ("Switched on", &compared.after, &compared.before),
        ("Switched off", &compared.before, &compared.after),
    ] {
        let plugins = only(these, others);
        if !plugins.is_empty() {
            comment.add(&mut None, &format!("\n{what}: {}\n", plugins.join(", ")));
        }
    }
    let tally = Tally::of(&compared.differences);
    let mut table = Some("\n| | Rule | Namespace | Requests |\n|---|---|---|---|\n");
    for (group, namespaces) in &tally.groups {
        for (namespace, all) in namespaces {
            let (mark, event) = (mark(group.event, group.is_accepted), group.event());
            let namespace = code(tally::named(namespace), LONGEST_NOTE);
            let rule = code(group.rule, LONGEST_NOTE);
            let row = format!("| {mark} {event} | {rule} | {namespace} | {} |\n", tally::requests(all));
            comment.add(&mut table, &row);
        }
    }
    for (group, namespaces) in &tally.groups {
        let accepted = if group.is_accepted { ", accepted" } else { "" };
        let title = format!("{} by {}{accepted}", group.event.as_str(), group.rule);
        let title = format!("\n### {title}\n\n| Object | Message |\n|---|---|\n");
        let mut title = Some(title.as_str());
        for (namespace, all) in namespaces {
            for example in all.iter().take(examples) {
                let subject = code(&example.difference.subject, LONGEST_NOTE);
                let accepted = example.accepted.map(acceptance);
                let message = example.message.map(|message| code(message, LONGEST_MESSAGE));
                let message = accepted.into_iter().chain(message).collect::<Vec<_>>().join("<br>");
                let more = example.difference.count - 1;
                let more = if more > 0 { format!("<br>and {more} alike") } else { String::new() };
                let row = format!("| {subject}{}{more} | {message} |\n", place_below(example.difference));
                comment.add(&mut title, &row);
            }
            let more = all.len().saturating_sub(examples);
            if more > 0 {
                let namespace = code(tally::named(namespace), LONGEST_NOTE);
                comment.add(&mut title, &format!("| … and {more} more in {namespace} | |\n"));
            }
        }
    }
    finish(out, compared, comment)
}

/// Returns `## ❌ kadmit: 2 newly denied`.
fn heading(compared: &Compared, what: &str) -> String {
    if let Some(Lead { verdict, about, fails }) = &compared.lead {
        let mark = if *fails { "❌" } else { "✅" };
        return format!("## {mark} kadmit: {verdict}\n\n{about}\n");
    }
    let counts = Tally::of(&compared.differences).by_event();
    let has_errors = compared.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let mark = if has_errors || compared.has_newly_denied() { "❌" } else { "✅" };
    let words = tally::in_words(&counts);
    let size = |side: &Side| {
        format!("{}, {} denied", counted(side.summary.requests, "request"), side.summary.denied)
    };
    let sizes = format!("Before {what}: {}; after it: {}", size(&compared.before), size(&compared.after));
    format!("## {mark} kadmit: {words}\n\n{sizes}\n")
}

fn row(difference: &Difference, happened: &OutcomeEvent) -> String {
    let reasons = match happened.event {
        Event::NewlyDenied | Event::DeniedOtherwise => {
            difference.evidence.as_ref().map_or(&[][..], |shown| &shown.reasons)
        }
        _ => &[],
    };
    let mut message = vec![code(happened.rule, LONGEST_NOTE)];
    message.extend(happened.accepted.iter().map(acceptance));
    let says = happened.message.iter().chain(reasons);
    message.extend(says.map(|text| code(text, LONGEST_MESSAGE)));
    if let (Verdict::Denied(before), Event::DeniedOtherwise) = (&difference.before, happened.event) {
        let said = code(&before.message, LONGEST_MESSAGE);
        message.push(format!("before, by {}: {said}", code(before.rule, LONGEST_NOTE)));
    }
    format!(
        "| {} {} | {}{} | {} |\n",
        mark(happened.event, happened.accepted.is_some()),
        happened.event.as_str(),
        code(&difference.subject, LONGEST_NOTE),
        place_below(difference),
        message.join("<br>")
    )
}

/// Returns the place as the second line of a cell.
fn place_below(difference: &Difference) -> String {
    let place = place(difference);
    if place.is_empty() { place } else { format!("<br>{place}") }
}

fn place(difference: &Difference) -> String {
    let place = difference.place.as_ref();
    place.map(|(file, line)| code(&format!("{file}:{line}"), LONGEST_NOTE)).unwrap_or_default()
}

fn acceptance(accepted: &Acceptance) -> String {
    code(&accepted.to_string(), LONGEST_NOTE)
}

fn mark(event: Event, is_accepted: bool) -> &'static str {
    match event {
        _ if is_accepted => "☑️",
        Event::NewlyDenied | Event::DeniedOtherwise => "❌",
        Event::NewlyWarned => "⚠️",
        Event::NewlyMutated | Event::MutatedOtherwise | Event::NewlyDefaulted | Event::NewlyRead => "✏️",
        Event::NoLongerDenied | Event::NoLongerWarned | Event::NoLongerMutated => "✅",
    }
}

/// Returns the plugins that `others` does not have.
fn only(these: &Side, others: &Side) -> Vec<&'static str> {
    these.plugins.iter().copied().filter(|plugin| !others.plugins.contains(plugin)).collect()
}

fn finish(out: &mut impl Write, compared: &Compared, mut comment: Comment) -> io::Result<()> {
    let spoken = compared.diagnostics.iter().map(|diagnostic| {
        let what = if diagnostic.severity == Severity::Error { "error" } else { "note" };
        let file = diagnostic.file.as_deref();
        let place = file.map(|file| match diagnostic.line() {
            Some(line) => format!("{file}:{line}: "),
            None => format!("{file}: "),
        });
        (what, format!("{}{}", place.unwrap_or_default(), diagnostic.message))
    });
    let mut notes: Vec<(&str, String)> = spoken.collect();
    notes.extend(compared.notes().into_iter().map(|note| ("note", note.to_owned())));
    // Errors first.
    notes.sort_by_key(|(what, _)| *what);
    for (position, (what, note)) in notes.iter().take(MAX_NOTES).enumerate() {
        let separator = if position == 0 { "\n" } else { "" };
        let _ = writeln!(comment.text, "{separator}- {what}: {}", code(note, LONGEST_NOTE));
    }
    match notes.len().saturating_sub(MAX_NOTES) {
        0 => {}
        1 => comment.text.push_str("- … and 1 more note\n"),
        more => drop(writeln!(comment.text, "- … and {more} more notes")),
    }
    if comment.missing > 0 {
        let _ = writeln!(
            comment.text,
            "\nLeft out, since a comment holds {LONGEST} characters: {} lines and changes",
            comment.missing
        );
    }
    out.write_all(comment.text.as_bytes())?;
    out.flush()
}
