//! Sets by labels of the namespace how the ownership and the SELinux labels of volumes change when a pod starts, so
//! that large volumes do not delay it.
//!
//! # When it rejects
//!
//! - Never; a label with an unknown value causes a warning.
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.20 with the feature gate StoragePerformantSecurityPolicy.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/storage/performantsecuritypolicy`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::Status;

/// A label, the field that it is the default of, the valid values, and its name in the warning.
const POLICIES: [(&str, &str, [&str; 2], &str); 2] = [
    (
        "storage.openshift.io/fsgroup-change-policy",
        "fsGroupChangePolicy",
        ["OnRootMismatch", "Always"],
        "fsGroupPolicy",
    ),
    (
        "storage.openshift.io/selinux-change-policy",
        "seLinuxChangePolicy",
        ["MountOption", "Recursive"],
        "selinuxPolicy",
    ),
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let is_on = initializer.openshift.performant_security_policy;
    Handler::mutating(PerformantSecurityPolicy { cluster: initializer.cluster.clone(), is_on })
}

struct PerformantSecurityPolicy {
    cluster: Arc<Cluster>,
    is_on: bool,
}

impl MutationInterface for PerformantSecurityPolicy {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.is_on || !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let name = gotext::quote(&attributes.namespace);
            return Err(Status::from_error(format!(
                "error listing pod namespace: namespace {name} not found"
            ))
            .into());
        };
        for (label, field, values, name) in POLICIES {
            let Some(value) = namespace.label(label) else { continue };
            let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
            if pod.at(["spec", "securityContext", field]).is_some_and(|given| !given.is_null()) {
                continue;
            }
            if !values.contains(&value) {
                let namespace = namespace.name();
                recorder.add_warning(format!(
                    "found {label} label with invalid {name}: {value} on {namespace} namespace"
                ));
                continue;
            }
            recorder.add_audit_annotation(label, value);
            recorder.add_audit_annotation(
                format!("{label}-pod"),
                format!("{}/{}", pod.name(), attributes.namespace),
            );
            if let Some(pod) = attributes.object_mut() {
                pod.set(["spec", "securityContext", field], value);
            }
        }
        Ok(())
    }
}
