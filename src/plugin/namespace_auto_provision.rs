//! Creates the namespace of a new object where it does not exist. A mistyped namespace then makes a new one instead of
//! an error; that is why the plugin is off unless enabled. The object itself is not changed, and the new namespace
//! stays even if the object is refused afterwards.
//!
//! # When it rejects
//!
//! When the namespace cannot be created, because its name is not valid.
//!
//! # Cluster objects it reads
//!
//! Namespaces: whether they exist. It adds the one that is missing, unless the request is a dry run.
//!
//! # Offline
//!
//! The other plugins of the chain are not asked about the namespace that is created.
//!
//! # Since
//!
//! Before 1.10, off unless enabled. A dry run creates nothing since 1.12.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/namespace/autoprovision`

use std::sync::Arc;

use serde_json::json;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::api::field::{Error, Path};
use crate::api::{GroupResource, GroupVersionKind, Object, Status, names};
use crate::cluster::Cluster;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    _configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    Ok(Handler::mutating(NamespaceAutoProvision { cluster: initializer.cluster.clone() }))
}

struct NamespaceAutoProvision {
    cluster: Arc<Cluster>,
}

impl MutationInterface for NamespaceAutoProvision {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let name = attributes.namespace.as_str();
        if attributes.dry_run || name.is_empty() || attributes.kind.is("", "Namespace") {
            return Ok(());
        }
        if self.cluster.namespace(name).is_some() {
            return Ok(());
        }
        let namespace = provisioned_namespace(name).map_err(|refusal| {
            attributes.new_forbidden(refusal.status.message).at(Path::new("metadata.namespace"))
        })?;
        self.cluster.put(&GroupResource::new("", "namespaces"), Arc::new(namespace));
        Ok(())
    }
}

/// The namespace as the API server stores it, or why it does not.
fn provisioned_namespace(name: &str) -> Result<Object, Refusal> {
    let kind = GroupVersionKind::new("", "v1", "Namespace");
    let name_errors = names::is_dns1123_label(name);
    let label_errors = names::is_valid_label_value(name);
    let of = |path, messages: Vec<String>| {
        let path = Path::new(path);
        messages.into_iter().map(move |message| Error::invalid_text(&path, name, message))
    };
    let errors: Vec<_> =
        of("metadata.name", name_errors).chain(of("metadata.labels", label_errors)).collect();
    if !errors.is_empty() {
        return Err(Status::new_invalid(&kind, name, &errors).into());
    }
    let value = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    });
    Ok(Object::new(kind, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Value;
    use crate::plugin::testing::{Bench, create, update};

    fn notes(namespace: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes", "namespace": namespace}})
    }

    #[test]
    fn admits_the_object_and_makes_its_namespace() {
        let bench = Bench::new("NamespaceAutoProvision", []);
        assert!(bench.leaves_alone(create(notes("sandbox"))));
        let namespace = bench.cluster.namespace("sandbox").unwrap();
        assert_eq!(namespace.label("kubernetes.io/metadata.name"), Some("sandbox"));
        assert_eq!(namespace.text(&["status", "phase"]), "Active");
    }

    #[test]
    fn rejects_names_that_no_namespace_can_have() {
        let bench = Bench::new("NamespaceAutoProvision", []);
        let refusal = bench.admit(&mut create(notes("Sandbox_8"))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "configmaps \"notes\" is forbidden: Namespace \"Sandbox_8\" is invalid: metadata.name: \
             Invalid value: \"Sandbox_8\": a lowercase RFC 1123 label must consist of lower case alphanumeric \
             characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or \
             '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        );
        assert!(bench.cluster.namespace("Sandbox_8").is_none());
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
        assert_eq!(bench.cluster.namespace("ending").unwrap().text(&["status", "phase"]), "Terminating");
    }
}
