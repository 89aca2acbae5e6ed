//! Kubernetes' API machinery, without admission: what an object is, how it is read, and how the server answers.

pub mod certificate_request;
pub mod custom_resource;
pub mod decode;
pub mod default_class;
pub mod defaults;
pub mod deprecation;
pub mod features;
pub mod field;
pub mod go_json;
mod go_regex;
mod group_version;
mod internal_json;
pub mod json_patch;
pub mod labels;
pub mod name_generator;
pub mod names;
mod object;
mod pem;
pub mod persistent_volume_claim;
pub mod pod;
pub mod pod_resources;
pub mod quantity;
pub mod resource;
pub mod resource_list;
pub mod scale;
pub mod schema;
mod status;
pub mod strategy;
pub mod toleration;
mod tree;
pub mod validation;
pub mod version;
pub mod warnings;

pub use group_version::{GroupResource, GroupVersionKind, GroupVersionResource, Name};
pub use object::{Map, Object, Value, append, at, pairs};
pub use status::{Status, StatusCause, StatusDetails};
