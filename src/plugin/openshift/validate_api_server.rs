//! Validates the configuration of the API servers: allowed origins, TLS profile, certificates (`apiservers.config.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - The object is not named `cluster`.
//! - An allowed origin is not a regular expression.
//! - The TLS profile is incomplete, or its ciphers cannot serve HTTP/2.
//! - A certificate is for the address that the cluster itself uses.
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! `infrastructures.config.openshift.io` `cluster`.
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
    let resource = GroupResource::new("config.openshift.io", "apiservers");
    Ok(Handler::validating(ValidateAPIServer(Validator::new(initializer, resource))))
}

struct ValidateAPIServer(Validator);

impl ValidationInterface for ValidateAPIServer {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes)
    }
}
