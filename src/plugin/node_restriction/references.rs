//! References of a pod to other API objects: a mirror pod, which the kubelet runs without the server's consent, may
//! have none.
//!
//! Source: `HasAPIObjectReference` of `k8s.io/kubernetes/pkg/api/pod`.

use gotext::quote;
use kube_api::Value;
use kube_api::field::Path;
use kube_registry::pod::PodTemplate;
use kube_registry::pod_references::{self, sources, volumes};

/// A reference of a pod.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The kind of reference, in the server's words.
    pub(super) what: String,
    /// The path of the reference.
    pub(super) path: Path,
}

/// Volume types that are built from other objects, even if they name none.
const REFERRING_VOLUMES: &[(&str, &str)] = &[
    ("configMap", "configmaps (via configmap volumes)"),
    ("secret", "secrets (via secret volumes)"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
];

/// Volume types that need no API objects.
const PLAIN_VOLUMES: &[&str] = &[
    "awsElasticBlockStore",
    "azureDisk",
    "cephfs",
    "cinder",
    "downwardAPI",
    "emptyDir",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
];

const REFERRING_SOURCES: &[(&str, &str)] = &[
    ("configMap", "configmaps (via projected volumes)"),
    ("secret", "secrets (via projected volumes)"),
    ("serviceAccountToken", "serviceaccounts (via projected volumes)"),
    ("clusterTrustBundle", "clustertrustbundles"),
    ("podCertificate", "podcertificates"),
];

/// Returns the first reference of `pod`; an error for an unknown volume type.
pub(super) fn first(pod: &PodTemplate<'_>) -> Result<Option<Found>, Found> {
    let spec = pod.spec_path();
    if !pod.text("serviceAccountName").is_empty() {
        return Ok(found("serviceaccounts", spec.child("serviceAccountName")));
    }
    if let Some((path, _)) = pod_references::secrets(pod).into_iter().next() {
        return Ok(found("secrets", path));
    }
    if let Some((path, _)) = pod_references::config_maps(pod).into_iter().next() {
        return Ok(found("configmaps", path));
    }
    if !pod.list("resourceClaims").is_empty() {
        return Ok(found("resourceclaims", spec.child("resourceClaims")));
    }
    for (path, volume) in volumes(pod) {
        if let Some(found) = of_volume(volume, &path)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn of_volume(volume: &Value, path: &Path) -> Result<Option<Found>, Found> {
    let has = |kind: &str| volume.has(kind);
    if PLAIN_VOLUMES.iter().any(|kind| has(kind)) {
        return Ok(None);
    }
    if let Some((kind, what)) = REFERRING_VOLUMES.iter().find(|(kind, _)| has(kind)) {
        return Ok(found(what, path.child(*kind)));
    }
    let name = quote(volume.text("name"));
    if !has("projected") {
        return Err(Found { what: format!("unknown volume type for volume  {name}"), path: path.clone() });
    }
    for (path, source) in sources(volume, path) {
        let has = |kind: &str| source.has(kind);
        if let Some((kind, what)) = REFERRING_SOURCES.iter().find(|(kind, _)| has(kind)) {
            return Ok(found(what, path.child(*kind)));
        }
        if !has("downwardAPI") {
            return Err(Found { what: format!("unknown source for projected volume {name}"), path });
        }
    }
    Ok(None)
}

#[expect(clippy::unnecessary_wraps, reason = "every caller hands it on as an option")]
fn found(what: &str, path: Path) -> Option<Found> {
    Some(Found { what: what.to_owned(), path })
}
