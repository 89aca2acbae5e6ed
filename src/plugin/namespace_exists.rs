//! Refuses requests in namespaces that do not exist. `NamespaceLifecycle`, which is on by default, does the same for
//! new and changed objects and more; this plugin adds that leftovers in a vanished namespace cannot be deleted either.
//!
//! # When it rejects
//!
//! Creating, updating or deleting an object in a namespace that does not exist (404). Namespaces that are being
//! deleted do exist.
//!
//! # Cluster objects it reads
//!
//! Namespaces: whether they exist.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Before 1.10, off unless enabled.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/namespace/exists`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Need, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_api::kinds;
use kube_api::{GroupResource, Status};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(NamespaceExists { cluster: initializer.cluster.clone() })
}

struct NamespaceExists {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for NamespaceExists {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.namespace.is_empty() || attributes.kind.is(kinds::NAMESPACE) {
            return Ok(());
        }
        if self.cluster.namespace(&attributes.namespace).is_some() {
            return Ok(());
        }
        let namespaces = GroupResource::new("", "namespaces");
        let status = Status::new_not_found(&namespaces, &attributes.namespace);
        let need = Need::object(&namespaces, "", &attributes.namespace);
        Err(Refusal::from(status).at(Path::new("metadata.namespace")).needing([need]))
    }
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, delete, update};
    use gotext::value::json;
    use kube_api::Value;

    fn settings(namespace: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": namespace}})
    }

    #[test]
    fn admits_objects_in_any_namespace_that_exists() {
        let ending = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ending"}, "status": {"phase": "Terminating"},
        });
        let bench = Bench::new("NamespaceExists", [ending]);
        assert_eq!(bench.validate(&create(settings("ending"))), Ok(()));
        assert_eq!(bench.validate(&delete(settings("default"))), Ok(()));
    }

    #[test]
    fn rejects_everything_in_missing_namespaces() {
        let bench = Bench::new("NamespaceExists", []);
        let gone = || settings("gone");
        for request in [create(gone()), update(gone(), gone()), delete(gone())] {
            let refusal = bench.validate(&request).unwrap_err();
            assert_eq!(refusal.status.message, "namespaces \"gone\" not found");
            assert_eq!(refusal.status.code, 404);
        }
    }

    #[test]
    fn ignores_namespaces_and_cluster_scoped_objects() {
        let bench = Bench::new("NamespaceExists", []);
        for kind in ["Namespace", "Node"] {
            let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "new"}});
            assert_eq!(bench.validate(&create(object)), Ok(()));
        }
    }
}
