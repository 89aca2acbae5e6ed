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

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod admission_policy;
pub(crate) mod batch;
pub(crate) mod claim;
pub(crate) mod condition;
pub(crate) mod coordination;
pub(crate) mod core;
pub(crate) mod custom;
pub(crate) mod declared;
pub(crate) mod devices;
pub(crate) mod difference;
pub(crate) mod equal;
pub(crate) mod event;
pub mod expression;
pub(crate) mod flow_control;
pub(crate) mod metadata;
pub(crate) mod named_text;
pub(crate) mod network;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod resources;
pub(crate) mod review;
pub(crate) mod selector;
pub(crate) mod storage;
pub(crate) mod webhook;
pub(crate) mod workload;

pub(crate) use crate::validation::custom::{
    validate_custom_metadata, validate_custom_metadata_update, validate_embedded_metadata,
};
pub use crate::validation::difference::difference;
pub use crate::validation::equal::semantically_equal;

use crate::validation::node::{Errors, Node};

use kube_api::Value;
use kube_api::field::{self, Path};

/// Returns the errors in the tolerations in the list at `path`, where those that compare numbers are not allowed.
///
/// Source: `ValidateTolerations` of `k8s.io/kubernetes/pkg/apis/core/validation`.
pub fn validate_tolerations(tolerations: &[Value], path: &Path) -> Vec<field::Error> {
    let mut errors = Errors::default();
    let items = tolerations.iter().enumerate().map(|(index, item)| Node::new(path.index(index), item));
    pod::validate_tolerations(&mut errors, items, false);
    errors.0
}
