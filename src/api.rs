//! Kubernetes' API machinery, without admission: objects, how they are read, and the server's answers.

pub mod decode;
pub mod deprecation;
pub mod distribution;
pub mod features;
pub mod field;
pub(crate) mod format;
mod group_version;
pub(crate) mod internal_json;
pub mod json_patch;
pub mod kinds;
pub mod labels;
pub mod name_generator;
pub mod names;
mod object;
pub(crate) mod pem;
pub(crate) mod pod_security;
pub mod quantity;
pub(crate) mod release;
pub mod resource;
pub mod resource_list;
pub mod resources;
pub mod schema;
pub mod secret;
pub mod service_account;
mod status;
pub(crate) mod tree;
pub mod version;

pub use group_version::{GroupResource, GroupVersionKind, GroupVersionResource, Name};
pub use object::{Map, Object, Value, append, pairs};
pub use status::{Status, StatusCause, StatusDetails};
