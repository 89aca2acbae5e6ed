//! Pieces of large files, whose items are read as documents.

use std::io;

use gotext::source::Piece;

/// Returns the text of a piece of a file.
pub(crate) fn text_of(piece: &Piece) -> io::Result<String> {
    let mut bytes = piece.file.read(piece.offset, piece.length)?;
    if let Some(column) = piece.dashes {
        remove_dashes(&mut bytes, column);
    }
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Replaces the dashes before items by blanks: each is a document then, whose bytes are where they were.
pub(crate) fn remove_dashes(bytes: &mut [u8], column: usize) {
    for line in bytes.split_inclusive_mut(|byte| *byte == b'\n') {
        if is_item(line, column) {
            line[column] = b' ';
        }
    }
}

/// Whether `line` begins an item of the list whose dashes are in `column`.
pub(crate) fn is_item(line: &[u8], column: usize) -> bool {
    indentation(line) == column
        && line.get(column) == Some(&b'-')
        && line.get(column + 1).is_none_or(u8::is_ascii_whitespace)
}

/// Returns the number of blanks at the begin of `line`.
pub(crate) fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}
