//! Validates the DNS operator: where its pods run, and how they talk to other servers (`dnses.operator.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - The node selector or a toleration is not valid.
//! - TLS is required without a server name, or settings of TLS are given without it.
//! - TLS is demanded of the resolvers of the nodes.
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
    let resource = GroupResource::new("operator.openshift.io", "dnses");
    Ok(Handler::validating(ValidateDNS(Validator::new(initializer, resource))))
}

struct ValidateDNS(Validator);

impl ValidationInterface for ValidateDNS {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes)
    }
}
