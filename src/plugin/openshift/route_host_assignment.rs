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
use crate::cluster::authorizer::Authorizer;
use crate::plugin::openshift::{configuration, lookup, typed};
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::{self, Path};
use kube_api::{Object, Status, Value};
use kube_registry::openshift::route_host::{self, HostAssignment};

const TABLE: &str = "openshift/route/v1.Route";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("route.openshift.io", "HostAssignmentAdmissionConfig");
    let given = configuration::read(initializer, given, kind)?;
    let domain = given.as_ref().and_then(|given| given.get("domain")).and_then(Value::as_str);
    let domain = route_host::domain(domain.unwrap_or_default())
        .map_err(|error| FactoryError::Configuration(format!("configuration failed: {error}")))?;
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
        let may = |verb: &str| {
            lookup::may_set_hosts(&self.authorizer, &attributes.user_info, &attributes.namespace, verb)
        };
        let assignment = HostAssignment { namespace: &attributes.namespace, domain: &self.domain, may: &may };
        let errors = match attributes.old_object.as_deref() {
            Some(old) if attributes.operation == Operation::Update => assignment.validate_update(&route, old),
            _ => assignment.allocate(&mut route),
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
