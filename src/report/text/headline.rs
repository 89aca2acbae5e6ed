//! Lines of text for people: headlines with their places, labels with what they say, changes.

use std::io::{self, Write};

use colored::{ColoredString, Colorize};

use crate::evaluation::Place;
use crate::report::change::{self, Row};
use crate::report::fold::{fold, folding};
use crate::report::printable::{printable, printable_line};
use kube_api::Object;

/// As many columns as it takes: nothing is folded or moved to the end of a line.
pub const UNLIMITED: usize = 1 << 24;

/// The line above the text about an object.
pub(in crate::report) struct Headline<'a> {
    pub(in crate::report) lead: &'a str,
    pub(in crate::report) mark: ColoredString,
    pub(in crate::report) subject: &'a ColoredString,
    /// The text after the subject.
    pub(in crate::report) remark: &'a str,
    pub(in crate::report) place: &'a str,
}

impl Headline<'_> {
    /// Writes it with the place at the end of the line, or below where there is no room for both.
    pub(in crate::report) fn write(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let Self { lead, mark, subject, remark, place } = self;
        let place = printable(place);
        let indent = lead.chars().count() + 2;
        let lines = fold(&format!("{}{remark}", &***subject), width - indent);
        let subject_length = printable(subject).chars().count();
        for (position, line) in lines.iter().enumerate() {
            match position {
                0 => write!(out, "{lead}{mark} ")?,
                _ => write!(out, "\n{:indent$}", "")?,
            }
            // All folded lines are of one kind.
            let split = if lines.len() == 1 { subject_length } else { line.chars().count() };
            let end = line.char_indices().nth(split).map_or(line.len(), |(end, _)| end);
            let mut shown = (*subject).clone();
            line[..end].clone_into(&mut shown.input);
            write!(out, "{shown}{}", &line[end..])?;
        }
        if place.is_empty() {
            return writeln!(out);
        }
        let used = indent + lines.last().map_or(0, |line| line.chars().count()) + place.chars().count();
        if width >= UNLIMITED / 2 {
            writeln!(out, "  {}", place.dimmed())
        } else if used < width {
            writeln!(out, "{}{}", " ".repeat(width - used), place.dimmed())
        } else {
            let below = lead.len() - lead.trim_start().len() + 2;
            writeln!(out, "\n{:below$}{}", "", place.dimmed())
        }
    }
}

/// Writes how two states of an object differ, line by line.
pub(in crate::report) fn write_change(
    out: &mut impl Write,
    before: &Object,
    after: &Object,
    width: usize,
) -> io::Result<()> {
    write_rows(out, &change_rows(before, after, width))
}

/// Returns the difference of two states of an object, in lines of at most `width` columns.
pub(super) fn change_rows(before: &Object, after: &Object, width: usize) -> Vec<Row> {
    change::rows(before, after, width.saturating_sub(6))
}

pub(super) fn write_rows(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    for row in rows {
        match row {
            Row::Inside(field) if field.is_empty() => writeln!(out, "    {}", "@@ @@".cyan())?,
            Row::Inside(field) => writeln!(out, "    {}", format!("@@ {field} @@").cyan())?,
            Row::Added(text) => writeln!(out, "    {}", format!("+ {text}").green())?,
            Row::Removed(text) => writeln!(out, "    {}", format!("- {text}").red())?,
        }
    }
    Ok(())
}

pub(super) fn place_text(place: &Place) -> String {
    format!("{}:{}", printable_line(place.file()), place.line_column().0)
}

/// The deepest that the lines after the first one of a label are indented.
const DEEPEST: usize = 20;

/// Writes `label text`, folded, with the lines after the first one indented like the text.
pub(crate) fn write_labelled(
    out: &mut impl Write,
    indent: &str,
    label: &ColoredString,
    text: &str,
    width: usize,
) -> io::Result<()> {
    let lead = format!("{indent}{} ", &**label);
    let hanging = " ".repeat(lead.chars().count().min(DEEPEST));
    let options = folding(width).initial_indent(&lead).subsequent_indent(&hanging);
    let text = printable(text);
    let lines = textwrap::wrap(&text, options);
    for (position, line) in lines.iter().enumerate() {
        match line.strip_prefix(&lead) {
            Some(rest) if position == 0 => writeln!(out, "{indent}{label} {rest}")?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}
