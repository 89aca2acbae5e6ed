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
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let begins_line = start == 0 || rest.as_bytes()[start - 1] == b'\n';
        rest = &rest[start + "-----BEGIN ".len()..];
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let Some(kind) = line.strip_suffix("-----").filter(|_| begins_line) else { continue };
        let Some((body, after)) = rest[line.len()..].split_once(&format!("-----END {kind}-----")) else {
            continue;
        };
        let headed = body.rsplit_once("\n\n").filter(|(headers, _)| headers.contains(':'));
        let body = headed.map_or(body, |(_, body)| body);
        let encoded: String = body.split_whitespace().collect();
        if let Ok(bytes) = STANDARD.decode(encoded) {
            blocks.push(Block { kind: kind.to_owned(), bytes, has_headers: headed.is_some() });
            rest = after;
        }
    }
    blocks
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
