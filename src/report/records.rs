//! Rendered entries that are sorted into groups when they are written.

use std::fmt::Display;
use std::io;

/// The separators between the parts of an entry, and after it, which neither XML nor YAML has in a text.
const UNIT: char = '\u{1F}';
const RECORD: char = '\u{1E}';

/// Returns the entry `text` of `group`, with what the group counts it as.
pub(super) fn record(group: &str, counted_as: impl Display, text: &str) -> String {
    format!("{group}{UNIT}{counted_as}{UNIT}{text}{RECORD}")
}

/// Returns the entries of `rendered` in order: group, what it counts as, and text.
///
/// # Errors
///
/// If `rendered` is not text.
pub(super) fn records(rendered: &[u8]) -> io::Result<impl Iterator<Item = (&str, &str, &str)>> {
    let text = str::from_utf8(rendered).map_err(io::Error::other)?;
    Ok(text.split_terminator(RECORD).map(|record| {
        let mut parts = record.split(UNIT);
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next())
    }))
}
