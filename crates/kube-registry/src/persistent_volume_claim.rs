//! Views of claims.

use kube_api::Object;

const BETA_STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the storage class that `claim` names: the old annotation takes precedence over the field, and an empty name
/// counts as a name.
///
/// Source: `GetPersistentVolumeClaimClass` and `PersistentVolumeClaimHasClass` in
/// `k8s.io/kubernetes/pkg/apis/core/helper`.
pub fn storage_class_name(claim: &Object) -> Option<&str> {
    claim.annotation(BETA_STORAGE_CLASS).or_else(|| claim.at(["spec", "storageClassName"])?.as_str())
}
