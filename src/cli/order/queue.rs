//! Documents that wait for their turn, in little memory.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::{Kept, Unit};
use crate::cli::cache::Print;
use crate::cluster::{Shelved, shelve};
use gotext::varint;
use kube_yaml::{Origins, UnreadParts};

/// A document, the number of its rank, and its print.
pub(super) type Ranked = (u32, Unit, Option<Box<Print>>);

/// Consecutive documents in the order of writing.
#[derive(Default)]
pub(super) struct Section {
    count: usize,
    /// For each, twice the number of its rank, plus one if it is not unread.
    ranks: Vec<u8>,
    unread: UnreadParts,
    others: Others,
}

/// What there is of few documents, by their positions.
#[derive(Default)]
struct Others {
    /// Those that are not unread.
    kept: BTreeMap<usize, Box<Kept>>,
    prints: BTreeMap<usize, Box<Print>>,
}

/// A section that waits. There may be many documents, so what each has is out of the way.
struct Waiting {
    count: usize,
    /// The number of those that had their turn.
    taken: usize,
    ranks: Shelved,
    unread: Shelved,
    origins: Origins,
    others: Others,
}

/// The number of documents from which on a section gets no others.
const FULL: usize = 2048;

impl Section {
    fn append(&mut self, other: Self) {
        let before = self.count;
        self.count += other.count;
        self.ranks.extend_from_slice(&other.ranks);
        self.unread.append(other.unread);
        let Others { kept, prints } = other.others;
        self.others.kept.extend(kept.into_iter().map(|(position, kept)| (before + position, kept)));
        self.others.prints.extend(prints.into_iter().map(|(position, print)| (before + position, print)));
    }
}

impl From<Section> for Waiting {
    fn from(section: Section) -> Self {
        let Section { count, ranks, unread, others } = section;
        let (origins, unread) = unread.split();
        Self { count, taken: 0, ranks: shelve(ranks), unread: shelve(unread), origins, others }
    }
}

impl Waiting {
    /// Removes the documents whose rank `is_due`.
    fn take(&mut self, is_due: impl Fn(u32) -> bool) -> Vec<(Unit, Option<Box<Print>>)> {
        let (ranks, unread) = (self.ranks.bytes(), self.unread.bytes());
        let (mut ranks, mut unread) = (&*ranks, self.origins.parts(&unread));
        let mut due = Vec::new();
        for position in 0..self.count {
            let rank = varint::take(&mut ranks).expect("one for each document");
            let part = if rank & 1 == 0 { unread.next() } else { None };
            if is_due(u32::try_from(rank >> 1).expect("the number of a rank")) {
                let unit = match part {
                    Some(part) => Unit::Unread(part),
                    None => Unit::Kept(self.others.kept.remove(&position).expect("each has one turn")),
                };
                due.push((unit, self.others.prints.remove(&position)));
            }
        }
        self.taken += due.len();
        due
    }

    /// Returns the turns in it, of which `turn_of` returns the one of a rank.
    fn turns(&self, turn_of: impl Fn(u32) -> usize) -> BTreeSet<usize> {
        let ranks = self.ranks.bytes();
        let mut ranks = &*ranks;
        let ranks = (0..self.count).filter_map(|_| u32::try_from(varint::take(&mut ranks)? >> 1).ok());
        ranks.map(turn_of).collect()
    }
}

impl FromIterator<Ranked> for Section {
    fn from_iter<T: IntoIterator<Item = Ranked>>(documents: T) -> Self {
        let mut section = Self::default();
        for (rank, unit, print) in documents {
            let position = section.count;
            section.count += 1;
            let is_kept = match unit {
                Unit::Unread(part) => {
                    section.unread.push(&part);
                    false
                }
                Unit::Kept(kept) => section.others.kept.insert(position, kept).is_none(),
            };
            varint::push(&mut section.ranks, u64::from(rank) << 1 | u64::from(is_kept));
            section.others.prints.extend(print.map(|print| (position, print)));
        }
        section
    }
}

