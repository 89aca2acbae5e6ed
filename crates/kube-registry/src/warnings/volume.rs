//! Persistent volumes and claims.
//!
//! Source: `k8s.io/kubernetes/pkg/api/{persistentvolume,persistentvolumeclaim}`.

use crate::warnings::Warnings;
use gotext::quantity::Quantity;
use gotext::quote;
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::field::Path;

pub(crate) const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the fate of the volume plugin that the field `plugin` configures, if the release warns about it.
pub(crate) fn fate_of_plugin(plugin: &str, warnings: &Warnings<'_>) -> Option<&'static str> {
    Some(match plugin {
        "photonPersistentDisk" => "deprecated in v1.11, non-functional in v1.16+",
        "scaleIO" => "deprecated in v1.16, non-functional in v1.22+",
        "flocker" | "quobyte" | "storageos" if warnings.since(27) => {
            "deprecated in v1.22, non-functional in v1.25+"
        }
        "flocker" | "quobyte" | "storageos" if warnings.since(22) => {
            "deprecated in v1.22, support removal is planned in v1.26"
        }
        "glusterfs" if warnings.since(27) => "deprecated in v1.25, non-functional in v1.26+",
        "glusterfs" if warnings.since(25) => {
            "deprecated in v1.25, this feature will be removed soon after in a subsequent release"
        }
        "cephfs" | "rbd" if warnings.since(28) => "deprecated in v1.28, non-functional in v1.31+",
        "gitRepo" if warnings.profile().enabled(Feature::GitRepoVolumeDriver) || !warnings.since(33) => {
            "deprecated in v1.11"
        }
        "gitRepo" => "deprecated in v1.11, and disabled by default in v1.33+",
        _ => return None,
    })
}

pub(crate) fn claim_spec(spec: &Map, path: &Path, warnings: &mut Warnings<'_>) {
    if !warnings.since(26) {
        return;
    }
    for list in ["requests", "limits"] {
        fractional_bytes(spec, list, "storage", path, warnings);
    }
}

/// Warns about a part of a byte in `owner.resources[list][resource]`.
pub(crate) fn fractional_bytes(
    owner: &Map,
    list: &'static str,
    resource: &str,
    path: &Path,
    warnings: &mut Warnings<'_>,
) {
    let Some(quantities) = owner.child("resources").and_then(|resources| resources.child(list)) else {
        return;
    };
    fractional_quantity(quantities, resource, || path.child("resources").child(list), warnings);
}

/// Warns about a part of a byte in `quantities[resource]`.
pub(crate) fn fractional_quantity(
    quantities: &Map,
    resource: &str,
    path: impl FnOnce() -> Path,
    warnings: &mut Warnings<'_>,
) {
    if let Ok(quantity) = Quantity::parse(quantities.text(resource))
        && quantity.milli_value() % 1000 != 0
    {
        warnings.push(format!(
            "{}: fractional byte value {} is invalid, must be an integer",
            path().key(resource),
            quote(&quantity.to_string())
        ));
    }
}

/// Returns the plugin as warnings name it; for one of them that is not its field.
pub(crate) fn printed(plugin: &str) -> &str {
    if plugin == "storageos" { "storageOS" } else { plugin }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::json;

    #[test]
    fn old_annotations_plugins_and_policies_are_named() {
        let metadata = json!({"annotations": {"volume.beta.kubernetes.io/mount-options": "ro"}});
        let spec = json!({"persistentVolumeReclaimPolicy": "Recycle", "storageos": {}, "flocker": {}});
        assert_eq!(
            on_create(
                json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})
            ),
            [
                "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use \
                 \"mountOptions\" attribute instead",
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended \
                 approach is to use dynamic provisioning.",
                "spec.storageOS: deprecated in v1.22, non-functional in v1.25+"
            ]
        );
    }

    #[test]
    fn storage_comes_in_whole_bytes() {
        let spec = json!({"resources": {"requests": {"storage": "100m"}, "limits": {"storage": "1Gi"}}});
        assert_eq!(
            on_create(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec})),
            [
                "spec.resources.requests[storage]: fractional byte value \"100m\" is invalid, must be an integer"
            ]
        );
    }
}
