//! Volumes of Pods, sources of persistent volumes, and claims.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`, `SetDefaults_Volume`, `SetDefaults_PersistentVolume` and what they call.

use crate::defaults::image::pull_policy;
use crate::defaults::resources;
use kube_api::Map;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set, set_if_absent, set_if_zero};

/// Mode 0644: readable by all, writable by the owner.
const DEFAULT_MODE: i64 = 0o644;

/// Sets the defaults of a Pod's volume; one without a source is an empty directory.
pub(crate) fn volume(volume: &mut Map) {
    if volume.iter().all(|(field, value)| field == "name" || value.is_null()) {
        set(volume, "emptyDir", Map::new());
        return;
    }
    if let Some(image) = child_mut(volume, "image")
        && image.is_zero("pullPolicy")
    {
        set(image, "pullPolicy", pull_policy(image.text("reference")));
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = child_mut(volume, source) {
            set_if_absent(source, "defaultMode", DEFAULT_MODE);
        }
    }
    if let Some(source) = child_mut(volume, "downwardAPI") {
        downward_items(source);
    }
    if let Some(projected) = child_mut(volume, "projected") {
        for source in items_mut(projected, "sources") {
            if let Some(source) = child_mut(source, "downwardAPI") {
                downward_items(source);
            }
            if let Some(token) = child_mut(source, "serviceAccountToken") {
                set_if_absent(token, "expirationSeconds", 3600);
            }
        }
    }
    if let Some(spec) = child_mut(volume, ["ephemeral", "volumeClaimTemplate"]) {
        claim_spec(child_or_insert(spec, "spec"));
    }
    volume_source(volume);
}

/// Sets the defaults of the sources that a Pod's volume and a persistent volume share.
pub(crate) fn volume_source(source: &mut Map) {
    if let Some(path) = child_mut(source, "hostPath") {
        set_if_absent(path, "type", "");
    }
    if let Some(iscsi) = child_mut(source, "iscsi") {
        set_if_zero(iscsi, "iscsiInterface", "default");
    }
    if let Some(rbd) = child_mut(source, "rbd") {
        set_if_zero(rbd, "pool", "rbd");
        set_if_zero(rbd, "user", "admin");
        set_if_zero(rbd, "keyring", "/etc/ceph/keyring");
    }
    if let Some(disk) = child_mut(source, "azureDisk") {
        set_if_absent(disk, "cachingMode", "ReadWrite");
        set_if_absent(disk, "fsType", "ext4");
        set_if_absent(disk, "readOnly", false);
        set_if_absent(disk, "kind", "Shared");
    }
    if let Some(scale_io) = child_mut(source, "scaleIO") {
        set_if_zero(scale_io, "storageMode", "ThinProvisioned");
        set_if_zero(scale_io, "fsType", "xfs");
    }
}

/// Sets the defaults of `PersistentVolumeClaim`.
pub(crate) fn claim(claim: &mut Map) {
    let status = child_or_insert(claim, "status");
    set_if_zero(status, "phase", "Pending");
    resources::round_up(status, "capacity");
    resources::round_up(status, "allocatedResources");
    claim_spec(child_or_insert(claim, "spec"));
}

pub(crate) fn claim_spec(spec: &mut Map) {
    set_if_absent(spec, "volumeMode", "Filesystem");
    resources::requirements(spec);
}

fn downward_items(source: &mut Map) {
    for item in items_mut(source, "items") {
        if let Some(reference) = child_mut(item, "fieldRef") {
            set_if_zero(reference, "apiVersion", "v1");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::{Value, json};

    fn volume(volume: &Value) -> Value {
        let spec = json!({"volumes": [volume]});
        defaulted(json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}))["spec"]["volumes"][0].clone()
    }

    #[test]
    fn a_volume_without_source_is_an_empty_directory() {
        assert_eq!(volume(&json!({"name": "a"})), json!({"name": "a", "emptyDir": {}}));
        let nfs = json!({"name": "a", "nfs": {"path": "/", "server": "b"}});
        assert_eq!(volume(&nfs), nfs);
    }

    #[test]
    fn sources_are_completed() {
        assert_eq!(volume(&json!({"secret": {}}))["secret"]["defaultMode"], 420);
        assert_eq!(volume(&json!({"hostPath": {"path": "/"}}))["hostPath"]["type"], "");
        assert_eq!(volume(&json!({"image": {"reference": "a:1"}}))["image"]["pullPolicy"], "IfNotPresent");
        assert_eq!(volume(&json!({"rbd": {"image": "a"}}))["rbd"]["keyring"], "/etc/ceph/keyring");
        assert_eq!(volume(&json!({"azureDisk": {}}))["azureDisk"]["readOnly"], false);
        let sources = json!([
            {"serviceAccountToken": {"path": "a"}},
            {"downwardAPI": {"items": [{"fieldRef": {"fieldPath": "metadata.name"}}]}}
        ]);
        let projected = &volume(&json!({"projected": {"sources": sources}}))["projected"];
        assert_eq!(projected["sources"][0]["serviceAccountToken"]["expirationSeconds"], 3600);
        assert_eq!(projected["sources"][1]["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"], "v1");
        let template = volume(&json!({"ephemeral": {"volumeClaimTemplate": {}}}));
        assert_eq!(template["ephemeral"]["volumeClaimTemplate"]["spec"]["volumeMode"], "Filesystem");
    }

    #[test]
    fn persistent_volumes_and_claims_are_pending_file_systems() {
        let volume = defaulted(json!({"apiVersion": "v1", "kind": "PersistentVolume"}));
        assert_eq!(
            volume["spec"],
            json!({"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"})
        );
        assert_eq!(volume["status"]["phase"], "Pending");
        let claim = defaulted(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim"}));
        assert_eq!(
            (&claim["spec"]["volumeMode"], &claim["status"]["phase"]),
            (&json!("Filesystem"), &json!("Pending"))
        );
    }
}
