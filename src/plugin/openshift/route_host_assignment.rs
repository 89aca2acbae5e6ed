//! Generates the host of a Route that names none, where custom resources serve routes, and lets only users with the
//! right choose a host or a certificate.
//!
//! # When it rejects
//!
//! - A route names a host or certificates, or changes them, and the user may not create or update `routes/custom-
//!   host`.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: route.openshift.io/v1
//! kind: HostAssignmentAdmissionConfig
//! domain: apps.example.com
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
//! OpenShift 4.14, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/route/hostassignment`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::api::field::{self, Path};
use crate::api::{Object, Status, Value, names};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::openshift::configuration;
use crate::plugin::openshift::typed;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};

const TABLE: &str = "openshift/route/v1.Route";
const DEFAULT_DOMAIN: &str = "router.default.svc.cluster.local";
const CERTIFICATES: [&str; 4] = ["caCertificate", "certificate", "destinationCACertificate", "key"];
const NO_HOST: &str = "you do not have permission to set the host field of the route";
const NO_SUBDOMAIN: &str = "you do not have permission to set the subdomain field of the route";
const NO_CERTIFICATES: &str = "you do not have permission to set certificate fields on the route";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("route.openshift.io", "HostAssignmentAdmissionConfig");
    let given = configuration::read(initializer, given, kind)?;
    let domain = given.as_ref().and_then(|given| given.get("domain")).and_then(Value::as_str);
    let domain = domain.filter(|domain| !domain.is_empty()).unwrap_or(DEFAULT_DOMAIN).to_owned();
    if !names::is_dns1123_subdomain(&domain).is_empty() {
        return Err(FactoryError::Configuration(format!(
            "configuration failed: invalid DNS suffix: {domain}"
        )));
    }
    let authorizer = initializer.authorizer.clone();
    Ok(Handler::mutating(RouteHostAssignment { authorizer, domain }))
}

struct RouteHostAssignment {
    authorizer: Arc<Authorizer>,
    domain: String,
}

impl MutationInterface for RouteHostAssignment {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("route.openshift.io", "routes") {
            return Ok(());
        }
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let Ok(mut route) = typed::restore(&object, TABLE) else {
            let unstructured = Value::from("*unstructured.Unstructured");
            let unsupported = |field, supported: &str| {
                field::Error::not_supported(&Path::new(field), &unstructured, &[supported])
            };
            let errors = [unsupported("kind", "Route"), unsupported("apiVersion", "route.openshift.io/v1")];
            let name = route_name(attributes, &object);
            return Err(Status::new_invalid(&attributes.kind, name, &errors).into());
        };
        let errors = match attributes.old_object.as_deref() {
            Some(old) if attributes.operation == Operation::Update => self.update(attributes, &route, old),
            _ => self.allocate(attributes, &mut route),
        };
        if !errors.is_empty() {
            let status = Status::new_invalid(&attributes.kind, route_name(attributes, &object), &errors);
            return Err(Refusal::from(status).at_all(errors.into_iter().filter_map(|error| error.path)));
        }
        if attributes.operation == Operation::Create {
            typed::write(&mut route, TABLE);
            attributes.object = Some(Arc::new(route));
        }
        Ok(())
    }
}

fn route_name<'a>(attributes: &'a Attributes, route: &'a Object) -> &'a str {
    if attributes.name.is_empty() { route.name() } else { &attributes.name }
}

