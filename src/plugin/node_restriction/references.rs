//! Which other objects of the API a pod refers to: a mirror pod, which the kubelet runs without asking the server, may
//! refer to none.
//!
//! Source: `HasAPIObjectReference` of `k8s.io/kubernetes/pkg/api/pod`.

use crate::api::field::Path;
use crate::api::{Value, at};
use crate::go::quote;
use crate::registry::pod::PodTemplate;
use crate::registry::pod_references::{self, sources, volumes};

/// Something that a pod refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// What it is, in the words of the server.
    pub(super) what: String,
    /// Where the pod says so.
    pub(super) path: Path,
}

/// Volumes that are made of other objects, even if they name none.
const REFERRING_VOLUMES: &[(&str, &str)] = &[
    ("configMap", "configmaps (via configmap volumes)"),
    ("secret", "secrets (via secret volumes)"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
];

/// Volumes that need nothing of the API.
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

/// Returns the first thing that `pod` refers to; an error about a volume that is unknown.
pub(super) fn first(pod: &PodTemplate<'_>) -> Result<Option<Found>, Found> {
    let spec = pod.spec_path();
    if !pod.text(&["serviceAccountName"]).is_empty() {
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
    let has = |kind: &str| at(volume, &[kind]).is_some();
    if PLAIN_VOLUMES.iter().any(|kind| has(kind)) {
        return Ok(None);
    }
    if let Some((kind, what)) = REFERRING_VOLUMES.iter().find(|(kind, _)| has(kind)) {
        return Ok(found(what, path.child(*kind)));
    }
    let name = quote(at(volume, &["name"]).and_then(Value::as_str).unwrap_or_default());
    if !has("projected") {
        return Err(Found { what: format!("unknown volume type for volume  {name}"), path: path.clone() });
    }
    for (path, source) in sources(volume, path) {
        let has = |kind: &str| at(source, &[kind]).is_some();
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
