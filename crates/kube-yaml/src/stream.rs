//! Splits a file into the pieces that are documents.
//!
//! Source: `k8s.io/apimachinery/pkg/util/yaml`.

use std::ops::Range;

/// The number of bytes by which kubectl guesses whether a file is JSON.
const GUESS_SIZE: usize = 4096;

/// Whether kubectl tries to read `text` as JSON first.
pub(super) fn may_be_json(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with('{') && text.len() - start.len() < GUESS_SIZE
}

/// Returns where YAML is expected if the text at `start` is not JSON: after blanks up to the first line break. None if
/// Go's reader gives up, because it sees fewer than four bytes at a time.
pub(super) fn after_blanks(text: &str, start: usize) -> Option<usize> {
    let mut position = start;
    loop {
        if text.len() - position < 4 {
            return None;
        }
        match text[position..].chars().next() {
            Some(character) if character.is_whitespace() => {
                position += character.len_utf8();
                if character == '\n' {
                    return Some(position);
                }
            }
            _ => return Some(position),
        }
    }
}

/// A part of a file between lines that begin with `---`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// Its number among all pieces, empty ones included.
    pub(super) index: usize,
    /// Bytes of the file, without the separator before it, unless Go passes that to the parser too.
    pub(super) range: Range<usize>,
}

/// A separator with text after it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BadSeparator {
    pub(super) index: usize,
    /// The text after the dashes.
    pub(super) content: Range<usize>,
}

/// Splits by lines, before quotes or blocks are parsed.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    position: usize,
    /// The separators passed so far.
    index: usize,
}

const DASHES: &str = "---";

/// Returns the start of the next line, from the one at `start` on, that begins with dashes.
fn separator(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    if rest.starts_with(DASHES) {
        return Some(start);
    }
    rest.match_indices(DASHES).map(|(at, _)| start + at).find(|at| text[..*at].ends_with('\n'))
}

impl Pieces {
    /// Returns the pieces from byte `position` on; the first one has the number `index`.
    pub(super) fn new(position: usize, index: usize) -> Self {
        Self { position, index }
    }

    /// Returns the number of separators so far.
    pub(super) fn passed(&self) -> usize {
        self.index
    }

    pub(super) fn next(&mut self, text: &str) -> Option<Result<Piece, BadSeparator>> {
        let start = self.position;
        while let Some(line_start) = separator(text, self.position) {
            let rest = &text.as_bytes()[line_start..];
            let length =
                rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |newline| newline + 1);
            self.position = line_start + length;
            let line = &text[line_start..self.position];
            let behind = &line[DASHES.len()..];
            let content = behind.trim();
            if !content.is_empty() && !content.starts_with('#') {
                let from = self.position - behind.trim_start().len();
                let content = from..from + content.len();
                // Go discards what it has read of the piece before.
                return Some(Err(BadSeparator { index: self.index + 1, content }));
            }
            self.index += 1;
            if line_start > start {
                return Some(Ok(Piece { index: self.index - 1, range: start..line_start }));
            }
        }
        self.position = text.len();
        (start < text.len()).then_some(Ok(Piece { index: self.index, range: start..text.len() }))
    }
}

/// The text of a piece as Go passes it to the parser: every line ends in `\n`, and a line break of two characters is
/// one.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    pub(super) text: std::borrow::Cow<'a, str>,
    /// The offsets in `text` at which a `\r` was removed, in ascending order.
    left_out: Vec<usize>,
    /// The start and the length of the piece in its file.
    start: usize,
    length: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>) -> Self {
        let piece = &text[range.clone()];
        let (start, length) = (range.start, range.len());
        if piece.ends_with('\n') && !piece.contains("\r\n") {
            return Self { text: piece.into(), left_out: Vec::new(), start, length };
        }
        let mut normal = String::with_capacity(piece.len() + 1);
        let mut left_out = Vec::new();
        for line in piece.split_inclusive('\n') {
            match line.strip_suffix("\r\n") {
                Some(content) => {
                    normal.push_str(content);
                    left_out.push(normal.len());
                    normal.push('\n');
                }
                None => normal.push_str(line),
            }
        }
        if !normal.ends_with('\n') {
            normal.push('\n');
        }
        Self { text: normal.into(), left_out, start, length }
    }

    /// Whether offsets differ only by the start of the piece.
    pub(super) fn is_verbatim(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Returns the byte of the file for a byte of the text.
    pub(super) fn in_file(&self, offset: usize) -> usize {
        let left_out = self.left_out.partition_point(|position| *position < offset);
        self.start + (offset + left_out).min(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(usize, &str)> {
        let mut pieces = Pieces::new(0, 0);
        std::iter::from_fn(|| pieces.next(text))
            .map(|piece| {
                let piece = piece.expect("no bad separator");
                (piece.index, &text[piece.range])
            })
            .collect()
    }

    #[test]
    fn counts_empty_pieces() {
        assert_eq!(split("---\na: 1\n--- # c\n---\nb: 2\n---"), [(1, "---\na: 1\n"), (3, "---\nb: 2\n")]);
        assert_eq!(split("\n---\na"), [(0, "\n"), (1, "a")]);
        assert_eq!(split(""), []);
    }

    #[test]
    fn refuses_content_behind_a_separator() {
        let text = "a: 1\n---  b: 2 \n";
        let mut pieces = Pieces::new(0, 0);
        let bad = pieces.next(text).expect("something").expect_err("a bad separator");
        assert_eq!(&text[bad.content], "b: 2");
    }

    #[test]
    fn finds_its_way_back_to_the_file() {
        let text = "---\r\nä: 1\r\nb: 2";
        let lines = Lines::new(text, 5..text.len());
        assert_eq!(lines.text, "ä: 1\nb: 2\n");
        assert_eq!(&text[lines.in_file(6)..lines.in_file(7)], "b");
        assert_eq!(lines.in_file(10), text.len());
    }
}
