//! What was applied to the objects of a resource, in little memory.

use std::collections::VecDeque;

use super::Entry;
use crate::cluster::{ObjectNumber, Shelved, shelve};
use crate::evaluation::place::RememberedPlace;
use kube_yaml::{Origins, UnreadParts};

/// What was applied to the objects of a resource, by their numbers. A run may apply many manifests and look few of them up
/// again, so all but the last chunks are closed: their places are packed as some bytes each, and out of the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    /// By the number of the first object; nothing for objects to which nothing was applied.
    chunks: Vec<Option<Box<Chunk>>>,
    /// The numbers of the open chunks, in the order of their opening.
    open: VecDeque<usize>,
}

/// What was applied to objects with consecutive numbers.
#[derive(Clone, Debug)]
enum Chunk {
    Open(Box<[Option<Entry>; SIZE]>),
    Closed(Closed),
}

/// The number of objects of a chunk, of which each has a bit in a number.
const SIZE: usize = 64;

/// The number of chunks that stay open. Controllers write objects whose numbers are between those of manifests.
const MAX_OPEN: usize = 2;

#[derive(Clone, Debug)]
struct Closed {
    /// The positions that have an entry.
    present: u64,
    /// The places that can be packed.
    places: Shelved,
    /// Their files.
    origins: Origins,
    /// The other entries by position.
    others: Box<[(usize, Entry)]>,
}

impl Entries {
    /// Returns what was applied to an object.
    pub(super) fn get(&self, number: ObjectNumber) -> Option<Entry> {
        let (chunk, position) = (number.index() / SIZE, number.index() % SIZE);
        match &**self.chunks.get(chunk)?.as_ref()? {
            Chunk::Open(entries) => entries[position].clone(),
            Chunk::Closed(closed) if closed.has(position) => closed.open()[position].take(),
            Chunk::Closed(_) => None,
        }
    }

    /// Sets what was applied to an object.
    pub(super) fn set(&mut self, number: ObjectNumber, entry: Option<Entry>) {
        let (chunk, position) = (number.index() / SIZE, number.index() % SIZE);
        if entry.is_none() && self.chunks.get(chunk).is_none_or(Option::is_none) {
            return;
        }
        self.open(chunk)[position] = entry;
    }

    /// Opens a chunk, and closes another one if there are many.
    fn open(&mut self, number: usize) -> &mut [Option<Entry>; SIZE] {
        if self.chunks.len() <= number {
            self.chunks.resize_with(number + 1, || None);
        }
        if !matches!(self.chunks[number].as_deref(), Some(Chunk::Open(_))) {
            let entries = match self.chunks[number].as_deref() {
                Some(Chunk::Closed(closed)) => closed.open(),
                _ => Box::new([const { None }; SIZE]),
            };
            self.chunks[number] = Some(Box::new(Chunk::Open(entries)));
            self.open.push_back(number);
            if self.open.len() > MAX_OPEN
                && let Some(old) = self.open.pop_front()
                && let Some(Chunk::Open(entries)) = self.chunks[old].as_deref_mut()
            {
                self.chunks[old] = Closed::of(entries).map(Chunk::Closed).map(Box::new);
            }
        }
        match self.chunks[number].as_deref_mut() {
            Some(Chunk::Open(entries)) => entries,
            _ => unreachable!("it was opened"),
        }
    }
}

impl Closed {
    /// Returns nothing if there are no entries.
    fn of(entries: &mut [Option<Entry>; SIZE]) -> Option<Self> {
        let (mut present, mut places, mut others) = (0, UnreadParts::default(), Vec::new());
        for (position, entry) in entries.iter_mut().enumerate() {
            let Some(entry) = entry.take() else { continue };
            present |= 1 << position;
            let Entry::New(RememberedPlace::Unread(part)) = &entry else {
                others.push((position, entry));
                continue;
            };
            places.push(part);
        }
        let (origins, bytes) = places.split();
        let closed = Self { present, places: shelve(bytes), origins, others: others.into() };
        (present != 0).then_some(closed)
    }

    fn has(&self, position: usize) -> bool {
        self.present & 1 << position != 0
    }

    fn open(&self) -> Box<[Option<Entry>; SIZE]> {
        let mut entries = Box::new([const { None }; SIZE]);
        for (position, entry) in &self.others {
            entries[*position] = Some(entry.clone());
        }
        let bytes = self.places.bytes();
        let mut places = self.origins.parts(&bytes);
        for (position, entry) in entries.iter_mut().enumerate() {
            if self.has(position) && entry.is_none() {
                *entry = places.next().map(|part| Entry::New(RememberedPlace::Unread(part)));
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::evaluation::Place;
    use gotext::source::{SourceFile, Span};
    use kube_api::Map;
    use kube_api::resources::NAMESPACES;
    use kube_yaml::{Format, Part, UnreadPart};

    #[test]
    fn entries_are_found_by_number() {
        let cluster = Cluster::new();
        let numbers: Vec<_> =
            (0..1000).map(|name| cluster.number(&NAMESPACES, "", &format!("n{name}"))).collect();
        let sources = ["a.yaml", "b.yaml"].map(|name| SourceFile::at(name.as_ref(), String::new()));
        let unread = |index: usize| {
            let source = sources[index / 7 % 2].clone();
            let span = Span::new(index * 1000..index * 1001);
            UnreadPart::of(&Part { source, index, span, format: Format::Json }, Some(index)).expect("a file")
        };
        let entry = |index: usize| match index % 10 {
            0 => Entry::of(RememberedPlace::of(&Place::unread("-", index, 1, 0)), Map::new(), true),
            1 => Entry::of(RememberedPlace::Unread(unread(index)), Map::new(), false),
            _ => Entry::New(RememberedPlace::Unread(unread(index))),
        };
        let mut entries = Entries::default();
        // 97 has no divisor in common with the number of objects.
        for index in (0..numbers.len()).map(|step| step * 97 % numbers.len()).filter(|index| index % 3 > 0) {
            entries.set(numbers[index], Some(entry(index)));
        }
        entries.set(numbers[1], None);
        let shown = |entry: Option<Entry>| format!("{entry:?}");
        for (index, number) in numbers.iter().enumerate() {
            let expected = (index % 3 > 0 && index > 1).then(|| entry(index));
            assert_eq!(shown(entries.get(*number)), shown(expected), "{index}");
        }
        assert_eq!(entries.open.len(), MAX_OPEN);
    }

    #[test]
    fn what_is_remembered_of_every_object_is_small() {
        assert!(size_of::<Closed>() <= 2 * SIZE, "besides the bytes of its places");
    }
}
