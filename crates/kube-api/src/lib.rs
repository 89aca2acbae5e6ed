//! Kubernetes' API machinery, without admission: objects, how they are read, and the server's answers.
//!
//! The tables of every release say which resources it serves and which fields their kinds have; what changed since 1.10
//! is part of them. Nothing here knows what a kind means: that is the registry's.
//!
//! ```
//! use kube_api::version::Version;
//! use kube_api::{GroupVersionKind, resource};
//!
//! let policy = GroupVersionKind::new("policy", "v1beta1", "PodSecurityPolicy");
//! assert!(resource::by_kind_in(Version::minor(24), &policy).is_some());
//! assert!(resource::by_kind_in(Version::minor(25), &policy).is_none());
//! ```

pub mod decode;
pub mod deprecation;
pub mod diff;
pub mod distribution;
pub mod features;
pub mod field;
pub mod go_syntax;
mod group_version;
pub mod internal_json;
pub mod json_patch;
pub mod kinds;
pub mod labels;
pub mod name_generator;
mod object;
pub mod pem;
pub mod pod_security;
pub mod protobuf;
pub mod release;
pub mod resource;
pub mod resource_list;
pub mod resources;
pub mod schema;
pub mod secret;
pub mod server_profile;
pub mod service_account;
mod status;
pub mod struct_order;
pub mod tree;
pub mod version;

pub use group_version::{GroupResource, GroupVersionKind, GroupVersionResource, Name};
pub use object::{Map, Object, Value, append, pairs};
pub use status::{Status, StatusCause, StatusDetails};
