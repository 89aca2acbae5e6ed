//! The status of new objects.

use serde_json::json;

use crate::api::tree::{is_true, items, list, made, set, text};
use crate::api::{GroupVersionKind, Map, Value};

/// Makes the status what it is before any controller has seen the object, where the kind's users do not set it.
pub(super) fn reset(kind: &GroupVersionKind, object: &mut Map) {
    if let Some(status) = initial(kind) {
        if status.is_null() {
            object.remove("status");
        } else {
            set(object, "status", status);
        }
        if kind.is("apiextensions.k8s.io", "CustomResourceDefinition") {
            store_version(object);
        }
    }
}

/// Whether users of the kind do not set its status.
pub(super) fn is_reset(kind: &GroupVersionKind) -> bool {
    initial(kind).is_some()
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

/// The status of a new object with the fields that are always written; `null` where it has none at all.
fn initial(kind: &GroupVersionKind) -> Option<Value> {
    Some(match (&*kind.group, &*kind.kind) {
        ("apps", "Deployment")
        | ("batch", "Job" | "CronJob")
        | ("", "PersistentVolumeClaim" | "ResourceQuota")
        | ("flowcontrol.apiserver.k8s.io", "FlowSchema" | "PriorityLevelConfiguration")
        | ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
        | ("internal.apiserver.k8s.io", "StorageVersion")
        | ("certificates.k8s.io", "CertificateSigningRequest" | "PodCertificateRequest")
        | ("resource.k8s.io", "ResourceClaim" | "DeviceTaintRule")
        | ("scheduling.k8s.io", "PodGroup")
        | ("storagemigration.k8s.io", "StorageVersionMigration")
        | ("networking.k8s.io", "ServiceCIDR")
        | ("apiregistration.k8s.io", "APIService") => json!({}),
        ("resource.k8s.io", "ResourcePoolStatusRequest") => Value::Null,
        ("apps", "ReplicaSet") | ("", "ReplicationController") => json!({"replicas": 0}),
        ("apps", "StatefulSet") => json!({"replicas": 0, "availableReplicas": 0}),
        ("apps", "DaemonSet") => json!({
            "currentNumberScheduled": 0,
            "desiredNumberScheduled": 0,
            "numberMisscheduled": 0,
            "numberReady": 0
        }),
        ("", "Service") | ("networking.k8s.io", "Ingress") => json!({"loadBalancer": {}}),
        ("", "PersistentVolume") => json!({"phase": "Pending"}),
        ("", "Namespace") => json!({"phase": "Active"}),
        ("autoscaling", "HorizontalPodAutoscaler") if kind.version == "v1" => {
            json!({"currentReplicas": 0, "desiredReplicas": 0})
        }
        ("autoscaling", "HorizontalPodAutoscaler") => json!({"currentMetrics": null, "desiredReplicas": 0}),
        ("policy", "PodDisruptionBudget") => json!({
            "currentHealthy": 0,
            "desiredHealthy": 0,
            "disruptionsAllowed": 0,
            "expectedPods": 0
        }),
        ("storage.k8s.io", "VolumeAttachment") => json!({"attached": false}),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => json!({
            "acceptedNames": {"kind": "", "plural": ""},
            "conditions": null,
            "storedVersions": null
        }),
        _ => return None,
    })
}
