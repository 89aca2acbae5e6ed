//! An index that is sorted and out of the way: most of it is in a temporary file.

use std::iter::{self, Peekable};
use std::sync::Arc;

use super::shelved::{Shelved, shelve};
use super::slots::ObjectNumber;
use gotext::varint;

/// The numbers of objects by hash, in every namespace. What was added stays: whoever looks something up checks that the
/// object still has it. There are some bytes for each in the temporary file, and one in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Frozen {
    /// The larger first.
    runs: Vec<Arc<Run>>,
    filter: Filter,
}

/// The number of a namespace, the hash, and the number of the object.
pub(super) type Entry = (u32, u32, ObjectNumber);

/// Sorted entries.
#[derive(Debug)]
struct Run {
    pages: Vec<Page>,
    count: usize,
    /// How often its entries were merged.
    level: u32,
}

#[derive(Debug)]
struct Page {
    /// Namespace and hash of the first entry.
    first: (u32, u32),
    bytes: Shelved,
}

/// The number of entries of a page.
const PAGE: usize = 256;

/// The number of runs of a level that are merged to one of the next.
const MERGED: usize = 4;

impl Frozen {
    /// Adds `entries`.
    pub(super) fn add(&mut self, mut entries: Vec<Entry>) {
        entries.sort_unstable();
        self.runs.push(Arc::new(Run::of(entries.into_iter(), 0)));
        while let Some(level) = self.runs.last().map(|run| run.level)
            && let start = self.runs.iter().position(|run| run.level == level).unwrap_or_default()
            && self.runs.len() - start >= MERGED
        {
            let merged = Run::of(merge(&self.runs[start..]), level + 1);
            self.runs.truncate(start);
            self.runs.push(Arc::new(merged));
        }
        let count = self.runs.iter().map(|run| run.count).sum();
        if self.filter.holds(count) {
            let last = self.runs.last().into_iter().flat_map(|run| run.entries(0));
            last.for_each(|entry| self.filter.add(entry));
        } else {
            self.filter = Filter::for_many(count);
            for entry in self.runs.iter().flat_map(|run| run.entries(0)) {
                self.filter.add(entry);
            }
        }
    }

    /// Returns the objects that had `hash` in a namespace.
    pub(super) fn find(&self, namespace: u32, hash: u32) -> impl Iterator<Item = ObjectNumber> {
        let runs = if self.filter.may_have(namespace, hash) { &*self.runs } else { &[] };
        runs.iter().flat_map(move |run| run.between((namespace, hash), (namespace, hash)))
    }

    /// Returns all objects of a namespace.
    pub(super) fn all(&self, namespace: u32) -> impl Iterator<Item = ObjectNumber> {
        self.runs.iter().flat_map(move |run| run.between((namespace, 0), (namespace, u32::MAX)))
    }
}

impl Run {
    fn of(mut entries: impl Iterator<Item = Entry>, level: u32) -> Self {
        let (mut pages, mut count) = (Vec::new(), 0);
        loop {
            let page: Vec<Entry> = entries.by_ref().take(PAGE).collect();
            let Some((namespace, hash, _)) = page.first() else { break };
            count += page.len();
            pages.push(Page { first: (*namespace, *hash), bytes: shelve(written(&page)) });
        }
        pages.shrink_to_fit();
        Self { pages, count, level }
    }

    /// Returns its entries from a page on.
    fn entries(&self, page: usize) -> impl Iterator<Item = Entry> {
        self.pages[page..].iter().flat_map(|page| read(&page.bytes.bytes()))
    }

    fn between(&self, from: (u32, u32), to: (u32, u32)) -> impl Iterator<Item = ObjectNumber> {
        // Equal hashes may begin at the end of the page before.
        let page = self.pages.partition_point(|page| page.first < from).saturating_sub(1);
        let entries = self.entries(page).map(|(namespace, hash, number)| ((namespace, hash), number));
        let entries = entries.skip_while(move |(key, _)| *key < from).take_while(move |(key, _)| *key <= to);
        entries.map(|(_, number)| number)
    }
}

/// Returns the entries of several runs, sorted, each once.
fn merge(runs: &[Arc<Run>]) -> impl Iterator<Item = Entry> {
    let mut runs: Vec<Peekable<_>> = runs.iter().map(|run| run.entries(0).peekable()).collect();
    iter::from_fn(move || {
        let next = runs.iter_mut().filter_map(|run| run.peek().copied()).min()?;
        for run in &mut runs {
            while run.next_if_eq(&next).is_some() {}
        }
        Some(next)
    })
}

