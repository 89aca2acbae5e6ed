//! The common part of the plugins that validate one kind of OpenShift's configuration.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation/customresourcevalidator.go`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::{Attributes, Refusal};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use kube_api::resources::NODES;
use kube_api::{GroupResource, Object, Status};
use kube_registry::openshift::{ClusterFacts, validate};

const INFRASTRUCTURES: GroupResource = GroupResource::new("config.openshift.io", "infrastructures");

/// Validates the objects of one resource.
pub(super) struct Validator {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    resource: GroupResource,
    /// Whether the oldest kubelet that is requested is compared with those of the nodes.
    compares_kubelets: bool,
}

/// Returns the object with the version of the stored one, which the server fills in for an update without one.
fn with_version<'a>(object: &'a Object, old: Option<&Object>) -> Cow<'a, Object> {
    const PATH: &[&str] = &["metadata", "resourceVersion"];
    let Some(old) = old.filter(|_| object.text(PATH).is_empty()) else { return Cow::Borrowed(object) };
    let mut versioned = object.clone();
    let version = Some(old.text(PATH)).filter(|version| !version.is_empty());
    versioned.set(PATH, version.unwrap_or("1"));
    Cow::Owned(versioned)
}

impl Validator {
    /// Returns a validator of `resource`.
    pub(super) fn new(initializer: &PluginInitializer, resource: GroupResource) -> Self {
        Self {
            cluster: initializer.cluster.clone(),
            authorizer: initializer.authorizer.clone(),
            resource,
            compares_kubelets: initializer.openshift.minimum_kubelet_version,
        }
    }

    /// Refuses an object that its kind's rules do not allow; subresources other than `status` are not checked.
    pub(super) fn validate(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let sub_resource = &*attributes.sub_resource;
        let is_own = attributes.resource.is(&self.resource.group, &self.resource.resource);
        if !is_own || !["", "status"].contains(&sub_resource) {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        let nodes = self.compares_kubelets.then(|| self.cluster.list_all(&NODES));
        let kubelets: Option<Vec<String>> = nodes.map(|nodes| {
            let version = |node: &Arc<Object>| node.text(["status", "nodeInfo", "kubeletVersion"]).to_owned();
            nodes.iter().map(version).collect()
        });
        let infrastructure = self.cluster.get(&INFRASTRUCTURES, "", "cluster");
        let facts = ClusterFacts {
            internal_uri: infrastructure.as_ref().map(|found| found.text(["status", "apiServerInternalURI"])),
            router_may: &|verb, namespace, name| lookup::router_may(&self.authorizer, verb, namespace, name),
            type_of_secret: &|namespace, name| lookup::type_of_secret(&self.cluster, namespace, name),
            kubelets: kubelets.as_deref(),
        };
        let old = attributes.old_object.as_deref();
        let errors = validate(&with_version(object, old), old, sub_resource, &facts);
        if errors.is_empty() {
            return Ok(());
        }
        let name = if attributes.name.is_empty() { object.name() } else { &attributes.name };
        let status = Status::new_invalid(&attributes.kind, name, &errors);
        Err(Refusal::from(status).at_all(errors.iter().filter_map(|error| error.path.clone())))
    }
}
