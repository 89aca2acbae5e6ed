//! The objects of a resource by number, in little memory.

use std::array;
use std::sync::Arc;

use super::packed::{Block, InBlock};
use super::shelved::{Shelved, shelve};
use super::stored::Stored;
use gotext::varint;

/// The number of a namespace and name among those of a resource, which takes less memory. It stays that of an object
/// that was removed, and is that of the next one with its name, unless its creation is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectNumber(u32);

impl ObjectNumber {
    pub(super) const FIRST: Self = Self(0);
    pub(super) const LAST: Self = Self(u32::MAX);

    /// Returns a number of a resource.
    pub(super) fn of(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number itself. The numbers of a resource have no gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The objects of a resource by number. A run may admit many and read few of them again, so all but the last ones are
/// kept as some bytes each.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    chunks: Vec<Chunk>,
    /// The number of slots.
    len: usize,
}

/// The slots of a chunk.
const SIZE: usize = 64;

/// Slots with consecutive numbers.
#[derive(Clone, Debug)]
enum Chunk {
    Open(Box<[Option<Stored>; SIZE]>),
    Closed(Closed),
}

/// Slots whose objects are all packed, as bytes: for each slot, which of the blocks has its object (from 1) and where,
/// or twice 0 if there is no object; whether some represent several equal objects, and if so the number of each; and the
/// places of the blocks, or 0 for one of those that are kept.
#[derive(Clone, Debug)]
struct Closed {
    bytes: Shelved,
    /// The blocks that are in memory.
    kept: Box<[Arc<Block>]>,
}

/// What the bytes of closed slots say.
struct Opened {
    places: [[u8; 2]; SIZE],
    counts: [u32; SIZE],
    blocks: Vec<Arc<Block>>,
}

impl Chunk {
    fn get(&self, position: usize) -> Option<Stored> {
        match self {
            Self::Open(slots) => slots[position].clone(),
            Self::Closed(closed) => closed.open().get(position),
        }
    }

    fn open(&mut self) -> &mut [Option<Stored>; SIZE] {
        if let Self::Closed(closed) = self {
            let opened = closed.open();
            *self = Self::Open(Box::new(array::from_fn(|position| opened.get(position))));
        }
        match self {
            Self::Open(slots) => slots,
            Self::Closed(_) => unreachable!("it was opened"),
        }
    }
}

impl Closed {
    /// Returns nothing if an object is not packed.
    fn of(slots: &[Option<Stored>; SIZE]) -> Option<Self> {
        let (mut bytes, mut blocks) = (Vec::with_capacity(4 * SIZE), Vec::<Arc<Block>>::new());
        for slot in slots {
            let Some(stored) = slot else {
                bytes.extend([0, 0]);
                continue;
            };
            let InBlock { block, position } = stored.packed()?;
            let known = blocks.iter().rposition(|known| known.is(&block));
            let number = known.unwrap_or_else(|| {
                blocks.push(block);
                blocks.len() - 1
            });
            bytes.extend([u8::try_from(number + 1).ok()?, position.try_into().ok()?]);
        }
        let count = |slot: &Option<Stored>| slot.as_ref().map_or(1, Stored::short_count);
        let has_many = slots.iter().any(|slot| count(slot) != 1);
        bytes.push(has_many.into());
        for slot in slots.iter().filter(|_| has_many) {
            varint::push(&mut bytes, count(slot).into());
        }
        blocks.retain(|block| !block.write_place(&mut bytes));
        Some(Self { bytes: shelve(bytes), kept: blocks.into() })
    }

