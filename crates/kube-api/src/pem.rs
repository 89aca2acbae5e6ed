//! Text armour around binary data, as Go reads it: text before, between and after the blocks does not matter.
//!
//! Source: `encoding/pem`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A block of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The kind of the data, such as `CERTIFICATE`.
    pub kind: String,
    /// The data.
    pub bytes: Vec<u8>,
    /// Whether there are headers before the data.
    pub has_headers: bool,
}

/// Returns the blocks in `text`; text that only resembles one is skipped.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((block, after)) = decode(rest) {
        blocks.push(block);
        rest = after;
    }
    blocks
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// Returns the next block, and what follows it: a block ends at the first line that says so, and starts at the last line
/// before it that does.
///
/// Source: `pem.Decode`
fn decode(data: &[u8]) -> Option<(Block, &[u8])> {
    let mut rest = data;
    loop {
        let end = find(rest, END)?;
        let after_end = end + END.len();
        match block_before(rest, end) {
            Some(block) => {
                let (_, after) = line(&rest[after_end..]);
                return Some((block, after));
            }
            None => rest = &rest[after_end..],
        }
    }
}

/// Returns the block that ends with the line at `end`, the newline before it included.
fn block_before(data: &[u8], end: usize) -> Option<Block> {
    let start = data[..end].windows(BEGIN.len()).rposition(|window| window == BEGIN)?;
    if start > 0 && data[start - 1] != b'\n' {
        return None;
    }
    let (kind, mut body) = line(&data[start + BEGIN.len()..]);
    let kind = kind.strip_suffix(DASHES)?;
    let mut has_headers = false;
    loop {
        if body.is_empty() {
            return None;
        }
        let (header, after) = line(body);
        if !header.contains(&b':') {
            break;
        }
        has_headers = true;
        body = after;
    }
    let body_start = data.len() - body.len();
    // Without content, the newline before the end is that of the line before.
    if has_headers && body_start > end {
        return None;
    }
    let last = data[end + END.len()..].strip_prefix(kind)?.strip_prefix(DASHES)?;
    if !line(last).0.is_empty() {
        return None;
    }
    let content = data.get(body_start..end).unwrap_or_default();
    let encoded: Vec<u8> = content.iter().copied().filter(|byte| !b" \t\r\n".contains(byte)).collect();
    let bytes = STANDARD.decode(encoded).ok()?;
    Some(Block { kind: String::from_utf8_lossy(kind).into_owned(), bytes, has_headers })
}

fn find(data: &[u8], wanted: &[u8]) -> Option<usize> {
    data.windows(wanted.len()).position(|window| window == wanted)
}

/// Returns the first line, without blanks at its end, and what follows it.
fn line(data: &[u8]) -> (&[u8], &[u8]) {
    let (mut line, rest) = match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (data[..end].strip_suffix(b"\r").unwrap_or(&data[..end]), &data[end + 1..]),
        None => (data, &data[data.len()..]),
    };
    while let Some((b' ' | b'\t', before)) = line.split_last() {
        line = before;
    }
    (line, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_blocks_between_other_text() {
        let text = "x\n-----BEGIN A-----\nProc-Type: 4\n\nZm9v\n-----END A-----\n-----BEGIN B-----\n!\n-----END B-----\n\
                    -----BEGIN C D-----\nYm\nFy\n-----END C D-----";
        let block = |kind: &str, bytes: &str, has_headers: bool| Block {
            kind: kind.to_owned(),
            bytes: bytes.into(),
            has_headers,
        };
        assert_eq!(blocks(text), [block("A", "foo", true), block("C D", "bar", false)]);
        assert!(blocks(" -----BEGIN A-----\nZm9v\n-----END A-----").is_empty());
    }
}
