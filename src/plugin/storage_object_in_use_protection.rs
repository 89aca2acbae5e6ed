//! Adds a finalizer to new volumes, claims and volume attributes classes, so that deleting one that is still in use
//! takes effect only when nothing uses it any more. Without it, deleting a claim by mistake removes the data of a
//! running pod.
//!
//! | resource | finalizer |
//! |---|---|
//! | `persistentvolumes` | `kubernetes.io/pv-protection` |
//! | `persistentvolumeclaims` | `kubernetes.io/pvc-protection` |
//! | `volumeattributesclasses` | `kubernetes.io/vac-protection` |
//!
//! # When it rejects
//!
//! Never.
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
//! Before 1.10; on by default and generally available since 1.11. Volume attributes classes since 1.29, with the gate
//! `VolumeAttributesClass`, which is on by default since 1.34 and cannot be turned off in 1.36.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection`

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use kube_api::features::Feature;

/// Group, resource and the finalizer that protects its objects.
const FINALIZERS: [(&str, &str, &str); 3] = [
    ("", "persistentvolumes", "kubernetes.io/pv-protection"),
    ("", "persistentvolumeclaims", "kubernetes.io/pvc-protection"),
    ("storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"),
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let protects_attributes = initializer.profile.enabled(Feature::VolumeAttributesClass);
    Handler::mutating(StorageObjectInUseProtection { protects_attributes })
}

struct StorageObjectInUseProtection {
    /// Whether classes of attributes are protected, too.
    protects_attributes: bool,
}

impl MutationInterface for StorageObjectInUseProtection {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some((.., finalizer)) =
            FINALIZERS.into_iter().find(|(group, resource, _)| attributes.is_for(group, resource))
        else {
            return Ok(());
        };
        if attributes.is_for("storage.k8s.io", "volumeattributesclasses") && !self.protects_attributes {
            return Ok(());
        }
        let path = ["metadata", "finalizers"];
        if attributes
            .object
            .as_deref()
            .is_some_and(|object| object.list(path).iter().any(|it| it == finalizer))
        {
            return Ok(());
        }
        if let Some(object) = attributes.object_mut() {
            object.append(path, finalizer);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, pod, update};
    use gotext::value::json;
    use kube_api::Value;

    fn object(api_version: &str, kind: &str, finalizers: &[&str]) -> Value {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "data", "finalizers": finalizers}})
    }

    #[test]
    fn admits_each_kind_with_its_finalizer_at_the_end() {
        let bench = Bench::new("StorageObjectInUseProtection", []);
        for (api_version, kind, finalizer) in [
            ("v1", "PersistentVolume", "kubernetes.io/pv-protection"),
            ("v1", "PersistentVolumeClaim", "kubernetes.io/pvc-protection"),
            ("storage.k8s.io/v1", "VolumeAttributesClass", "kubernetes.io/vac-protection"),
        ] {
            let other = "example.com/other";
            assert_eq!(
                bench.admitted(create(object(api_version, kind, &[other]))),
                object(api_version, kind, &[other, finalizer])
            );
        }
    }

    #[test]
    fn ignores_protected_objects_updates_and_other_kinds() {
        let bench = Bench::new("StorageObjectInUseProtection", []);
        let claim = |finalizers: &[&str]| object("v1", "PersistentVolumeClaim", finalizers);
        assert!(bench.leaves_alone(create(claim(&["kubernetes.io/pvc-protection", "example.com/other"]))));
        assert!(bench.leaves_alone(update(claim(&[]), claim(&[]))));
        assert!(bench.leaves_alone(create(pod(json!({})))));
    }
}
