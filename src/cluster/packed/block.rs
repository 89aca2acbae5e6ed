//! Objects that are compressed together.

use std::cell::RefCell;
use std::sync::Arc;

use kube_api::{Object, secret};

use super::names::Named;
use super::{Reader, TYPICAL_SIZE, Writer};
use crate::cluster::shelved::{FilePlace, Shelved, shelve};
use gotext::varint;

/// Objects as compressed bytes. They are compressed together since manifests repeat each other more than themselves:
/// together they use about a tenth of the packed bytes, alone about the half.
#[derive(Debug)]
pub(in crate::cluster) struct Block {
    compressed: Shelved,
    /// The number of bytes before compression: the lengths of the objects, and each of them after its name.
    size: u32,
    count: u16,
}

/// An object of a block.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct InBlock {
    pub(in crate::cluster) block: Arc<Block>,
    pub(in crate::cluster) position: u16,
}

impl InBlock {
    /// Whether both are the same object of the same block.
    pub(in crate::cluster) fn is(&self, other: &Self) -> bool {
        self.position == other.position && self.block.is(&other.block)
    }
}

/// The number of blocks that a thread keeps unpacked.
const MAX_KEPT: usize = 8;

thread_local! {
    /// The blocks that this thread read last, the latest first. Objects that were written together are often read
    /// together.
    static LATEST: RefCell<Vec<(Arc<Block>, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

impl Block {
    /// The number of objects that a block should have: reading one of them unpacks all.
    pub(in crate::cluster) const SIZE: usize = 32;

    /// Packs `objects` into one block and returns its objects.
    pub(in crate::cluster) fn pack(objects: &[Arc<Object>]) -> Vec<InBlock> {
        let mut bytes = Vec::with_capacity(TYPICAL_SIZE * objects.len());
        bytes.resize(size_of::<u32>() * objects.len(), 0);
        let mut writer = Writer { bytes, names: Named::default() };
        for (position, object) in objects.iter().enumerate() {
            let start = writer.bytes.len();
            writer.length(object.name().len());
            writer.bytes.extend_from_slice(object.name().as_bytes());
            writer.object(object);
            let length = short(writer.bytes.len() - start);
            writer.bytes.as_chunks_mut().0[position] = length.to_le_bytes();
        }
        let size = short(writer.bytes.len());
        let count = objects.len().try_into().expect("a block has few objects");
        let compressed = lz4_flex::compress(&writer.bytes);
        let is_secret = objects.iter().any(|object| secret::may_be_kept_in(&object.kind));
        let compressed =
            if is_secret { Shelved::in_memory(compressed.into_boxed_slice()) } else { shelve(compressed) };
        let block = Arc::new(Self { compressed, size, count });
        (0..count).map(|position| InBlock { block: block.clone(), position }).collect()
    }

    /// Whether both are the same block.
    pub(in crate::cluster) fn is(&self, other: &Self) -> bool {
        self.compressed.is(&other.compressed)
    }

    /// Writes which part of the file the block is, or 0 if it is in memory. Returns whether it is in the file.
    pub(in crate::cluster) fn write_place(&self, bytes: &mut Vec<u8>) -> bool {
        let Shelved::File(FilePlace { offset, length }) = self.compressed else {
            bytes.push(0);
            return false;
        };
        for number in [length.into(), offset, self.size.into(), self.count.into()] {
            varint::push(bytes, number);
        }
        true
    }

    /// Reads what [`write_place`](Self::write_place) wrote, and removes it from `bytes`. Returns the block if it is in the
    /// file.
    pub(in crate::cluster) fn read_place(bytes: &mut &[u8]) -> Option<Self> {
        let short = |bytes: &mut &[u8]| u32::try_from(varint::take(bytes)?).ok();
        let length = short(bytes).filter(|length| *length > 0)?;
        let compressed = Shelved::File(FilePlace { offset: varint::take(bytes)?, length });
        Some(Self { compressed, size: short(bytes)?, count: short(bytes)?.try_into().ok()? })
    }

    fn unpacked(&self) -> Vec<u8> {
        let compressed = self.compressed.bytes();
        lz4_flex::decompress(&compressed, self.size as usize).expect("bytes as they were compressed")
    }

    /// Passes the bytes of one of its objects, behind the name, to `read`.
    fn with_bytes<T>(self: &Arc<Self>, position: u16, read: impl FnOnce(&str, &[u8]) -> T) -> T {
        LATEST.with_borrow_mut(|latest| {
            if let Some(known) = latest.iter().position(|(block, _)| block.is(self)) {
                latest[..=known].rotate_right(1);
            } else {
                latest.truncate(MAX_KEPT - 1);
                latest.insert(0, (self.clone(), self.unpacked()));
            }
            let bytes = &latest[0].1;
            let (lengths, objects) = bytes.split_at(size_of::<u32>() * usize::from(self.count));
            let mut lengths = lengths.as_chunks().0.iter().map(|length| u32::from_le_bytes(*length) as usize);
            let start: usize = lengths.by_ref().take(position.into()).sum();
            let mut reader = Reader::new(&objects[start..start + lengths.next().unwrap_or_default()]);
            let name = reader.own_name().expect("bytes as they were written");
            read(name, reader.bytes)
        })
    }

    /// Returns one of its objects, unpacked.
    pub(in crate::cluster) fn object(self: &Arc<Self>, position: u16) -> Object {
        self.with_bytes(position, |_, bytes| Reader::new(bytes).object().expect("bytes as they were written"))
    }

    /// Passes the name of one of its objects to `read`.
    pub(in crate::cluster) fn with_name<T>(
        self: &Arc<Self>,
        position: u16,
        read: impl FnOnce(&str) -> T,
    ) -> T {
        self.with_bytes(position, |name, _| read(name))
    }
}

fn short(length: usize) -> u32 {
    length.try_into().expect("the objects of a block have megabytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn objects_that_were_packed_together_are_unpacked_one_by_one() {
        let kind = || GroupVersionKind::new("", "v1", "ConfigMap");
        let objects: Vec<_> = (0..2 * MAX_KEPT)
            .map(|number| json!({"metadata": {"name": format!("map-{number}")}, "data": {"a": "b".repeat(number)}}))
            .map(|value| Arc::new(Object::new(kind(), value)))
            .collect();
        let blocks: Vec<Vec<InBlock>> = objects.chunks(1).chain([&objects[..]]).map(Block::pack).collect();
        let last = blocks.last().expect("the block of all");
        assert!(
            last.iter()
                .zip(&objects)
                .all(|(packed, object)| packed.block.object(packed.position) == **object)
        );
        for (packed, object) in blocks.iter().zip(&objects) {
            assert_eq!(packed[0].block.object(0), **object, "and after others");
        }
        assert!(Block::pack(&[]).is_empty());
    }

    #[test]
    fn what_repeats_takes_little() {
        let value =
            json!({"metadata": {"name": "map"}, "data": {"a": "0123456789abcdefghijklmnopqrstuvwxyz"}});
        let object = Arc::new(Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value));
        let packed = Block::pack(&vec![object; Block::SIZE]);
        let size = packed[0].block.compressed.bytes().len();
        assert!(size < 4 * Block::SIZE, "{size}");
    }
}
