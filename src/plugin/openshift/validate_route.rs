//! Validates routes, where custom resources serve them (`routes.route.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - The host, the subdomain, the path or a target is not valid.
//! - Certificates do not fit the termination.
//! - The router may not read the secret of an external certificate.
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! `secrets`, roles and bindings of the router.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.0, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::openshift::validator::Validator;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::GroupResource;

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    _: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let resource = GroupResource::new("route.openshift.io", "routes");
    Ok(Handler::validating(ValidateRoute(Validator::new(initializer, resource))))
}

struct ValidateRoute(Validator);

impl ValidationInterface for ValidateRoute {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes)
    }
}
