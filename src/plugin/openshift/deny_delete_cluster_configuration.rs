//! Forbids deleting the objects of `config.openshift.io` that configure the cluster: those named `cluster`, and the
//! cluster version named `version`. Without them operators would start over with defaults.
//!
//! # When it rejects
//!
//! - The object named `cluster` of a resource of the group is deleted; of `clusterversions` the one named `version`.
//!   Cluster operators may always be deleted.
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
//! OpenShift 4.2, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation/config`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::validating(DenyDeleteClusterConfiguration)
}

struct DenyDeleteClusterConfiguration;

impl ValidationInterface for DenyDeleteClusterConfiguration {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let resource = attributes.resource.group_resource();
        if attributes.has_sub_resource() || resource.group != "config.openshift.io" {
            return Ok(());
        }
        let required = match &*resource.resource {
            "clusteroperators" => return Ok(()),
            "clusterversions" => "version",
            _ => "cluster",
        };
        if attributes.name != required {
            return Ok(());
        }
        let name = &attributes.name;
        Err(attributes
            .new_forbidden(format!("deleting required {resource} resource, named {name}, is not allowed")))
    }
}
