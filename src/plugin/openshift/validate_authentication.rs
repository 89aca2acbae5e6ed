//! Validates how users are authenticated: webhooks, metadata and OIDC providers with their expressions (`authentications.config.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - The object is not named `cluster`.
//! - A referenced secret or config map has an impossible name, or the webhook does not fit the type.
//! - An expression over claims does not compile, or must be a condition and is not one.
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! None.
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
use kube_registry::openshift::authentication_warnings;

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    _: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let resource = GroupResource::new("config.openshift.io", "authentications");
    Ok(Handler::validating(ValidateAuthentication(Validator::new(initializer, resource))))
}

struct ValidateAuthentication(Validator);

impl ValidationInterface for ValidateAuthentication {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.is_for("config.openshift.io", "authentications")
            && let Some(object) = attributes.object.as_deref()
        {
            for warning in authentication_warnings(object) {
                recorder.add_warning(warning);
            }
        }
        self.0.validate(attributes)
    }
}
