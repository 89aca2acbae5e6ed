//! Types of volumes as constraints name them.
//!
//! Source: `util/util.go`.

use kube_api::Value;

/// The fields of a volume and the types that they imply, in the order in which they are checked.
const TYPES: [(&str, &str); 30] = [
    ("hostPath", "hostPath"),
    ("emptyDir", "emptyDir"),
    ("gcePersistentDisk", "gcePersistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore"),
    ("gitRepo", "gitRepo"),
    ("secret", "secret"),
    ("nfs", "nfs"),
    ("iscsi", "iscsi"),
    ("glusterfs", "glusterfs"),
    ("persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd"),
    ("flexVolume", "flexVolume"),
    ("cinder", "cinder"),
    ("cephfs", "cephFS"),
    ("flocker", "flocker"),
    ("downwardAPI", "downwardAPI"),
    ("fc", "fc"),
    ("azureFile", "azureFile"),
    ("configMap", "configMap"),
    ("vsphereVolume", "vsphere"),
    ("quobyte", "quobyte"),
    ("azureDisk", "azureDisk"),
    ("photonPersistentDisk", "photonPersistentDisk"),
    ("projected", "projected"),
    ("portworxVolume", "portworxVolume"),
    ("scaleIO", "scaleIO"),
    ("storageos", "storageOS"),
    ("csi", "csi"),
    ("ephemeral", "ephemeral"),
    ("image", "image"),
];

/// Every type, ordered by name.
pub(crate) const ALL_TYPES: [&str; 30] = [
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephFS",
    "cinder",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "persistentVolumeClaim",
    "photonPersistentDisk",
    "portworxVolume",
    "projected",
    "quobyte",
    "rbd",
    "scaleIO",
    "secret",
    "storageOS",
    "vsphere",
];

/// Returns the type of `volume`; nothing for one that has no known source.
pub(super) fn type_of(volume: &Value) -> Option<&'static str> {
    let is_it = |(field, _): &&(&str, &str)| volume.at(field).is_some_and(|source| !source.is_null());
    TYPES.iter().find(is_it).map(|(_, name)| *name)
}

/// Whether `volume` is of an allowed type, or a projection of only the service account's token while secrets are
/// allowed.
pub(super) fn is_allowed(volume: &Value, name: &str, allowed: &[&str]) -> bool {
    allowed.contains(&name)
        || name == "projected" && allowed.contains(&"secret") && projects_only_the_token(volume)
}

/// Source: `IsOnlyServiceAccountTokenSources`.
fn projects_only_the_token(volume: &Value) -> bool {
    let sources = volume.at(["projected", "sources"]).and_then(Value::as_array);
    sources.into_iter().flatten().all(|source| {
        let part = |field: &str| source.at(field).filter(|part| !part.is_null());
        let (token, map, api) = (part("serviceAccountToken"), part("configMap"), part("downwardAPI"));
        (token.is_some() || map.is_some() || api.is_some())
            && token.is_none_or(|token| token.text("path") == "token" && token.text("audience").is_empty())
            && map.is_none_or(is_certificate)
            && api.is_none_or(|api| items(api).iter().all(is_namespace))
    })
}

fn items(source: &Value) -> &[Value] {
    source.list("items")
}

fn is_certificate(map: &Value) -> bool {
    let key = match map.text("name") {
        "kube-root-ca.crt" => "ca.crt",
        "openshift-service-ca.crt" => "service-ca.crt",
        _ => return false,
    };
    matches!(items(map), [item] if item.text("key") == key && item.text("path") == key)
}

fn is_namespace(item: &Value) -> bool {
    item.text("path") == "namespace"
        && item.text(["fieldRef", "apiVersion"]) == "v1"
        && item.text(["fieldRef", "fieldPath"]) == "metadata.namespace"
}
