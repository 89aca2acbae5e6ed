//! API validation: the server's checks between the two phases of admission, whose failures are answered with 422.
//!
//! An object is already decoded, defaulted and prepared, so its types can be trusted. Errors are the server's, in its
//! order; where Go iterates a map in random order, the order is by key. CEL expressions are not compiled here.
//!
//! Certificates and keys are not parsed. Kinds without rules pass: reviews of tokens and of one's own rules. Only the
//! metadata is checked in status updates of resource claims, pod certificate requests and requests for the status of
//! pools.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/*/validation`, `k8s.io/kubernetes/pkg/registry/*/*/strategy.go`.

pub(in crate::registry) mod access;
pub(in crate::registry) mod address;
pub(in crate::registry) mod admission_policy;
pub(in crate::registry) mod batch;
pub(in crate::registry) mod claim;
pub(in crate::registry) mod condition;
pub(in crate::registry) mod coordination;
pub(in crate::registry) mod core;
pub(in crate::registry) mod custom;
pub(in crate::registry) mod devices;
pub(in crate::registry) mod difference;
pub(in crate::registry) mod equal;
pub(in crate::registry) mod event;
pub mod expression;
pub(in crate::registry) mod flow_control;
pub(in crate::registry) mod metadata;
pub(in crate::registry) mod network;
pub(in crate::registry) mod node;
pub(in crate::registry) mod pod;
pub(in crate::registry) mod pod_group;
pub(in crate::registry) mod resources;
pub(in crate::registry) mod review;
pub(in crate::registry) mod selector;
pub(in crate::registry) mod storage;
pub(in crate::registry) mod webhook;
pub(in crate::registry) mod workload;

pub(in crate::registry) use crate::registry::validation::custom::{
    validate_custom_metadata, validate_custom_metadata_update, validate_embedded_metadata,
};
pub use crate::registry::validation::difference::difference;
pub use crate::registry::validation::equal::semantically_equal;

use crate::registry::validation::node::{Errors, Node};

use crate::api::Value;
use crate::api::field::{self, Path};

/// Returns the errors in the tolerations in the list at `path`, where those that compare numbers are not allowed.
///
/// Source: `ValidateTolerations` of `k8s.io/kubernetes/pkg/apis/core/validation`.
pub fn validate_tolerations(tolerations: &[Value], path: &Path) -> Vec<field::Error> {
    let mut errors = Errors::default();
    let items = tolerations.iter().enumerate().map(|(index, item)| Node::new(path.index(index), item));
    pod::validate_tolerations(&mut errors, items, false);
    errors.0
}
