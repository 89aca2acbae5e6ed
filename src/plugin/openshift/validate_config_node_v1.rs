//! Validates settings of all nodes (`nodes.config.openshift.io`), which a custom resource
//! definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.
//!
//! # When it rejects
//!
//! - The object is not named `cluster`.
//! - The worker latency profile changes from one extreme to the other in one step.
//! - With the feature gate `MinimumKubeletVersion`, a node has an older kubelet than `spec.minimumKubeletVersion`, or one
//!   of the versions is malformed.
//! - A field has another type than it should.
//!
//! # Cluster objects it reads
//!
//! `nodes`, with the feature gate.
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
    let resource = GroupResource::new("config.openshift.io", "nodes");
    Ok(Handler::validating(ValidateConfigNodeV1(Validator::new(initializer, resource))))
}

struct ValidateConfigNodeV1(Validator);

impl ValidationInterface for ValidateConfigNodeV1 {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.0.validate(attributes)
    }
}
