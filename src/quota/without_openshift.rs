//! The build without the feature `openshift`: quotas count as Kubernetes does.

use std::sync::Arc;

use crate::admission::Attributes;
use crate::cluster::Cluster;
use crate::quota::Evaluator;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object};

pub(super) fn handles(_: &Attributes) -> Option<bool> {
    None
}

pub(super) fn evaluator<'a>(_: (&str, &str), _: &'a Object, _: &Cluster) -> Option<Box<dyn Evaluator + 'a>> {
    None
}

#[cfg(feature = "cli")]
pub(crate) fn spans_namespaces(_: &Cluster) -> bool {
    false
}

pub(super) fn name_of(_: &GroupResource) -> Option<&'static str> {
    None
}

pub(crate) fn release(_: &GroupResource, _: &Object, _: u64, _: &Arc<Cluster>, _: &Arc<ServerProfile>) {}
