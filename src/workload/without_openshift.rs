//! The build without the feature `openshift`: there are Kubernetes' controllers alone.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::workload::Controller;
use kube_api::Object;
use kube_api::distribution::Distribution;
use kube_api::server_profile::ServerProfile;

pub(super) const CONTROLLERS: &[Controller] = &[];

pub(super) fn namespace_of(_: &str) -> Option<&'static str> {
    None
}

pub(super) fn accounts(_: Distribution) -> &'static [&'static str] {
    &[]
}

pub(super) fn has_namespace(_: &Cluster, _: &Object) -> bool {
    false
}

pub(super) fn keep_state(_: &Arc<Cluster>, _: &Arc<Object>, _: &Arc<ServerProfile>) -> Option<String> {
    None
}

pub(super) fn fill_quotas(_: &Arc<Cluster>, _: &Arc<ServerProfile>) -> Vec<String> {
    Vec::new()
}

pub(super) fn make_standard(_: &Cluster, _: &ServerProfile) -> Vec<String> {
    Vec::new()
}

pub(super) fn annotate(_: &Cluster, _: &str, _: &ServerProfile) {}
