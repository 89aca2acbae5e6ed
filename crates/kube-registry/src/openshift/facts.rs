//! What the rules of OpenShift's kinds need to know of the cluster.

use std::fmt;

use crate::openshift::image_stream::StreamContext;

/// What the rules of the kinds need to know of a request and of the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestContext<'a> {
    /// The context of the strategy of image streams, if the object is one or a tag of one.
    pub image_streams: Option<&'a StreamContext>,
    /// What the rules of a route need to know of the cluster, if the object is one.
    pub facts: Option<&'a ClusterFacts<'a>>,
    /// The address of the integrated registry; empty if there is none.
    pub registry: &'a str,
}

/// What validation needs to know besides the objects.
pub struct ClusterFacts<'a> {
    /// `status.apiServerInternalURI` of the Infrastructure `cluster`; nothing if there is no such object.
    pub internal_uri: Option<&'a str>,
    /// Whether the router may perform an action (verb) on the secret (namespace, name).
    pub router_may: &'a dyn Fn(&str, &str, &str) -> bool,
    /// The type of the secret (namespace, name), if there is one.
    pub type_of_secret: &'a dyn Fn(&str, &str) -> Option<String>,
    /// The versions of the kubelets, if they are compared with the oldest that may be.
    pub kubelets: Option<&'a [String]>,
}

impl fmt::Debug for ClusterFacts<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClusterFacts")
            .field("internal_uri", &self.internal_uri)
            .finish_non_exhaustive()
    }
}
