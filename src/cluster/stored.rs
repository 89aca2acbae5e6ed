//! The storage of an object.

use std::sync::Arc;

use crate::cluster::packed::{Block, InBlock};
use gotext::value::Text;
use kube_api::{Object, name_generator};

/// The limit of listed equals: more pods of one template than any node group runs.
const MAX_LISTED: u64 = 10_000;

/// An object that exists, or several that are equal except for generated names: `count`.
///
/// A run may admit many objects and read few of them again, so they are packed in blocks, and every reader unpacks its own
/// copy. Objects written last stay a tree for a while, and those that plugins look up with every request forever, shared by
/// all readers: a plugin may recognize by address one that it has seen. Of those of which a run may admit many, such as
/// accounts, the ones looked up last do.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// With the number of its latest writing among the recent ones of the cluster.
    Tree {
        object: Arc<Object>,
        count: u32,
        writing: u16,
    },
    Packed {
        block: Arc<Block>,
        count: u32,
        position: u16,
    },
}

impl Stored {
    pub(super) fn new(object: Arc<Object>) -> Self {
        Self::Tree { object, count: 1, writing: 0 }
    }

    /// Returns the number of equal objects.
    pub(super) fn count(&self) -> u64 {
        u64::from(self.short_count())
    }

    /// Returns the number of equal objects as it is kept.
    pub(super) fn short_count(&self) -> u32 {
        let (Self::Tree { count, .. } | Self::Packed { count, .. }) = self;
        *count
    }

    /// Sets the number of equal objects, which is at most that of the replicas of a workload: a positive `i32`.
    pub(super) fn set_count(&mut self, new: u64) {
        let (Self::Tree { count, .. } | Self::Packed { count, .. }) = self;
        *count = u32::try_from(new).unwrap_or(u32::MAX);
    }

    /// Sets the number of its latest writing. Returns whether the object is not packed.
    pub(super) fn write_as(&mut self, number: u16) -> bool {
        match self {
            Self::Tree { writing, .. } => *writing = number,
            Self::Packed { .. } => return false,
        }
        true
    }

    /// Returns the object, if its latest writing has this number and it is not packed.
    pub(super) fn written_as(&self, number: u16) -> Option<&Arc<Object>> {
        match self {
            Self::Tree { object, writing, .. } if *writing == number => Some(object),
            _ => None,
        }
    }

    /// Returns the object, if it is not packed.
    pub(super) fn tree(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Tree { object, .. } => Some(object),
            Self::Packed { .. } => None,
        }
    }

    /// Replaces the packed object by its tree, unless it has been replaced by another one. Returns whether it was there.
    pub(super) fn unpack(&mut self, packed: &InBlock, tree: &Arc<Object>) -> bool {
        let is_same = self.packed().is_some_and(|own| own.is(packed));
        if is_same {
            *self = Self::Tree { object: tree.clone(), count: self.short_count(), writing: 0 };
        }
        is_same
    }

    /// Returns where the object is packed, if it is.
    pub(super) fn packed(&self) -> Option<InBlock> {
        match self {
            Self::Tree { .. } => None,
            Self::Packed { block, position, .. } => {
                Some(InBlock { block: block.clone(), position: *position })
            }
        }
    }

    /// Replaces the tree `old` by `packed`, unless it has been replaced by another one.
    pub(super) fn replace(&mut self, old: &Arc<Object>, packed: InBlock) {
        match self {
            Self::Tree { object, count, .. } if Arc::ptr_eq(object, old) => {
                let InBlock { block, position } = packed;
                *self = Self::Packed { block, count: *count, position };
            }
            _ => {}
        }
    }

    /// Returns the name of the object.
    pub(super) fn name(&self) -> Text {
        match self {
            Self::Tree { object, .. } => object.name().into(),
            Self::Packed { block, position, .. } => block.with_name(*position, |name| name.into()),
        }
    }

    /// Whether the object has this name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        match self {
            Self::Tree { object, .. } => object.name() == name,
            Self::Packed { block, position, .. } => block.with_name(*position, |own| own == name),
        }
    }

    /// Returns the object.
    pub(super) fn object(&self) -> Arc<Object> {
        match self {
            Self::Tree { object, .. } => object.clone(),
            Self::Packed { block, position, .. } => Arc::new(block.object(*position)),
        }
    }

    /// Returns its objects, limited so that a list of them fits into memory; those after the first have different
    /// names.
    pub(super) fn replicas(self) -> impl Iterator<Item = Arc<Object>> + use<> {
        let first = self.object();
        (0..self.count().min(MAX_LISTED)).map(move |position| {
            if position == 0 {
                return first.clone();
            }
            let mut replica = Object::clone(&first);
            let name = name_generator::generate_name(first.generate_name(), position);
            replica.set(["metadata", "name"], name);
            Arc::new(replica)
        })
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use kube_api::{GroupVersionKind, Value};

    #[test]
    fn what_is_kept_of_every_object_is_small() {
        assert_eq!(size_of::<Option<Stored>>(), 16);
    }

    #[test]
    fn what_was_packed_comes_out_as_it_was() {
        let deep = (0..100).fold(Value::Null, |value, _| json!({"a": [value]}));
        let value = json!({
            "metadata": {"name": "web", "labels": {"ü\n\"": "\u{0}"}},
            "numbers": [0, -1, u64::MAX, i64::MIN, 1.0, -0.0, 0.1, 5e-324, 1.797_693_134_862_315_7e308],
            "spec": {"empty": {}, "none": null, "list": [], "yes": true, "deep": deep},
        });
        let object = Arc::new(Object::new(GroupVersionKind::new("example.com", "v1", "Shop"), value));
        let mut stored = Stored::new(object.clone());
        let packed = Block::pack(std::slice::from_ref(&object)).remove(0);
        stored.replace(&object, packed);
        assert!(matches!(stored, Stored::Packed { .. }));
        assert_eq!(stored.object(), object);
    }
}
