//! The custom resources that OpenShift has from the start.

use std::sync::Arc;

use kube_api::distribution::Distribution;
use kube_registry::custom_resource::CustomResource;
use kube_registry::openshift;

pub(super) fn definition(
    distribution: Distribution,
    group: &str,
    plural: &str,
) -> Option<Arc<CustomResource>> {
    openshift::definition(group, plural).filter(|_| distribution.is_openshift())
}

pub(super) fn definition_of_kind(
    distribution: Distribution,
    group: &str,
    kind: &str,
) -> Option<Arc<CustomResource>> {
    openshift::definition_of_kind(group, kind).filter(|_| distribution.is_openshift())
}
