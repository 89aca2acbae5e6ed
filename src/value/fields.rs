//! What a map knows of the type that it was read as.

use std::fmt;

use super::Value;

/// A type with known fields. Types are tables of the room above; here is what a map asks them in debug builds.
pub trait Fields: fmt::Debug + Send + Sync {
    /// What the type is called, for the message of a failed assertion.
    fn type_name(&self) -> &str;

    /// Whether the type has a field called `name`.
    fn has(&self, name: &str) -> bool;

    /// Lets the maps of `value`, which becomes the value of the field `name`, know their types.
    fn adopt(&'static self, name: &str, value: &mut Value);
}