impl RouteHostAssignment {
    /// Source: `AllocateHost`.
    fn allocate(&self, attributes: &Attributes, route: &mut Object) -> Vec<field::Error> {
        let has_host = !route.text(["spec", "host"]).is_empty();
        let has_certificates = has_certificates(route.at(["spec", "tls"]));
        if (has_host || has_certificates) && !self.may(attributes, "create") {
            let (field, why) = if has_host { ("spec.host", NO_HOST) } else { ("spec.tls", NO_CERTIFICATES) };
            return vec![field::Error::forbidden(&Path::new(field), why)];
        }
        let has_subdomain = !route.text(["spec", "subdomain"]).is_empty();
        let is_wildcard = route.text(["spec", "wildcardPolicy"]) == "Subdomain";
        if !has_host && !has_subdomain && !is_wildcard {
            // A route whose name is still to be generated gets the annotation and no host.
            let name = route.name().replace('.', "-");
            if !name.is_empty() {
                let host = format!("{name}-{}.{}", attributes.namespace, self.domain);
                route.set(["spec", "host"], host);
            }
            route.set(["metadata", "annotations", "openshift.io/host.generated"], "true");
        }
        Vec::new()
    }

    /// Source: `ValidateHostUpdate`.
    fn update(&self, attributes: &Attributes, route: &Object, old: &Object) -> Vec<field::Error> {
        let changed = |field: &str| route.text(["spec", field]) != old.text(["spec", field]);
        let (tls, old_tls) = (tls(route), tls(old));
        let certificates = needs_right(tls, old_tls);
        if !changed("host") && !changed("subdomain") && !certificates || self.may(attributes, "update") {
            return Vec::new();
        }
        for (field, why) in [("host", NO_HOST), ("subdomain", NO_SUBDOMAIN)] {
            if changed(field) {
                let path = Path::new("spec").child(field);
                return vec![field::Error::invalid_text(&path, route.text(["spec", field]), why)];
            }
        }
        if self.may(attributes, "create") {
            return Vec::new();
        }
        let path = Path::new("spec.tls");
        let (Some(new), Some(before)) = (tls, old_tls) else {
            let shown = tls
                .map_or_else(|| "null".to_owned(), |tls| typed::printed("openshift/route/v1.TLSConfig", tls));
            return vec![field::Error::invalid_printed(&path, shown, NO_CERTIFICATES)];
        };
        let mut errors = Vec::new();
        let text = |tls: &Value, field: &str| tls.text(field).to_owned();
        for field in CERTIFICATES {
            let value = text(new, field);
            if value != text(before, field) {
                errors.push(field::Error::invalid_text(&path.child(field), &value, NO_CERTIFICATES));
            }
        }
        let external = |tls: &Value| tls.at("externalCertificate").filter(|found| !found.is_null()).cloned();
        let (now, then) = (external(new), external(before));
        if now.is_some() || then.is_some() {
            let shown = now.map_or_else(
                || "null".to_owned(),
                |now| typed::printed("openshift/route/v1.LocalObjectReference", &now),
            );
            let path = path.child("externalCertificate");
            errors.push(field::Error::invalid_printed(&path, shown, NO_CERTIFICATES));
        }
        errors
    }

    fn may(&self, attributes: &Attributes, verb: &str) -> bool {
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            group: "route.openshift.io",
            resource: "routes",
            sub_resource: "custom-host",
            name: "",
        };
        self.authorizer.authorize(&attributes.user_info.access(verb, resource)).allowed
    }
}

fn tls(route: &Object) -> Option<&Value> {
    route.at(["spec", "tls"]).filter(|tls| !tls.is_null())
}

fn has_certificates(tls: Option<&Value>) -> bool {
    let Some(tls) = tls else { return false };
    let given = |fields: &[&str]| tls.at(fields).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    CERTIFICATES.iter().any(|field| given(&[field])) || given(&["externalCertificate", "name"])
}

/// Whether certificates change so that the user needs the right. The content of a secret may always have changed.
fn needs_right(tls: Option<&Value>, old: Option<&Value>) -> bool {
    let Some(new) = tls.filter(|_| has_certificates(tls)) else { return false };
    let Some(old) = old else { return true };
    let text = |tls: &Value, field: &str| tls.text(field).to_owned();
    let is_external = new.at("externalCertificate").is_some_and(|found| !found.is_null());
    is_external || CERTIFICATES.iter().any(|field| text(new, field) != text(old, field))
}
