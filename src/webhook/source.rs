//! The webhooks of a server.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/generic`.

use std::slice;
use std::sync::Arc;

use crate::admission::Attributes;
use crate::cluster::{Cluster, Derived};
use crate::webhook::{Webhook, configures_admission};
use kube_api::{GroupResource, Object};

/// The webhooks of one kind of configurations: those of a directory, and those in the cluster.
#[derive(Debug)]
pub struct WebhookSource {
    resource: &'static GroupResource,
    /// The configurations in the directory.
    fixed: Vec<Arc<Object>>,
    all: Derived<Vec<Webhook>>,
    /// Those of the directory alone, for requests about the configuration of admission.
    own: Derived<Vec<Webhook>>,
}

impl WebhookSource {
    pub(super) fn new(resource: &'static GroupResource, fixed: Vec<Arc<Object>>) -> Self {
        let resources = slice::from_ref(resource);
        Self { resource, fixed, all: Derived::of(resources), own: Derived::of(resources) }
    }

    /// Returns the webhooks that may see a request; those of the directory come first.
    pub fn of(&self, attributes: &Attributes, cluster: &Cluster) -> Arc<Vec<Webhook>> {
        if configures_admission(&attributes.kind) {
            return self.own.get(cluster, || Webhook::of(&self.fixed, cluster, self.resource));
        }
        self.all.get(cluster, || Webhook::list(cluster, self.resource, &self.fixed))
    }
}