    fn open(&self) -> Opened {
        Opened::of(&self.bytes.bytes(), &self.kept).expect("bytes as they were written")
    }
}

impl Opened {
    fn of(bytes: &[u8], kept: &[Arc<Block>]) -> Option<Self> {
        let (places, rest) = bytes.split_at_checked(2 * SIZE)?;
        let (has_many, mut rest) = rest.split_first()?;
        let mut counts = [1; SIZE];
        for count in counts.iter_mut().filter(|_| *has_many == 1) {
            *count = u32::try_from(varint::take(&mut rest)?).ok()?;
        }
        let (mut kept, mut blocks) = (kept.iter().cloned(), Vec::new());
        while !rest.is_empty() {
            blocks.push(Block::read_place(&mut rest).map(Arc::new).or_else(|| kept.next())?);
        }
        Some(Self { places: places.as_chunks().0.try_into().ok()?, counts, blocks })
    }

    fn get(&self, position: usize) -> Option<Stored> {
        let [number, own] = self.places[position];
        let block = self.blocks[usize::from(number).checked_sub(1)?].clone();
        Some(Stored::Packed { block, count: self.counts[position], position: own.into() })
    }
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the object with this number.
    pub(super) fn get(&self, number: usize) -> Option<Stored> {
        self.chunks.get(number / SIZE)?.get(number % SIZE)
    }

    /// Returns the slot with this number, to be changed.
    pub(super) fn get_mut(&mut self, number: usize) -> &mut Option<Stored> {
        &mut self.chunks[number / SIZE].open()[number % SIZE]
    }

    /// Adds a slot without an object, and returns its number.
    pub(super) fn push(&mut self) -> usize {
        if self.len == self.chunks.len() * SIZE {
            self.chunks.push(Chunk::Open(Box::new([const { None }; SIZE])));
            // Its objects may have been packed before.
            self.close(self.len.saturating_sub(1));
        }
        self.len += 1;
        self.len - 1
    }

    /// Removes the last slot.
    pub(super) fn pop(&mut self) {
        self.len -= 1;
        *self.get_mut(self.len) = None;
    }

    /// Closes the chunk of a slot if all of its objects are packed, unless it is the last one.
    pub(super) fn close(&mut self, number: usize) {
        let number = number / SIZE;
        if number + 1 < self.chunks.len()
            && let Chunk::Open(slots) = &self.chunks[number]
            // The last ones were written last.
            && slots.iter().rev().flatten().all(|stored| stored.tree().is_none())
            && let Some(closed) = Closed::of(slots)
        {
            self.chunks[number] = Chunk::Closed(closed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::{GroupVersionKind, Object};

    #[test]
    fn closed_slots_are_as_they_were() {
        let object = |number: usize| {
            let value = json!({"metadata": {"name": format!("map-{number}")}});
            Arc::new(Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value))
        };
        let count = 3 * SIZE;
        let objects: Vec<_> = (0..count).map(object).collect();
        let packed = objects.chunks(Block::SIZE).flat_map(Block::pack);
        let mut slots = Slots::default();
        for (number, (object, packed)) in objects.iter().zip(packed).enumerate() {
            assert_eq!(slots.push(), number);
            let mut stored = Stored::new(object.clone());
            stored.set_count(if number < SIZE { 1 } else { number as u64 });
            if number != 2 * SIZE {
                stored.replace(object, packed);
            }
            *slots.get_mut(number) = Some(stored).filter(|_| !number.is_multiple_of(10));
        }
        for number in 0..count {
            slots.close(number);
        }
        let is_closed = |chunk: &Chunk| matches!(chunk, Chunk::Closed(_));
        assert_eq!(slots.chunks.iter().map(is_closed).collect::<Vec<_>>(), [true, true, false]);
        for (number, object) in objects.iter().enumerate() {
            let stored = slots.get(number);
            assert_eq!(stored.is_none(), number.is_multiple_of(10));
            if let Some(stored) = stored {
                assert_eq!(
                    (stored.object(), stored.count()),
                    (object.clone(), if number < SIZE { 1 } else { number as u64 })
                );
            }
        }
        *slots.get_mut(1) = None;
        assert!(!is_closed(&slots.chunks[0]) && slots.get(1).is_none() && slots.get(2).is_some());
    }

    #[test]
    fn what_is_kept_of_every_object_is_small() {
        assert_eq!(size_of::<Chunk>(), 40);
    }
}
