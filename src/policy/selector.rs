//! The selectors of namespaces and objects.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/{namespace,object}`.

use crate::admission::{Attributes, Operation};
use crate::cluster::Cluster;
use kube_api::labels::Selector;
use kube_api::resources::NAMESPACES;
use kube_api::{Object, Status};

/// `objectSelector`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSelector(pub Selector);

/// Whether the namespace of a request is selected.
///
/// # Errors
///
/// Fails if the namespace does not exist.
pub fn matches_namespace(
    selector: &Selector,
    attributes: &Attributes,
    cluster: &Cluster,
) -> Result<bool, Box<Status>> {
    let is_namespaces = attributes.resource.resource == "namespaces";
    if (attributes.namespace.is_empty() && !is_namespaces) || selector.is_everything() {
        return Ok(true);
    }
    // A request's change of a Namespace counts before it is stored.
    let is_written = matches!(attributes.operation, Operation::Create | Operation::Update);
    if is_namespaces && !attributes.has_sub_resource() && is_written {
        return Ok(attributes.object.as_deref().is_some_and(|object| selects(selector, object)));
    }
    match cluster.namespace(&attributes.namespace) {
        Some(namespace) => Ok(selects(selector, &namespace)),
        None => Err(Box::new(Status::new_not_found(&NAMESPACES, &attributes.namespace))),
    }
}

impl ObjectSelector {
    /// Whether the object of a request is selected, or the one that it replaces or removes.
    pub fn matches(&self, attributes: &Attributes) -> bool {
        let selects = |object: &Object| has_metadata(object) && selects(&self.0, object);
        self.0.is_everything()
            || attributes.object.as_deref().is_some_and(selects)
            || attributes.old_object.as_deref().is_some_and(selects)
    }
}

fn selects(selector: &Selector, object: &Object) -> bool {
    selector.matches_labels(object.at(["metadata", "labels"]))
}

/// Whether the object has metadata: the options of a connection have no labels, not even an empty set.
fn has_metadata(object: &Object) -> bool {
    object.has("metadata")
}
