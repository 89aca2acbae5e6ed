//! The field names that a map knows of the type it was read as.

use std::fmt;

use super::Value;

/// A type whose fields are known. Types are tables in a room above; this is what maps ask of them in debug builds.
pub trait Fields: fmt::Debug + Send + Sync {
    /// Returns the name of the type, for the message of a failed assertion.
    fn type_name(&self) -> &str;

    /// Whether the type has a field called `name`.
    fn has(&self, name: &str) -> bool;

    /// Lets the maps of `value`, which becomes the value of the field `name`, know their types.
    fn adopt(&'static self, name: &str, value: &mut Value);
}
