//! Forbids deleting the configuration of the storage operator, without which volumes could no longer be provisioned.
//!
//! # When it rejects
//!
//! - `storages.operator.openshift.io` named `cluster` is deleted.
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
//! OpenShift 4.5, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation/operator`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::validating(DenyDeleteClusterOperators)
}

struct DenyDeleteClusterOperators;

impl ValidationInterface for DenyDeleteClusterOperators {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("operator.openshift.io", "storages") || attributes.name != "cluster" {
            return Ok(());
        }
        let resource = attributes.resource.group_resource();
        Err(attributes
            .new_forbidden(format!("deleting required {resource} resource, named cluster, is not allowed")))
    }
}