/// Returns the bytes of `entries`, which are sorted.
fn written(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 * entries.len());
    let (mut namespace, mut hash) = (0, 0);
    for (next, next_hash, number) in entries {
        varint::push(&mut bytes, (next - namespace).into());
        if *next != namespace {
            (namespace, hash) = (*next, 0);
        }
        varint::push(&mut bytes, (next_hash - hash).into());
        hash = *next_hash;
        varint::push(&mut bytes, number.index() as u64);
    }
    bytes
}

fn read(mut bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(PAGE);
    let (mut namespace, mut hash) = (0, 0);
    while !bytes.is_empty() {
        let mut next = || u32::try_from(varint::take(&mut bytes)?).ok();
        let mut entry = || {
            let change = next()?;
            if change > 0 {
                (namespace, hash) = (namespace + change, 0);
            }
            hash += next()?;
            Some((namespace, hash, ObjectNumber::of(next()?)))
        };
        entries.push(entry().expect("bytes as they were written"));
    }
    entries
}

/// Which hashes an index may have. Most of those that are looked up are in none.
#[derive(Clone, Debug, Default)]
struct Filter(Vec<u64>);

impl Filter {
    /// The number of entries for each of its words.
    const PER_WORD: usize = 8;

    /// Returns a filter for `count` entries, and a quarter more.
    fn for_many(count: usize) -> Self {
        Self(vec![0; (count + count / 4) / Self::PER_WORD + 1])
    }

    fn holds(&self, count: usize) -> bool {
        count <= self.0.len() * Self::PER_WORD
    }

    fn add(&mut self, (namespace, hash, _): Entry) {
        if let Some((word, bits)) = self.place(namespace, hash) {
            self.0[word] |= bits;
        }
    }

    fn may_have(&self, namespace: u32, hash: u32) -> bool {
        self.place(namespace, hash).is_some_and(|(word, bits)| self.0[word] & bits == bits)
    }

    /// Returns the word for a hash, and its four bits there.
    fn place(&self, namespace: u32, hash: u32) -> Option<(usize, u64)> {
        let key = u64::from(namespace) << 32 | u64::from(hash);
        // The finalizer of MurmurHash3, which spreads every bit over all others.
        let key = (key ^ key >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let key = (key ^ key >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        let key = key ^ key >> 33;
        let bits = [0, 6, 12, 18].iter().fold(0, |bits, shift| bits | 1 << (key >> shift & 63));
        let word = (u128::from(key >> 24) * self.0.len() as u128) >> 40;
        (!self.0.is_empty()).then_some((usize::try_from(word).ok()?, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32) -> Entry {
        (number % 7, number.wrapping_mul(2_654_435_761) >> 12, ObjectNumber::of(number))
    }

    #[test]
    fn what_was_added_is_found() {
        let (mut frozen, count) = (Frozen::default(), 60_000);
        for start in (0..count).step_by(1000) {
            frozen.add((start..start + 1000).map(entry).collect());
        }
        assert_eq!(frozen.runs.iter().map(|run| run.level).collect::<Vec<_>>(), [2, 2, 2, 1, 1, 1]);
        let numbers = |found: Vec<ObjectNumber>| {
            let mut numbers: Vec<usize> = found.into_iter().map(ObjectNumber::index).collect();
            numbers.sort_unstable();
            numbers
        };
        let all: Vec<Entry> = (0..count).map(entry).collect();
        for (namespace, hash, _) in all.iter().step_by(977) {
            let same = all.iter().filter(|own| (own.0, own.1) == (*namespace, *hash));
            let same = numbers(same.map(|own| own.2).collect());
            assert_eq!(numbers(frozen.find(*namespace, *hash).collect()), same);
        }
        let of_namespace = all.iter().filter(|own| own.0 == 3).map(|own| own.2);
        assert_eq!(numbers(frozen.all(3).collect()), numbers(of_namespace.collect()));
        assert_eq!(frozen.all(7).count() + frozen.find(3, u32::MAX).count(), 0);
        let wrong = (0..count).filter(|hash| frozen.filter.may_have(8, *hash)).count();
        assert!(wrong < 3000, "{wrong}");
    }

    #[test]
    fn the_same_again_is_there_once() {
        let mut frozen = Frozen::default();
        for _ in 0..4 {
            frozen.add(vec![entry(5), entry(900)]);
        }
        assert_eq!(frozen.runs.iter().map(|run| run.count).collect::<Vec<_>>(), [2]);
        assert_eq!(Frozen::default().find(0, 0).count(), 0);
    }
}
