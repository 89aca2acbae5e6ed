//! Marks a namespace of Origin as used before its first object is created there, so that the deletion of the namespace
//! waits for Origin's objects.
//!
//! # When it rejects
//!
//! - The namespace does not exist.
//!
//! # Cluster objects it reads
//!
//! The Namespace. It adds `openshift.io/origin` to its `spec.finalizers`, unless the request is a dry run.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Origin 1.0, on by default; gone in 3.11.
//!
//! # Upstream
//!
//! `openshift/origin/pkg/project/admission/lifecycle`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::value::json;
use kube_api::resources::NAMESPACES;
use kube_api::{Object, Value, resource};

const FINALIZER: &str = "openshift.io/origin";
/// Questions to the server, which do not create an object.
const REVIEWS: [&str; 6] = [
    "localresourceaccessreviews",
    "localsubjectaccessreviews",
    "resourceaccessreviews",
    "selfsubjectrulesreviews",
    "subjectaccessreviews",
    "subjectrulesreviews",
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(OriginNamespaceLifecycle { cluster: initializer.cluster.clone() })
}

struct OriginNamespaceLifecycle {
    cluster: Arc<Cluster>,
}

impl MutationInterface for OriginNamespaceLifecycle {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resource = &attributes.resource;
        let is_own = resource::is_kind_of_origin(&attributes.kind)
            && !(resource.group.is_empty() && REVIEWS.contains(&&*resource.resource));
        if attributes.namespace.is_empty() || !is_own {
            return Ok(());
        }
        let name = attributes.namespace.as_str();
        let Some(namespace) = self.cluster.namespace(name) else {
            return Err(attributes.new_forbidden(format!("namespace {name} does not exist")));
        };
        let finalizers = namespace.list(["spec", "finalizers"]).iter().filter_map(Value::as_str);
        let mut finalizers: Vec<String> = finalizers.map(str::to_owned).collect();
        if finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
            return Ok(());
        }
        finalizers.push(FINALIZER.to_owned());
        finalizers.sort();
        finalizers.dedup();
        recorder.add_write(json!({
            "method": "PUT",
            "path": format!("/api/v1/namespaces/{name}/finalize"),
            "finalizers": finalizers.clone(),
        }));
        recorder.add_note(format!("namespace \"{name}\" gets the finalizer {FINALIZER}"));
        if !attributes.dry_run {
            let mut namespace = Object::clone(&namespace);
            namespace.set(["spec", "finalizers"], finalizers);
            self.cluster.put(&NAMESPACES, Arc::new(namespace));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::GroupVersionKind;

    #[test]
    fn ignores_kinds_of_kubernetes() {
        let is_own =
            |group, version, kind| resource::is_kind_of_origin(&GroupVersionKind::new(group, version, kind));
        assert!(is_own("", "v1", "BuildRequest") && is_own("", "v1", "RoleBinding"));
        assert!(!is_own("", "v1", "Pod"));
        assert!(!is_own("extensions", "v1beta1", "Scale") && !is_own("extensions", "v1beta1", "Deployment"));
    }
}
