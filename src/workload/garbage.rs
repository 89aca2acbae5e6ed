//! The garbage collector removes what belongs to objects that do not exist.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/garbagecollector`.

use crate::cluster::Cluster;
use kube_api::resource;
use kube_api::{GroupResource, GroupVersionKind, Object};

/// Whether none of the owners of `object` exists. `is_new` reports whether an object was created a moment ago, so that
/// no reference can have its uid; `knows_all` means that there are no objects but those of the cluster.
pub fn is_garbage(
    cluster: &Cluster,
    object: &Object,
    is_new: impl Fn(&GroupResource, &str, &str) -> bool,
    knows_all: bool,
) -> bool {
    let references = object.list(["metadata", "ownerReferences"]);
    let is_absent = |reference: &kube_api::Value| {
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        let Some(found) = resource::by_kind(&kind) else { return false };
        let resource = found.group_version_resource().group_resource();
        let namespace = if found.namespaced { object.namespace() } else { "" };
        match cluster.get(&resource, namespace, text("name")) {
            Some(_) if is_new(&resource, namespace, text("name")) => true,
            Some(owner) => {
                let uid = owner.text(["metadata", "uid"]);
                !uid.is_empty() && uid != text("uid")
            }
            None => knows_all,
        }
    };
    !references.is_empty() && references.iter().all(is_absent)
}
