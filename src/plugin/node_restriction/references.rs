//! Which other objects of the API a pod refers to: a mirror pod, which the kubelet runs without asking the server, may
//! refer to none.
//!
//! Source: `HasAPIObjectReference` of `k8s.io/kubernetes/pkg/api/pod`.

use crate::api::field::{Path, go_quote};
use crate::api::pod::{Container, PodTemplate};
use crate::api::{Value, at};

/// Something that a pod refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// What it is, in the words of the server.
    pub(super) what: String,
    /// Where the pod says so.
    pub(super) path: Path,
}

/// Volumes that name a secret, and where.
const SECRETS_OF_VOLUMES: &[(&str, &[&str])] = &[
    ("azureFile", &["secretName"]),
    ("cephfs", &["secretRef", "name"]),
    ("cinder", &["secretRef", "name"]),
    ("flexVolume", &["secretRef", "name"]),
    ("rbd", &["secretRef", "name"]),
    ("secret", &["secretName"]),
    ("scaleIO", &["secretRef", "name"]),
    ("iscsi", &["secretRef", "name"]),
    ("storageos", &["secretRef", "name"]),
    ("csi", &["nodePublishSecretRef", "name"]),
];

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

/// The first thing that `pod` refers to; an error about a volume that nobody knows.
pub(super) fn first(pod: &PodTemplate<'_>) -> Result<Option<Found>, Found> {
    let spec = pod.spec_path();
    if !pod.text(&["serviceAccountName"]).is_empty() {
        return Ok(found("serviceaccounts", spec.child("serviceAccountName")));
    }
    if let Some(path) = first_secret(pod) {
        return Ok(found("secrets", path));
    }
    if let Some(path) = first_config_map(pod) {
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

fn first_secret(pod: &PodTemplate<'_>) -> Option<Path> {
    let pull_secrets = items(pod.list("imagePullSecrets"), &pod.spec_path().child("imagePullSecrets"));
    let pull_secret = pull_secrets.into_iter().find_map(|(path, secret)| named(secret, &["name"], path));
    let of_container =
        || pod.containers().find_map(|container| of_container(&container, "secretRef", "secretKeyRef"));
    let of_volume = |(path, volume): (Path, _)| {
        let kind = SECRETS_OF_VOLUMES.iter().find(|(kind, _)| at(volume, &[kind]).is_some());
        match kind {
            Some((kind, field)) => named(at(volume, &[kind])?, field, path.child(*kind)),
            None => of_projected(volume, &path, "secret"),
        }
    };
    pull_secret.or_else(of_container).or_else(|| volumes(pod).into_iter().find_map(of_volume))
}

fn first_config_map(pod: &PodTemplate<'_>) -> Option<Path> {
    let of_volume = |(path, volume): (Path, _)| {
        let config_map = at(volume, &["configMap"]);
        let named = config_map.and_then(|config_map| named(config_map, &["name"], path.child("configMap")));
        named.or_else(|| of_projected(volume, &path, "configMap"))
    };
    pod.containers()
        .find_map(|container| of_container(&container, "configMapRef", "configMapKeyRef"))
        .or_else(|| volumes(pod).into_iter().find_map(of_volume))
}

/// Where the environment of `container` names an object, by one of two fields.
fn of_container(container: &Container<'_>, from: &'static str, key: &'static str) -> Option<Path> {
    let list = |field: &'static str| items(container.list(&[field]), &container.path().child(field));
    let from = list("envFrom").into_iter().find_map(|(path, source)| named(source, &[from, "name"], path));
    from.or_else(|| {
        list("env")
            .into_iter()
            .find_map(|(path, variable)| named(variable, &["valueFrom", key, "name"], path))
    })
}

fn of_projected(volume: &Value, path: &Path, kind: &'static str) -> Option<Path> {
    sources(volume, path).into_iter().find_map(|(path, source)| named(source, &[kind, "name"], path))
}

fn of_volume(volume: &Value, path: &Path) -> Result<Option<Found>, Found> {
    let has = |kind: &str| at(volume, &[kind]).is_some();
    if PLAIN_VOLUMES.iter().any(|kind| has(kind)) {
        return Ok(None);
    }
    if let Some((kind, what)) = REFERRING_VOLUMES.iter().find(|(kind, _)| has(kind)) {
        return Ok(found(what, path.child(*kind)));
    }
    let name = go_quote(at(volume, &["name"]).and_then(Value::as_str).unwrap_or_default());
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

fn volumes<'a>(pod: &PodTemplate<'a>) -> Vec<(Path, &'a Value)> {
    items(pod.list("volumes"), &pod.spec_path().child("volumes"))
}

fn sources<'a>(volume: &'a Value, path: &Path) -> Vec<(Path, &'a Value)> {
    let sources = at(volume, &["projected", "sources"]).and_then(Value::as_array);
    items(sources.map_or(&[], Vec::as_slice), &path.child("projected").child("sources"))
}

fn items<'a>(list: &'a [Value], path: &Path) -> Vec<(Path, &'a Value)> {
    list.iter().enumerate().map(|(index, item)| (path.index(index), item)).collect()
}

/// The path of the named field below `path`, if there is text in it.
fn named(value: &Value, fields: &[&'static str], path: Path) -> Option<Path> {
    at(value, fields)?.as_str().filter(|name| !name.is_empty())?;
    Some(fields.iter().fold(path, |path, field| path.child(*field)))
}

#[expect(clippy::unnecessary_wraps, reason = "every caller hands it on as an option")]
fn found(what: &str, path: Path) -> Option<Found> {
    Some(Found { what: what.to_owned(), path })
}
