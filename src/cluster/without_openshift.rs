//! The build without the feature `openshift`: custom resources are those of the definitions in the cluster.

use std::sync::Arc;

use kube_api::distribution::Distribution;
use kube_registry::custom_resource::CustomResource;

pub(super) fn definition(_: Distribution, _: &str, _: &str) -> Option<Arc<CustomResource>> {
    None
}

pub(super) fn definition_of_kind(_: Distribution, _: &str, _: &str) -> Option<Arc<CustomResource>> {
    None
}
