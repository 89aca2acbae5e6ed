//! What the server does with the objects of each kind.

pub mod certificate_request;
pub mod custom_resource;
pub mod default_class;
pub mod defaults;
pub mod merge;
pub mod persistent_volume_claim;
pub mod pod;
pub mod pod_references;
pub mod pod_resources;
pub mod scale;
pub mod strategy;
pub mod toleration;
pub mod validation;
pub mod warnings;

use crate::api::Object;
use crate::api::decode::{self, DecodeContext, DecodeError, Decoded};
use crate::api::features::FeatureGates;
use crate::source::Node;

/// The object of a request as admission sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The object, defaulted, in the version of the URL.
    pub object: Object,
    /// What the client is warned of, in the order of the object.
    pub warnings: Vec<String>,
    /// Whether defaulting made the labels of the object those of its template.
    pub shares_labels: bool,
}

impl From<Decoded> for Read {
    fn from(decoded: Decoded) -> Self {
        Self { object: decoded.object, warnings: decoded.warnings, shares_labels: false }
    }
}

/// Reads `node` as an object of `context.kind`, fills in its defaults and drops the fields that the server's encoder
/// leaves out.
pub fn read(node: Node, context: &DecodeContext<'_>, features: &FeatureGates) -> Result<Read, DecodeError> {
    let shares_labels = strategy::shares_labels_with_template(context.kind, &node);
    let mut read = Read { shares_labels, ..Read::from(decode::decode(node, context)?) };
    defaults::set_defaults(&mut read.object, features);
    decode::normalize(&mut read.object);
    Ok(read)
}
