//! An object that uses little memory.

use serde::Deserialize;

use crate::api::{GroupVersionKind, Object, Value, secret};

/// Bytes that hold most objects, so that the buffer need not grow.
const TYPICAL_SIZE: usize = 4096;

/// An object as JSON, which uses a tenth of the tree's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedObject {
    kind: GroupVersionKind,
    json: Box<[u8]>,
}

impl PackedObject {
    /// Packs `object`.
    pub fn new(object: &Object) -> Self {
        let mut json = Vec::with_capacity(TYPICAL_SIZE);
        serde_json::to_writer(&mut json, &object.value).expect("a tree of JSON values is JSON");
        Self { kind: object.kind.clone(), json: json.into_boxed_slice() }
    }

    /// Returns whether something in it may be secret.
    pub fn may_keep_secret(&self) -> bool {
        secret::may_be_kept_in(&self.kind)
    }

    /// Returns the object, unpacked.
    pub fn object(&self) -> Object {
        let mut reader = serde_json::Deserializer::from_slice(&self.json);
        // A tree that could be written is not too deep to be read.
        reader.disable_recursion_limit();
        let value = Value::deserialize(&mut reader).expect("JSON as it was written");
        Object::new(self.kind.clone(), value)
    }
}
