//! Guards the hosts of ingresses of the API group `extensions`: users who may not choose the host of a route may not
//! choose that of an ingress either. The group is no longer served since OpenShift 4.9; ingresses of networking.k8s.io
//! pass with any host.
//!
//! # When it rejects
//!
//! Never since OpenShift 4.9. Before, for ingresses of `extensions`:
//!
//! - A new ingress has a host, and the user may not `create` `routes/custom-host`.
//! - An ingress gets a host that it did not have, and the user may not `update` `routes/custom-host` with its name.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: route.openshift.io/v1
//! kind: IngressAdmissionConfig
//! allowHostnameChanges: true
//! ```
//!
//! # Cluster objects it reads
//!
//! Roles and bindings.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.5; without effect since 4.9.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/route`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::openshift::configuration;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::{self, Path};
use kube_api::{GroupVersionKind, Object, Status, Value};

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("route.openshift.io", "IngressAdmissionConfig");
    let given = configuration::read(initializer, given, kind)?;
    let allows_changes = given
        .as_ref()
        .and_then(|given| given.get("allowHostnameChanges"))
        .and_then(Value::as_bool)
        .unwrap_or_default();
    Ok(Handler::validating(IngressAdmission { authorizer: initializer.authorizer.clone(), allows_changes }))
}

struct IngressAdmission {
    authorizer: Arc<Authorizer>,
    allows_changes: bool,
}

impl ValidationInterface for IngressAdmission {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        // Subresources, too.
        if !attributes.resource.is("extensions", "ingresses") {
            return Ok(());
        }
        let Some(ingress) = attributes.object.as_deref() else { return Ok(()) };
        match (attributes.operation, attributes.old_object.as_deref()) {
            (Operation::Create, _) => self.create(attributes, ingress),
            (Operation::Update, Some(old)) if !self.allows_changes => self.update(attributes, ingress, old),
            _ => Ok(()),
        }
    }
}

impl IngressAdmission {
    fn create(&self, attributes: &Attributes, ingress: &Object) -> Result<(), Refusal> {
        let first = hosts(ingress).position(|host| !host.is_empty());
        let Some(first) = first.filter(|_| !self.may(attributes, "create", "")) else { return Ok(()) };
        let path = Path::new("spec.rules").index(first);
        let why = "you do not have permission to set host fields in ingress rules";
        let kind = GroupVersionKind::new("extensions", "", "ingresses");
        let status = Status::new_invalid(&kind, ingress.name(), &[field::Error::forbidden(&path, why)]);
        Err(Refusal::from(status).at(path.child("host")))
    }

    fn update(&self, attributes: &Attributes, ingress: &Object, old: &Object) -> Result<(), Refusal> {
        let new = hosts(ingress).position(|host| !hosts(old).any(|known| known == host));
        let Some(new) = new.filter(|_| !self.may(attributes, "update", &attributes.name)) else {
            return Ok(());
        };
        let path = Path::new("spec.rules").index(new).child("host");
        Err(Refusal::from(Status::from_error("cannot change hostname")).at(path))
    }

    fn may(&self, attributes: &Attributes, verb: &str, name: &str) -> bool {
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            group: "route.openshift.io",
            resource: "routes",
            sub_resource: "custom-host",
            name,
        };
        self.authorizer.authorize(&attributes.user_info.access(verb, resource)).allowed
    }
}

/// Returns the host of each rule.
fn hosts(ingress: &Object) -> impl Iterator<Item = &str> {
    let rules = ingress.list(["spec", "rules"]);
    rules.iter().map(|rule| rule.text("host"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, initializer, update};
    use gotext::value::json;

    const NAME: &str = "route.openshift.io/IngressAdmission";

    fn ingress(api_version: &str, hosts: &[&str]) -> Value {
        let rules: Vec<Value> = hosts.iter().map(|host| json!({"host": *host})).collect();
        json!({
            "apiVersion": api_version, "kind": "Ingress",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"rules": rules},
        })
    }

    fn old(hosts: &[&str]) -> Value {
        ingress("extensions/v1beta1", hosts)
    }

    #[test]
    fn hosts_need_a_right() {
        let bench = Bench::with_roles(NAME, []);
        let refusal = bench.validate(&create(old(&["", "a.example.com", "b.example.com"]))).unwrap_err();
        assert_eq!(refusal.status.code, 422);
        assert_eq!(
            refusal.status.message,
            "ingresses.extensions \"web\" is invalid: spec.rules[1]: Forbidden: you do not have permission to set host \
             fields in ingress rules"
        );
        bench.validate(&create(old(&[""]))).unwrap();
        Bench::new(NAME, []).validate(&create(old(&["a.example.com"]))).unwrap();
    }

    #[test]
    fn hosts_that_are_new_need_a_right() {
        let bench = Bench::with_roles(NAME, []);
        let changed =
            update(old(&["a.example.com", "b.example.com"]), old(&["b.example.com", "c.example.com"]));
        let refusal = bench.validate(&changed).unwrap_err();
        assert_eq!((refusal.status.code, &*refusal.status.message), (500, "cannot change hostname"));
        assert_eq!(refusal.fields, [Path::new("spec.rules").index(1).child("host")]);
        bench.validate(&update(old(&["a.example.com", "b.example.com"]), old(&["b.example.com"]))).unwrap();
        Bench::new(NAME, []).validate(&changed).unwrap();
    }

    #[test]
    fn the_configuration_allows_changes() {
        let given = json!({
            "apiVersion": "route.openshift.io/v1", "kind": "IngressAdmissionConfig", "allowHostnameChanges": true,
        });
        let given = PluginConfiguration::from(given.to_string());
        let handler = new(&initializer([]), Some(&given)).unwrap();
        let bench = Bench::of(NAME, handler, initializer([]).cluster);
        bench.validate(&update(old(&["a.example.com"]), old(&["b.example.com"]))).unwrap();
    }

    #[test]
    fn other_groups_are_free() {
        let bench = Bench::with_roles(NAME, []);
        bench.validate(&create(ingress("networking.k8s.io/v1", &["a.example.com"]))).unwrap();
    }
}
