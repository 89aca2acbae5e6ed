//! Compares the Pod Security level of a namespace with the one that the driver of an inline CSI volume requires, so
//! that such volumes do not circumvent the namespace's level.
//!
//! # When it rejects
//!
//! - The namespace enforces a stricter level than the driver's. Stricter levels of `warn` and `audit` cause a warning
//!   and an audit annotation.
//! - A label of the namespace or of the driver is not a level.
//!
//! # Cluster objects it reads
//!
//! The Namespace, the CSIDrivers of inline volumes.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.13, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/storage/csiinlinevolumesecurity`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::pod_security::{Level, Policy};
use kube_api::resources::CSI_DRIVERS;
use kube_registry::pod::PodTemplate;

const NAME: &str = "storage.openshift.io/CSIInlineVolumeSecurity";
const DRIVER_LABEL: &str = "security.openshift.io/csi-ephemeral-volume-profile";
/// The policy of a namespace without labels.
const DEFAULTS: Policy = Policy::everywhere(Level::Restricted);
const RESOURCES: [(&str, &str); 9] = [
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("", "podtemplates"),
    ("apps", "replicasets"),
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "daemonsets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(CSIInlineVolumeSecurity { cluster: initializer.cluster.clone() })
}

struct CSIInlineVolumeSecurity {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for CSIInlineVolumeSecurity {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !RESOURCES.iter().any(|(group, resource)| attributes.is_for(group, resource)) {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        let Some(template) = PodTemplate::of(object) else { return Ok(()) };
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let name = gotext::quote(&attributes.namespace);
            return Err(
                attributes.new_forbidden(format!("failed to get namespace: namespace {name} not found"))
            );
        };
        let (policy, errors) = Policy::of(&namespace, &DEFAULTS);
        if !errors.is_empty() {
            // The server prints the whole object of the namespace.
            let name = &attributes.namespace;
            let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
            let error = format!("invalid policy found on namespace {name}: [{}]", errors.join(" "));
            return Err(attributes.new_forbidden(error));
        }
        if policy.is_fully_privileged() {
            return Ok(());
        }
        let drivers = template
            .list("volumes")
            .iter()
            .enumerate()
            .filter_map(|(index, volume)| Some((index, volume.at(["csi", "driver"])?.as_str()?)));
        for (index, driver) in drivers {
            let own = self.driver_level(driver).map_err(|error| attributes.new_forbidden(error))?;
            let text = |mode: &str| {
                format!(
                    "{} uses an inline volume provided by CSIDriver {driver} and namespace {} has a pod security {mode} \
                     level that is lower than {}",
                    attributes.name, attributes.namespace, own
                )
            };
            if policy.enforce.level > own {
                let path = template.spec_path().child("volumes").index(index).child("csi");
                return Err(attributes.new_forbidden(text("enforce")).at(path));
            }
            if policy.warn.level > own {
                recorder.add_warning(text("warn"));
            }
            if policy.audit.level > own {
                recorder.add_audit_annotation(NAME, text("audit"));
            }
        }
        Ok(())
    }
}

impl CSIInlineVolumeSecurity {
    fn driver_level(&self, name: &str) -> Result<Level, String> {
        let driver = self.cluster.get(&CSI_DRIVERS, "", name);
        let Some(label) = driver.as_ref().and_then(|driver| driver.label(DRIVER_LABEL)) else {
            return Ok(Level::Privileged);
        };
        label.parse().map_err(|detail| format!("invalid label {DRIVER_LABEL} for CSIDriver {name}: {detail}"))
    }
}
