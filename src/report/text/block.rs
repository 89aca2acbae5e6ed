//! The text about an object, before the texts of earlier objects are known, some of which it need not repeat.

use sha2::{Digest as _, Sha256};

/// The text about an object and about the requests of controllers for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Whether a request in it is refused, so that it comes last.
    pub(super) is_refused: bool,
    /// Whether it is more than a headline.
    pub(super) has_body: bool,
    /// The relation to the object of the manifest, if requests of controllers have outcomes of their own.
    pub(super) relation: Relation,
    pub(super) parts: Vec<Part>,
}

/// The relation of a block to the object of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Relation {
    /// All that is known of the object and its controllers is in the block.
    #[default]
    Whole,
    /// The outcomes of controllers' requests for the object come later, and decide the headline, which is left out.
    Pending { object: String, subject: String, place: String },
    /// It is such an outcome; with the kind that is denied, how often, and of how many.
    Later { object: String, denied: Option<(String, usize, usize)> },
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Lines as they are.
    Lines(Vec<u8>),
    /// Text that an earlier block may have.
    Again(Again),
}

/// Long text that is the same for many objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Again {
    /// The key, which is equal for equal texts.
    pub(super) key: TextHash,
    /// What it says of the object.
    pub(super) about: About,
    /// Columns to the left of it.
    pub(super) indent: usize,
    /// The plugin.
    pub(super) label: String,
    /// A summary in a few words.
    pub(super) brief: String,
    /// The object that it is about.
    pub(super) subject: String,
    /// The names in it that the key leaves out.
    pub(super) names: Vec<String>,
    /// The whole text, in lines.
    pub(super) lines: Vec<u8>,
}

/// What a text says of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Change,
    Warning,
    Refusal,
}

/// A key that distinguishes texts.
pub(super) type TextHash = [u8; 32];

/// Returns the key of a text with these `parts`.
pub(super) fn key<'a>(parts: impl Iterator<Item = &'a str>) -> TextHash {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize().into()
}

const LINES: u8 = 0;
const CHANGE: u8 = 1;
const WARNING: u8 = 2;
const REFUSAL: u8 = 3;

impl Block {
    /// Appends lines to the last ones.
    pub(super) fn push_lines(&mut self, lines: &[u8]) {
        match self.parts.last_mut() {
            Some(Part::Lines(last)) => last.extend_from_slice(lines),
            _ => self.parts.push(Part::Lines(lines.to_vec())),
        }
    }

    /// Appends the block to `bytes`, from which [`take`](Self::take) reads it.
    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend([u8::from(self.is_refused), u8::from(self.has_body)]);
        self.relation.put(bytes);
        put_number(bytes, self.parts.len());
        for part in &self.parts {
            match part {
                Part::Lines(lines) => {
                    bytes.push(LINES);
                    put_bytes(bytes, lines);
                }
                Part::Again(again) => {
                    bytes.push(match again.about {
                        About::Change => CHANGE,
                        About::Warning => WARNING,
                        About::Refusal => REFUSAL,
                    });
                    bytes.extend(again.key);
                    put_number(bytes, again.indent);
                    for text in [&again.label, &again.brief, &again.subject] {
                        put_bytes(bytes, text.as_bytes());
                    }
                    put_number(bytes, again.names.len());
                    again.names.iter().for_each(|name| put_bytes(bytes, name.as_bytes()));
                    put_bytes(bytes, &again.lines);
                }
            }
        }
    }

    /// Takes the first block from the front of `bytes`; nothing at their end.
    pub(super) fn take(bytes: &mut &[u8]) -> Option<Self> {
        let [is_refused, has_body] = take_array(bytes)?;
        let relation = Relation::take(bytes)?;
        let count = take_number(bytes)?;
        let parts = (0..count).map(|_| Part::take(bytes)).collect::<Option<_>>()?;
        Some(Self { is_refused: is_refused != 0, has_body: has_body != 0, relation, parts })
    }
}

const WHOLE: u8 = 0;
const PENDING: u8 = 1;
const ADMITTED_LATER: u8 = 2;
const DENIED_LATER: u8 = 3;

impl Relation {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Whole => bytes.push(WHOLE),
            Self::Pending { object, subject, place } => {
                bytes.push(PENDING);
                for text in [object, subject, place] {
                    put_bytes(bytes, text.as_bytes());
                }
            }
            Self::Later { object, denied: None } => {
                bytes.push(ADMITTED_LATER);
                put_bytes(bytes, object.as_bytes());
            }
            Self::Later { object, denied: Some((kind, denied, all)) } => {
                bytes.push(DENIED_LATER);
                for text in [object, kind] {
                    put_bytes(bytes, text.as_bytes());
                }
                for count in [*denied, *all] {
                    put_number(bytes, count);
                }
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(match take_array(bytes)? {
            [WHOLE] => Self::Whole,
            [PENDING] => Self::Pending {
                object: take_text(bytes)?,
                subject: take_text(bytes)?,
                place: take_text(bytes)?,
            },
            [ADMITTED_LATER] => Self::Later { object: take_text(bytes)?, denied: None },
            _ => Self::Later {
                object: take_text(bytes)?,
                denied: Some((take_text(bytes)?, take_number(bytes)?, take_number(bytes)?)),
            },
        })
    }
}

impl Part {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let [tag] = take_array(bytes)?;
        if tag == LINES {
            return Some(Self::Lines(take_bytes(bytes)?.to_vec()));
        }
        Some(Self::Again(Again {
            key: take_array(bytes)?,
            about: match tag {
                WARNING => About::Warning,
                REFUSAL => About::Refusal,
                _ => About::Change,
            },
            indent: take_number(bytes)?,
            label: take_text(bytes)?,
            brief: take_text(bytes)?,
            subject: take_text(bytes)?,
            names: {
                let count = take_number(bytes)?;
                (0..count).map(|_| take_text(bytes)).collect::<Option<_>>()?
            },
            lines: take_bytes(bytes)?.to_vec(),
        }))
    }
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(number.to_le_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    put_number(bytes, part.len());
    bytes.extend_from_slice(part);
}

fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    take_array(bytes).map(usize::from_le_bytes)
}

fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(bytes)?;
    let (first, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(first)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    String::from_utf8(take_bytes(bytes)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_they_were_put() {
        let again = Again {
            key: key(["a", "b"].into_iter()),
            about: About::Warning,
            indent: 2,
            label: "LimitRanger".to_owned(),
            brief: "changed it".to_owned(),
            subject: "Pod a/b".to_owned(),
            names: vec!["c".to_owned(), "d".to_owned()],
            lines: b"+ a\n".to_vec(),
        };
        let mut first = Block { is_refused: true, ..Block::default() };
        first.push_lines(b"one\n");
        first.push_lines(b"two\n");
        first.parts.push(Part::Again(again));
        let text = str::to_owned;
        let relations = [
            Relation::Whole,
            Relation::Pending { object: text("a"), subject: text("b"), place: text("c") },
            Relation::Later { object: text("a"), denied: None },
            Relation::Later { object: text("a"), denied: Some((text("Pod"), 1, 2)) },
        ];
        let mut bytes = Vec::new();
        first.put(&mut bytes);
        let others = relations.map(|relation| Block { has_body: true, relation, ..Block::default() });
        for block in &others {
            block.put(&mut bytes);
        }
        let mut rest = &bytes[..];
        for block in [first].into_iter().chain(others) {
            assert_eq!(Block::take(&mut rest), Some(block));
        }
        assert_eq!(Block::take(&mut rest), None);
    }
}
