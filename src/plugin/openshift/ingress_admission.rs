//! Once guarded the hosts of ingresses of the API group `extensions`, which is no longer served: ingresses of
//! networking.k8s.io pass whatever their hosts.
//!
//! # When it rejects
//!
//! - Never since OpenShift 4.9.
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
//! None.
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

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::openshift::configuration;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};

pub(super) fn new(
    _: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    configuration::read(given, "route.openshift.io", "IngressAdmissionConfig")?;
    Ok(Handler::validating(IngressAdmission))
}

struct IngressAdmission;

impl ValidationInterface for IngressAdmission {
    fn validate(&self, _: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        Ok(())
    }
}
