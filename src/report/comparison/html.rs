//! Comparisons as a page.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::report::comparison::difference::{Difference, Event, OutcomeEvent, Shown, Verdict};
use crate::report::comparison::tally::{self, Tally};
use crate::report::comparison::{Compared, ComparedBy};
use crate::report::finding::Spot;
use crate::report::html::{
    Block, Count, Doing, Foot, Head, MessageEntry, Row, Table, TableRow, diff_lines, frame_of, rendered,
};
use crate::report::text::counted;
use crate::report::{Code, Diagnostic, Severity};

/// Writes the differences; changed objects line by line if `diff` is set.
pub fn write_html(
    out: &mut impl Write,
    compared: &Compared,
    compared_by: ComparedBy,
    diff: bool,
) -> io::Result<()> {
    let what = match compared_by {
        ComparedBy::Manifests => "the manifests",
        ComparedBy::Server | ComparedBy::Release => "the server",
    };
    let size = |side: &super::Side| {
        format!("{}, {} denied", counted(side.summary.requests, "request"), side.summary.denied)
    };
    let about = format!(
        "Before the change of {what}: {}; after it: {}",
        size(&compared.before),
        size(&compared.after)
    );
    let about = compared.lead.as_ref().map_or(about, |lead| format!("{}. {}", lead.verdict, lead.about));
    out.write_all(rendered(&Head::new("Admission comparison", &about, "Differences"))?.as_bytes())?;
    for difference in &compared.differences {
        out.write_all(rendered(&row(difference, diff))?.as_bytes())?;
    }
    let tally = Tally::of(&compared.differences);
    let counts = tally.by_event();
    let verdict = tally::in_words(&counts);
    let numbers = counts.iter().map(|(event, count)| {
        let tone = if count.all == count.accepted { "" } else { tone(*event) };
        Count { name: event.as_str(), number: count.all, tone }
    });
    let accepted: usize = counts.values().map(|count| count.accepted).sum();
    let accepted = Some(Count { name: "accepted", number: accepted, tone: "" }).filter(|_| accepted > 0);
    let numbers = numbers.chain(accepted);
    let is_calibration = |diagnostic: &&Diagnostic| diagnostic.code == Code::ReplayDifference;
    let (calibration, said): (Vec<_>, Vec<_>) = compared.diagnostics.iter().partition(is_calibration);
    let said = said.into_iter().map(MessageEntry::of);
    let notes = compared.notes().into_iter().map(|note| MessageEntry::bare(Severity::Note, note.to_owned()));
    let foot = Foot::new(
        verdict,
        numbers.collect(),
        tables(&tally),
        &compared.after.summary.quotas,
        said.chain(notes).collect(),
    )
    .with("Answers that differ from the log", calibration.into_iter().map(MessageEntry::of).collect());
    out.write_all(rendered(&foot)?.as_bytes())?;
    out.flush()
}

fn row(difference: &Difference, diff: bool) -> Row {
    let mut blocks: Vec<Block> =
        difference.happened.iter().map(|happened| block(difference, happened)).collect();
    if let (Verdict::Denied(denial), true) = (&difference.before, difference.is_removed()) {
        let title = format!("removed; {} denied it", denial.rule);
        blocks.push(Block { message: denial.message.clone(), ..Block::new("quiet", title) });
    }
    if let (Some((before, after)), true) = (&difference.change, diff) {
        let diff = diff_lines(&before.object(), &after.object());
        blocks.push(Block { diff, ..Block::new("changed", "stored otherwise".to_owned()) });
    }
    let (verdict, tone) = match difference.happened.iter().map(|happened| happened.event).min() {
        Some(event) if difference.is_accepted() => (event.as_str(), "quiet"),
        Some(event) => (event.as_str(), tone(event)),
        None if difference.is_added() => ("added", "good"),
        None if difference.is_removed() => ("removed", "quiet"),
        None => ("stored otherwise", "changed"),
    };
    let mut plugins: Vec<&'static str> = difference.happened.iter().map(|happened| happened.rule).collect();
    plugins.sort_unstable();
    plugins.dedup();
    Row {
        verdict: match difference.count {
            1 => verdict.to_owned(),
            count => format!("{count} × {verdict}"),
        },
        tone,
        subject: difference.subject.clone(),
        kind: difference.kind.clone(),
        namespace: difference.namespace.clone(),
        place: difference.place.as_ref().map(|(file, line)| format!("{file}:{line}")).unwrap_or_default(),
        plugins,
        is_caused: difference.is_caused,
        blocks,
        doings: Vec::<(Doing, &'static str)>::new(),
    }
}

fn block(difference: &Difference, happened: &OutcomeEvent) -> Block {
    let event = happened.event;
    let (accepted, tone) = match &happened.accepted {
        Some(accepted) => (format!(", {accepted}"), "quiet"),
        None => (String::new(), tone(event)),
    };
    let title = format!("{} by {}{accepted}", event.as_str(), happened.rule);
    let mut block =
        Block { message: happened.message.clone().unwrap_or_default(), ..Block::new(tone, title) };
    if !matches!(event, Event::NewlyDenied | Event::DeniedOtherwise) {
        return block;
    }
    block.is_open = !difference.is_accepted();
    if let Verdict::Denied(before) = &difference.before {
        block.reasons.push(format!("before, by {}: {}", before.rule, before.message));
    }
    if let Some(Shown { file, line, columns, excerpt, reasons }) = difference.evidence.as_deref() {
        let spot = Spot { columns: *columns, ..Spot::at(file, Some(*line)) };
        block.place = format!("{file}:{line}");
        block.frame = frame_of(&[spot], excerpt.as_slice());
        block.reasons.extend(reasons.iter().cloned());
    }
    block
}

fn tone(event: Event) -> &'static str {
    match event {
        Event::NewlyDenied | Event::DeniedOtherwise => "denied",
        Event::NewlyWarned => "warned",
        Event::NewlyMutated | Event::MutatedOtherwise | Event::NewlyDefaulted | Event::NewlyRead => "changed",
        Event::NoLongerDenied | Event::NoLongerWarned | Event::NoLongerMutated => "good",
    }
}

/// Returns the events by plugin and by namespace.
fn tables(tally: &Tally<'_>) -> Vec<Table> {
    let events: Vec<Event> = tally.by_event().into_keys().collect();
    let table = |title, what, field, counts: BTreeMap<&str, BTreeMap<Event, tally::Count>>| {
        let numbers = |counts: &BTreeMap<Event, tally::Count>| {
            events.iter().map(|event| counts.get(event).map_or(0, |count| count.all)).collect()
        };
        let rows = counts.iter().map(|(name, counts)| TableRow::new(name, numbers(counts)));
        let columns = events.iter().map(|event| event.as_str().to_owned()).collect();
        Table { title, what, field, columns, rows: rows.collect() }
    };
    let tables = [
        table("By plugin", "Plugin", "plugin", tally.by_plugin()),
        table("By namespace", "Namespace", "namespace", tally.by_namespace()),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}
