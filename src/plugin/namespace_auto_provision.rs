//! Creates the namespace of a new object if it does not exist. A mistyped namespace then creates a new one instead of
//! an error, so the plugin is off unless enabled. The object itself is not changed, and the new namespace stays even if
//! the object is refused afterwards.
//!
//! # When it rejects
//!
//! When the namespace cannot be created: its name is not valid, or another plugin refuses it.
//!
//! # Cluster objects it reads
//!
//! Namespaces: whether they exist. It adds the one that is missing, unless the request is a dry run.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Before 1.10, off unless enabled. A dry run creates nothing since 1.12.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/namespace/autoprovision`

use std::sync::Arc;

use gotext::value::json;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_api::kinds;
use kube_api::{GroupVersionKind, Object};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(NamespaceAutoProvision { cluster: initializer.cluster.clone() })
}

struct NamespaceAutoProvision {
    cluster: Arc<Cluster>,
}

impl MutationInterface for NamespaceAutoProvision {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let name = attributes.namespace.as_str();
        if attributes.dry_run || name.is_empty() || attributes.kind.is(kinds::NAMESPACE) {
            return Ok(());
        }
        if self.cluster.namespace(name).is_some() {
            return Ok(());
        }
        recorder.create(namespace(name)).map_err(|refusal| match refusal.status.reason.as_str() {
            // A refusal by admission is not wrapped in another.
            "Forbidden" => refusal,
            _ => attributes.new_forbidden(refusal.status.message).at(Path::new("metadata.namespace")),
        })
    }
}

fn namespace(name: &str) -> Object {
    let value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    Object::new(GroupVersionKind::new("", "v1", "Namespace"), value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, update};
    use kube_api::{GroupResource, Status, Value};

    fn notes(namespace: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes", "namespace": namespace}})
    }

    #[test]
    fn admits_the_object_and_makes_its_namespace() {
        let bench = Bench::new("NamespaceAutoProvision", []);
        assert!(bench.leaves_alone(create(notes("sandbox"))));
        let namespace = bench.cluster.namespace("sandbox").unwrap();
        assert_eq!(namespace.name(), "sandbox");
    }

    #[test]
    fn rejects_what_the_server_refuses_to_make() {
        let bench = Bench::new("NamespaceAutoProvision", []);
        let invalid = Status { code: 422, message: "no".to_owned(), ..Status::default() };
        let refusal =
            bench.admit_where(&mut create(notes("sandbox")), &|_| Err(invalid.clone().into())).unwrap_err();
        assert_eq!(refusal.status.message, "configmaps \"notes\" is forbidden: no");
        let denied = Status::new_forbidden(&GroupResource::new("", "namespaces"), "sandbox", "denied");
        let refusal =
            bench.admit_where(&mut create(notes("sandbox")), &|_| Err(denied.clone().into())).unwrap_err();
        assert_eq!(refusal.status.message, "namespaces \"sandbox\" is forbidden: denied");
    }

    #[test]
    fn ignores_dry_runs_updates_and_namespaces() {
        let bench = Bench::new("NamespaceAutoProvision", []);
        let mut dry_run = create(notes("sandbox"));
        dry_run.dry_run = true;
        assert!(bench.leaves_alone(dry_run));
        assert!(bench.leaves_alone(update(notes("sandbox"), notes("sandbox"))));
        assert!(bench.leaves_alone(create(
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sandbox"}})
        )));
        assert!(bench.cluster.namespace("sandbox").is_none());
    }

    #[test]
    fn ignores_namespaces_that_exist_in_whatever_phase() {
        let ending = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ending"}, "status": {"phase": "Terminating"},
        });
        let bench = Bench::new("NamespaceAutoProvision", [ending]);
        assert!(bench.leaves_alone(create(notes("ending"))));
        assert_eq!(bench.cluster.namespace("ending").unwrap().text(["status", "phase"]), "Terminating");
    }
}
