//! Drift as a page.

use std::io::{self, Write};

use crate::report::drift::{Drift, DriftedObject, State};
use crate::report::html::{
    Block, Count, Doing, Foot, Head, MessageEntry, Row, Table, TableRow, diff_lines, rendered,
};

/// Writes one page with every object.
pub fn write_html(out: &mut impl Write, drift: &Drift) -> io::Result<()> {
    let about = "Live objects and their manifests";
    out.write_all(rendered(&Head::new("Drift", about, "Objects"))?.as_bytes())?;
    for object in &drift.objects {
        out.write_all(rendered(&row(object))?.as_bytes())?;
    }
    let counts = drift.counts();
    let numbers = counts.iter().map(|(state, number)| Count {
        name: state.as_str(),
        number: *number,
        tone: tone(*state),
    });
    let explained = drift.explained();
    let rows = explained.iter().map(|(cause, count)| TableRow::new(&cause.to_string(), vec![*count]));
    let table = Table {
        title: "Explained differences",
        what: "Reason",
        field: "reason",
        columns: vec!["fields".to_owned()],
        rows: rows.collect(),
    };
    let tables = if explained.is_empty() { Vec::new() } else { vec![table] };
    let said = drift.diagnostics.iter().map(MessageEntry::of).collect();
    let foot = Foot::new(drift.in_words(), numbers.collect(), tables, &[], said);
    out.write_all(rendered(&foot)?.as_bytes())?;
    out.flush()
}

fn row(object: &DriftedObject) -> Row {
    let mut blocks = Vec::new();
    if let Some(refused) = &object.refusal {
        let title = format!("refused by {}", refused.plugin);
        blocks.push(Block { message: refused.message.clone(), is_open: true, ..Block::new("denied", title) });
    }
    if let Some((live, after)) = &object.change {
        let title = State::WouldChange.as_str().to_owned();
        blocks.push(Block { diff: diff_lines(live, after), ..Block::new("changed", title) });
    }
    for field in &object.fields {
        let state = if field.is_applied { State::WouldChange } else { State::ChangedByOthers };
        let (by, place) = (field.by(), object.place.as_ref().zip(field.line));
        let reasons = if by.is_empty() { Vec::new() } else { vec![format!("set by {by}")] };
        let place = place.map(|((file, _), line)| format!("{file}:{line}")).unwrap_or_default();
        let title = format!("{}: {}", state.as_str(), field.path);
        blocks.push(Block { message: field.values(), reasons, place, ..Block::new(tone(state), title) });
    }
    blocks.extend(object.notes.iter().map(|note| Block::new("quiet", note.clone())));
    Row {
        verdict: object.state.as_str().to_owned(),
        tone: tone(object.state),
        subject: object.identity.to_string(),
        kind: object.identity.kind.clone(),
        namespace: object.identity.namespace.clone(),
        place: object.place.as_ref().map(|(file, line)| format!("{file}:{line}")).unwrap_or_default(),
        plugins: Vec::new(),
        is_caused: false,
        blocks,
        doings: Vec::<(Doing, &'static str)>::new(),
    }
}

fn tone(state: State) -> &'static str {
    match state {
        State::Refused | State::Missing => "denied",
        State::WouldChange => "changed",
        State::ChangedByOthers | State::Extra => "warned",
        State::PerhapsExtra => "quiet",
        State::InSync => "good",
    }
}
