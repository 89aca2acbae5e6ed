//! Objects that are compressed together.

use std::cell::RefCell;
use std::sync::Arc;

use kube_api::Object;

use super::names::Named;
use super::{Reader, TYPICAL_SIZE, Writer};

/// Objects as compressed bytes. They are compressed together since manifests repeat each other more than themselves:
/// together they use about a tenth of the packed bytes, alone about the half.
#[derive(Debug)]
pub(in crate::cluster) struct Block {
    compressed: Box<[u8]>,
    /// The ends of the objects in the bytes before compression.
    ends: Box<[usize]>,
}

/// An object of a block.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct InBlock {
    pub(in crate::cluster) block: Arc<Block>,
    pub(in crate::cluster) position: u32,
}

impl InBlock {
    /// Whether both are the same object of the same block.
    pub(in crate::cluster) fn is(&self, other: &Self) -> bool {
        self.position == other.position && Arc::ptr_eq(&self.block, &other.block)
    }
}

/// The number of blocks that a thread keeps unpacked.
const MOST_KEPT: usize = 8;

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
        let bytes = Vec::with_capacity(TYPICAL_SIZE * objects.len());
        let mut writer = Writer { bytes, names: Named::default() };
        let mut ends = Vec::with_capacity(objects.len());
        for object in objects {
            writer.object(object);
            ends.push(writer.bytes.len());
        }
        let compressed = lz4_flex::compress(&writer.bytes).into_boxed_slice();
        let block = Arc::new(Self { compressed, ends: ends.into_boxed_slice() });
        (0..).take(objects.len()).map(|position| InBlock { block: block.clone(), position }).collect()
    }

    fn unpacked(&self) -> Vec<u8> {
        let size = self.ends.last().copied().unwrap_or_default();
        lz4_flex::decompress(&self.compressed, size).expect("bytes as they were compressed")
    }

    /// Returns one of its objects, unpacked.
    pub(in crate::cluster) fn object(self: &Arc<Self>, position: u32) -> Object {
        LATEST.with_borrow_mut(|latest| {
            if let Some(known) = latest.iter().position(|(block, _)| Arc::ptr_eq(block, self)) {
                latest[..=known].rotate_right(1);
            } else {
                latest.truncate(MOST_KEPT - 1);
                latest.insert(0, (self.clone(), self.unpacked()));
            }
            let position = position as usize;
            let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
            let bytes = &latest[0].1[start..self.ends[position]];
            Reader::new(bytes).object().expect("bytes as they were written")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn objects_that_were_packed_together_are_unpacked_one_by_one() {
        let kind = || GroupVersionKind::new("", "v1", "ConfigMap");
        let objects: Vec<_> = (0..2 * MOST_KEPT)
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
        let size = packed[0].block.compressed.len();
        assert!(size < 4 * Block::SIZE, "{size}");
    }
}
