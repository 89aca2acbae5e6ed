//! The status of new objects.

use crate::value::json;

use crate::api::tree::{is_true, items, list, made, set, text};
use crate::api::{GroupVersionKind, Map, Value};

/// Makes the status what it is before any controller has seen the object, where the kind's users do not set it.
pub(super) fn reset(kind: &GroupVersionKind, object: &mut Map) {
    if is_reset(kind) {
        object.remove("status");
        match (&*kind.group, &*kind.kind) {
            ("", "PersistentVolume") => set(object, "status", json!({"phase": "Pending"})),
            ("", "Namespace") => set(object, "status", json!({"phase": "Active"})),
            ("apiextensions.k8s.io", _) => store_version(object),
            _ => {}
        }
    }
}

/// Whether users of the kind do not set its status.
pub(super) fn is_reset(kind: &GroupVersionKind) -> bool {
    matches!(
        (&*kind.group, &*kind.kind),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet")
            | ("batch", "Job" | "CronJob")
            | (
                "",
                "PersistentVolume"
                    | "PersistentVolumeClaim"
                    | "ResourceQuota"
                    | "Namespace"
                    | "Service"
                    | "ReplicationController"
            )
            | ("autoscaling", "HorizontalPodAutoscaler")
            | ("policy", "PodDisruptionBudget")
            | ("networking.k8s.io", "Ingress" | "ServiceCIDR")
            | ("flowcontrol.apiserver.k8s.io", "FlowSchema" | "PriorityLevelConfiguration")
            | ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
            | ("internal.apiserver.k8s.io", "StorageVersion")
            | ("certificates.k8s.io", "CertificateSigningRequest" | "PodCertificateRequest")
            | ("resource.k8s.io", "ResourceClaim" | "DeviceTaintRule" | "ResourcePoolStatusRequest")
            | ("scheduling.k8s.io", "PodGroup")
            | ("storage.k8s.io", "VolumeAttachment")
            | ("storagemigration.k8s.io", "StorageVersionMigration")
            | ("apiregistration.k8s.io", "APIService")
            | ("apiextensions.k8s.io", "CustomResourceDefinition")
    )
}

/// Adds the version that is stored to those that have been.
pub(super) fn store_version(definition: &mut Map) {
    let stored = match definition.get("spec") {
        Some(Value::Object(spec)) => items(spec, "versions").find(|version| is_true(version, "storage")),
        _ => None,
    };
    let Some(name) = stored.map(|version| text(version, "name").to_owned()) else { return };
    let status = made(definition, "status");
    if list(status, "storedVersions").iter().any(|version| *version == *name) {
        return;
    }
    match status.get_mut("storedVersions") {
        Some(Value::Array(versions)) => versions.push(name.into()),
        _ => set(status, "storedVersions", json!([name])),
    }
}
