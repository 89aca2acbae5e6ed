//! Kubernetes' API machinery, without admission: what an object is, how it is read, and how the server answers.

pub mod features;
pub mod field;
mod group_version;
pub mod json_patch;
pub mod labels;
pub mod names;
mod object;
pub mod quantity;
pub mod resource;
pub mod schema;
mod status;
pub mod validation;

pub use group_version::{GroupResource, GroupVersionKind, GroupVersionResource, Name};
pub use object::{Map, Object, Value, append, at, pairs};
pub use status::{Status, StatusCause, StatusDetails};
