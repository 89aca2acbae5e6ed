//! Validates the rights of pods on nodes (`securitycontextconstraints.security.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - A strategy is unknown, a number negative, a range reversed.
//! - A capability is dropped and added or allowed.
//! - Volumes or sysctls contradict each other.
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

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    _: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let resource = GroupResource::new("security.openshift.io", "securitycontextconstraints");
    Ok(Handler::validating(ValidateSecurityContextConstraints(Validator::new(initializer, resource))))
}

struct ValidateSecurityContextConstraints(Validator);

impl ValidationInterface for ValidateSecurityContextConstraints {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes)
    }
}
