//! What the quotas of OpenShift count besides, and those that select projects.

mod image_streams;
mod projects;

use crate::admission::Attributes;
use crate::cluster::Cluster;
use crate::quota::Evaluator;
use kube_api::{GroupResource, Object};

pub(crate) use projects::{CLUSTER_QUOTAS, calculate_status, release, selects};

use image_streams::{IMAGE_STREAMS, StreamBringer, brings_streams};

/// Whether quotas apply to a request for a resource that OpenShift counts in its own way; nothing for others.
pub(super) fn handles(attributes: &Attributes) -> Option<bool> {
    let resource = (&*attributes.resource.group, &*attributes.resource.resource);
    brings_streams(resource).then(|| image_streams::handles(attributes))
}

/// Returns the evaluator of an object that OpenShift counts in its own way.
pub(super) fn evaluator<'a>(
    resource: (&str, &str),
    object: &'a Object,
    cluster: &Cluster,
) -> Option<Box<dyn Evaluator + 'a>> {
    brings_streams(resource)
        .then(|| Box::new(StreamBringer::of(object, object.namespace(), cluster)) as Box<dyn Evaluator>)
}

/// Whether any quota counts several namespaces.
#[cfg(feature = "cli")]
pub(crate) fn spans_namespaces(cluster: &Cluster) -> bool {
    !cluster.list_all(&CLUSTER_QUOTAS).is_empty()
}

/// Returns the name under which quotas of OpenShift count `resource` besides.
pub(super) fn name_of(resource: &GroupResource) -> Option<&'static str> {
    let is_stream =
        ["image.openshift.io", ""].contains(&&*resource.group) && resource.resource == "imagestreams";
    is_stream.then_some(IMAGE_STREAMS)
}
