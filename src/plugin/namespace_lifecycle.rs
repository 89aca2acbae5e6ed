//! Keeps objects out of namespaces that do not exist or are being deleted, and protects `default`, `kube-system` and
//! `kube-public` from deletion. Without it objects would be created during a namespace's clean-up and stay forever.
//! Nothing is changed.
//!
//! # When it rejects
//!
//! - Creating an object in a namespace that does not exist (404); before 1.37, also updating it.
//! - Creating an object, or posting to its subresources, in a namespace whose `status.phase` is `Terminating`.
//! - Deleting one of the three namespaces. `kube-node-lease` is not among them.
//!
//! Access reviews (`localsubjectaccessreviews`) pass, so that they do not reveal which namespaces exist.
//!
//! # Cluster objects it reads
//!
//! Namespaces: whether they exist, and `status.phase`.
//!
//! # Offline
//!
//! A namespace is terminating if its `status.phase` is `Terminating`.
//!
//! # Since
//!
//! Before 1.10, always on by default.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Operation, Recorder, Refusal,
};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_api::kinds;
use kube_api::resources::NAMESPACES;
use kube_api::version::Version;
use kube_api::{Status, StatusCause};

const IMMORTAL_NAMESPACES: [&str; 3] = ["default", "kube-system", "kube-public"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let immortal = initializer.additions().immortal_namespaces;
    let admits_updates = initializer.profile.release() >= ADMITS_UPDATES;
    let cluster = initializer.cluster.clone();
    Handler::mutating(NamespaceLifecycle { cluster, immortal, admits_updates })
}

struct NamespaceLifecycle {
    cluster: Arc<Cluster>,
    /// The namespaces that the distribution protects as well.
    immortal: &'static [&'static str],
    admits_updates: bool,
}

/// The first release that admits updates in a namespace that is gone.
const ADMITS_UPDATES: Version = Version::minor(37);

impl MutationInterface for NamespaceLifecycle {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.kind.is(kinds::NAMESPACE) {
            return keep_immortal(attributes, self.immortal);
        }
        if attributes.namespace.is_empty()
            || attributes.operation == Operation::Delete
            || attributes.operation == Operation::Update && self.admits_updates
            || attributes.resource.is("authorization.k8s.io", "localsubjectaccessreviews")
        {
            return Ok(());
        }
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let status = Status::new_not_found(&NAMESPACES, &attributes.namespace);
            let need = Need::object(&NAMESPACES, "", &attributes.namespace);
            return Err(Refusal::from(status).at(Path::new("metadata.namespace")).needing([need]));
        };
        if attributes.operation == Operation::Create && namespace.text(["status", "phase"]) == "Terminating" {
            return Err(terminating(attributes));
        }
        Ok(())
    }
}

fn keep_immortal(attributes: &Attributes, others: &[&str]) -> Result<(), Refusal> {
    let name = attributes.name.as_str();
    let is_immortal = IMMORTAL_NAMESPACES.contains(&name) || others.contains(&name);
    if attributes.operation == Operation::Delete && is_immortal {
        return Err(attributes.new_forbidden("this namespace may not be deleted"));
    }
    Ok(())
}

fn terminating(attributes: &Attributes) -> Refusal {
    let namespace = &attributes.namespace;
    let mut refusal = attributes.new_forbidden(format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    ));
    if let Some(details) = &mut refusal.status.details {
        details.causes.push(StatusCause {
            reason: "NamespaceTerminating".to_owned(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        });
    }
    refusal.at(Path::new("metadata.namespace")).because(
        Evidence::named(NAMESPACES, "", namespace, "is being terminated").at(Path::new("status.phase")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, delete, pod, update};
    use gotext::value::json;
    use kube_api::Value;

    fn namespace(name: &str, phase: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "status": {"phase": phase}})
    }

    fn bench() -> Bench {
        Bench::new("NamespaceLifecycle", [namespace("shop", "Terminating"), namespace("other", "Active")])
    }

    fn settings(namespace: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": namespace}})
    }

    #[test]
    fn admits_objects_in_active_namespaces() {
        assert!(bench().leaves_alone(create(settings("other"))));
        assert!(bench().leaves_alone(create(settings("kube-node-lease"))));
    }

    #[test]
    fn admits_updates_and_deletes_in_terminating_namespaces() {
        assert!(bench().leaves_alone(update(settings("shop"), settings("shop"))));
        assert_eq!(bench().admit(&mut delete(settings("shop"))), Ok(()));
        assert_eq!(bench().admit(&mut delete(settings("gone"))), Ok(()));
    }

    #[test]
    fn rejects_new_objects_in_terminating_namespaces() {
        let refusal = bench().admit(&mut create(pod(json!({})))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: \
             unable to create new content in namespace shop because it is being terminated"
        );
        assert_eq!(
            refusal.status.details.unwrap().causes,
            [StatusCause {
                reason: "NamespaceTerminating".to_owned(),
                message: "namespace shop is being terminated".to_owned(),
                field: "metadata.namespace".to_owned(),
            }]
        );
        assert_eq!(refusal.fields, [Path::new("metadata.namespace")]);
        assert_eq!(refusal.evidence[0].name, "shop");
    }

    #[test]
    fn rejects_objects_in_missing_namespaces() {
        let refusal = bench().admit(&mut create(settings("gone"))).unwrap_err();
        assert_eq!(*refusal.status, Status::new_not_found(&NAMESPACES, "gone"));
        assert_eq!(refusal.status.message, "namespaces \"gone\" not found");
    }

    #[test]
    fn rejects_updates_in_missing_namespaces_before_1_37() {
        let mut request = update(settings("gone"), settings("gone"));
        let recorded = Bench::of_release("NamespaceLifecycle", Version::minor(36), []);
        let refusal = recorded.admit(&mut request.clone()).unwrap_err();
        assert_eq!(*refusal.status, Status::new_not_found(&NAMESPACES, "gone"));
        assert_eq!(bench().admit(&mut request), Ok(()));
    }

    #[test]
    fn rejects_the_deletion_of_namespaces_that_must_stay() {
        let refusal = bench().admit(&mut delete(namespace("kube-system", "Active"))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "namespaces \"kube-system\" is forbidden: this namespace may not be deleted"
        );
        assert_eq!(bench().admit(&mut delete(namespace("kube-node-lease", "Active"))), Ok(()));
    }

    #[test]
    fn ignores_namespaces_cluster_scoped_objects_and_access_reviews() {
        assert!(bench().leaves_alone(create(namespace("new", ""))));
        assert!(bench().leaves_alone(create(
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}})
        )));
        assert!(bench().leaves_alone(create(json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "LocalSubjectAccessReview",
            "metadata": {"namespace": "gone"},
        }))));
    }
}