/// All documents, in the order of writing.
#[derive(Default)]
pub(super) struct Queue {
    full: Vec<Waiting>,
    last: Section,
}

impl Queue {
    /// Adds the documents of `section`.
    pub(super) fn add(&mut self, section: Section) {
        if self.last.count >= FULL {
            self.full.push(mem::replace(&mut self.last, section).into());
        } else {
            self.last.append(section);
        }
    }

    /// Returns the number of documents.
    pub(super) fn len(&self) -> usize {
        self.full.iter().map(|section| section.count).sum::<usize>() + self.last.count
    }

    /// Returns the documents by the turns of their ranks; those of the same turn stay as they are written. Each turn is
    /// one pass over the sections that have it, as there are few.
    pub(super) fn sorted(self, turns: Vec<usize>) -> impl Iterator<Item = (Unit, Option<Box<Print>>)> {
        let turn_of = move |rank: u32| turns[rank as usize];
        let Self { full: mut sections, last } = self;
        sections.push(last.into());
        let mut visits = Vec::new();
        for (place, section) in sections.iter().enumerate() {
            visits.extend(section.turns(&turn_of).into_iter().map(|turn| (turn, place)));
        }
        visits.sort_unstable();
        visits.into_iter().flat_map(move |(turn, place)| {
            let section = &mut sections[place];
            let due = section.take(|rank| turn_of(rank) == turn);
            if section.taken == section.count {
                // What is evaluated needs the memory.
                *section = Section::default().into();
            }
            due
        })
    }
}

/// Returns the position of each key among the different ones, in their order.
pub(super) fn turns<K: Ord>(keys: &[K]) -> Vec<usize> {
    let different: BTreeSet<&K> = keys.iter().collect();
    let different: Vec<&K> = different.into_iter().collect();
    keys.iter().map(|key| different.partition_point(|other| *other < key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;
    use crate::report::Diagnostic;
    use gotext::source::{SourceFile, Span};
    use kube_yaml::{Format, Part, UnreadPart};

    fn document(number: usize, source: &std::sync::Arc<SourceFile>) -> Ranked {
        let span = Span::new(number * 10..number * 10 + 9);
        let part = Part { source: source.clone(), index: number, span, format: Format::Yaml };
        let unread = UnreadPart::of(&part, None).filter(|_| !number.is_multiple_of(11));
        let error = || Diagnostic::input(Code::ManifestYaml, number.to_string());
        let unit = unread.map_or_else(|| Kept::Item(Err(error())).into(), Unit::Unread);
        (u32::try_from(number * 7 % 5).expect("a small number"), unit, None)
    }

    #[test]
    fn documents_come_by_their_keys_and_else_as_they_are_written() {
        let sources = ["a.yaml", "b.yaml"].map(|name| SourceFile::at(name.as_ref(), String::new()));
        let count = 3 * FULL;
        let mut queue = Queue::default();
        for start in (0..count).step_by(10) {
            let numbers = start..count.min(start + 10);
            queue.add(numbers.map(|number| document(number, &sources[start / 10 % 2])).collect());
        }
        assert_eq!(queue.len(), count);
        assert!(queue.full.len() < 4, "small sections are joined");
        // Ranks 1 and 3 have the same key.
        let keys = ["c", "b", "a", "b", "d"];
        let mut expected: Vec<usize> = (0..count).collect();
        expected.sort_by_key(|number| keys[number * 7 % 5]);
        let number = |(unit, _): (Unit, _)| match unit {
            Unit::Unread(part) => part.document(),
            Unit::Kept(kept) => match *kept {
                Kept::Item(Err(error)) => error.message.parse().expect("a number"),
                _ => panic!("neither was added"),
            },
        };
        assert_eq!(queue.sorted(turns(&keys)).map(number).collect::<Vec<_>>(), expected);
    }
}
