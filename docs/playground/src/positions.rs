//! Offsets as JavaScript counts them, in units of UTF-16.

use kadmit::Span;
use kadmit::report::editor::FileLine;

/// Returns the offset of the page for a byte of `text`.
pub fn unit_of(text: &str, byte: usize) -> usize {
    let end = text.floor_char_boundary(byte.min(text.len()));
    text[..end].chars().map(char::len_utf16).sum()
}

/// Returns the byte of `text` for an offset of the page.
pub fn byte_of(text: &str, unit: usize) -> usize {
    let mut left = unit;
    for (byte, character) in text.char_indices() {
        if left < character.len_utf16() {
            return byte;
        }
        left -= character.len_utf16();
    }
    text.len()
}

/// Returns the offsets of the page for `span`.
pub fn units_of(text: &str, span: Span) -> (usize, usize) {
    (unit_of(text, span.start), unit_of(text, span.end))
}

/// Returns the bytes of a line of a report.
pub fn span_of(text: &str, line: &FileLine) -> Span {
    let number = line.line.unwrap_or(1).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
    let line_text = text[start..].lines().next().unwrap_or_default();
    let column = |column: usize| {
        let offset = line_text.char_indices().nth(column.saturating_sub(1)).map(|(offset, _)| offset);
        start + offset.unwrap_or(line_text.len())
    };
    match line.columns {
        Some((from, to)) => Span::new(column(from)..column(to.max(from))),
        None => Span::new(start..start + line_text.len()),
    }
}
