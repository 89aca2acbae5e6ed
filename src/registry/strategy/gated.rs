//! Fields behind feature gates: one that the gates do not allow is dropped, unless the object has used it before.
//!
//! Gates that the release has locked are not asked for.
//!
//! Source: the `dropDisabled…` functions of `k8s.io/kubernetes/pkg/api` and `pkg/registry`.

use crate::api::features::FeatureGates;
use crate::api::tree::{child, child_mut, items_mut, text};
use crate::api::{GroupVersionKind, Map, Value};

/// Fields that go together: all of them are dropped where one of the gates is closed and none of them is in use.
struct Gated {
    gates: &'static [&'static str],
    /// Steps by `/`; `*` is each item of a list or map; a map marked by `!` goes with its last field.
    fields: &'static [&'static str],
}

const fn gated(gates: &'static [&'static str], fields: &'static [&'static str]) -> Gated {
    Gated { gates, fields }
}

const POD_SPEC: &[Gated] = &[
    gated(&["PodLevelResources"], &["resources"]),
    gated(&["MatchLabelKeysInPodTopologySpread"], &["topologySpreadConstraints/*/matchLabelKeys"]),
    gated(&["ClusterTrustBundleProjection"], &["volumes/*/projected/sources/*/clusterTrustBundle"]),
    gated(&["PodCertificateRequest"], &["volumes/*/projected/sources/*/podCertificate"]),
    gated(&["GenericWorkload"], &["schedulingGroup"]),
    gated(&["HostnameOverride"], &["hostnameOverride"]),
    gated(
        &["EnvFiles"],
        &[
            "containers/*/env/*/valueFrom/fileKeyRef",
            "initContainers/*/env/*/valueFrom/fileKeyRef",
            "ephemeralContainers/*/env/*/valueFrom/fileKeyRef",
        ],
    ),
    gated(
        &["ContainerStopSignals"],
        &[
            "containers/*/lifecycle!/stopSignal",
            "initContainers/*/lifecycle!/stopSignal",
            "ephemeralContainers/*/lifecycle!/stopSignal",
        ],
    ),
];

const CONTAINER_RESTART_RULES: &[Gated] = &[gated(
    &["ContainerRestartRules"],
    &[
        "containers/*/restartPolicy",
        "containers/*/restartPolicyRules",
        "ephemeralContainers/*/restartPolicy",
        "ephemeralContainers/*/restartPolicyRules",
        "initContainers/*/restartPolicyRules",
    ],
)];

const POD: &[Gated] = &[
    gated(&["InPlacePodLevelResourcesVerticalScaling"], &["status/resources", "status/allocatedResources"]),
    gated(&["DRAExtendedResource"], &["status/extendedResourceClaimStatus"]),
    gated(&["DRANodeAllocatableResources"], &["status/nodeAllocatableResourceClaimStatuses"]),
    gated(
        &["ResourceHealthStatus"],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus",
            "status/initContainerStatuses/*/allocatedResourcesStatus",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus",
        ],
    ),
    gated(
        &["ResourceHealthStatusMessage"],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/initContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
        ],
    ),
    gated(
        &["ImageVolumeWithDigest"],
        &[
            "status/containerStatuses/*/volumeMounts/*/volumeStatus",
            "status/initContainerStatuses/*/volumeMounts/*/volumeStatus",
            "status/ephemeralContainerStatuses/*/volumeMounts/*/volumeStatus",
        ],
    ),
];

const TERMINATING_REPLICAS: &[Gated] =
    &[gated(&["DeploymentReplicaSetTerminatingReplicas"], &["status/terminatingReplicas"])];

const STATEFUL_SET: &[Gated] =
    &[gated(&["MaxUnavailableStatefulSet"], &["spec/updateStrategy/rollingUpdate/maxUnavailable"])];

const AUTOSCALER: &[Gated] = &[gated(
    &["HPAConfigurableTolerance"],
    &["spec/behavior/scaleDown/tolerance", "spec/behavior/scaleUp/tolerance"],
)];

const LEASE: &[Gated] = &[
    gated(&["CoordinatedLeaderElection"], &["spec/strategy"]),
    gated(&["CoordinatedLeaderElection"], &["spec/preferredHolder"]),
];

const NODE: &[Gated] = &[gated(&["NodeDeclaredFeatures"], &["status/declaredFeatures"])];

const CSI_DRIVER: &[Gated] = &[gated(&["VolumeLimitScaling"], &["spec/preventPodSchedulingIfMissing"])];

const CUSTOM_RESOURCE_DEFINITION: &[Gated] = &[gated(
    &["CRDObservedGenerationTracking"],
    &["status/observedGeneration", "status/conditions/*/observedGeneration"],
)];

const POD_GROUP: &[Gated] = &[
    gated(&["TopologyAwareWorkloadScheduling"], &["spec/schedulingConstraints"]),
    gated(&["DRAWorkloadResourceClaims"], &["spec/resourceClaims"]),
    gated(&["DRAWorkloadResourceClaims"], &["status/resourceClaimStatuses"]),
    gated(&["WorkloadAwarePreemption"], &["spec/disruptionMode"]),
    gated(&["WorkloadAwarePreemption"], &["spec/priorityClassName"]),
    gated(&["WorkloadAwarePreemption"], &["spec/priority"]),
];

const WORKLOAD: &[Gated] = &[
    gated(&["TopologyAwareWorkloadScheduling"], &["spec/podGroupTemplates/*/schedulingConstraints"]),
    gated(&["DRAWorkloadResourceClaims"], &["spec/podGroupTemplates/*/resourceClaims"]),
    gated(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/disruptionMode"]),
    gated(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/priorityClassName"]),
    gated(&["WorkloadAwarePreemption"], &["spec/podGroupTemplates/*/priority"]),
];

const DEVICE_CLASS: &[Gated] = &[gated(&["DRAExtendedResource"], &["spec/extendedResourceName"])];

/// Below the `spec` of a claim; up to `v1beta1` what is in `exactly` stands in the request itself.
const CLAIM_SPEC: &[Gated] = &[
    gated(
        &["DRADeviceTaints"],
        &[
            "devices/requests/*/exactly/tolerations",
            "devices/requests/*/firstAvailable/*/tolerations",
            "devices/requests/*/tolerations",
        ],
    ),
    gated(
        &["DRAConsumableCapacity"],
        &[
            "devices/constraints/*/distinctAttribute",
            "devices/requests/*/exactly/capacity",
            "devices/requests/*/firstAvailable/*/capacity",
            "devices/requests/*/capacity",
        ],
    ),
];

const CLAIM_STATUS: &[Gated] = &[
    gated(&["DRAResourceClaimDeviceStatus"], &["devices"]),
    gated(
        &["DRAConsumableCapacity"],
        &[
            "allocation/devices/results/*/shareID",
            "allocation/devices/results/*/consumedCapacity",
            "devices/*/shareID",
        ],
    ),
    gated(
        &["DRADeviceBindingConditions"],
        &[
            "allocation/devices/results/*/bindingConditions",
            "allocation/devices/results/*/bindingFailureConditions",
        ],
    ),
];

/// Below the `spec` of a slice; up to `v1beta1` what a device is stands in `basic`.
const SLICE_SPEC: &[Gated] = &[
    gated(&["DRADeviceTaints"], &["devices/*/taints", "devices/*/basic/taints"]),
    gated(
        &["DRAPartitionableDevices"],
        &[
            "sharedCounters",
            "perDeviceNodeSelection",
            "devices/*/consumesCounters",
            "devices/*/nodeName",
            "devices/*/nodeSelector",
            "devices/*/allNodes",
            "devices/*/basic/consumesCounters",
            "devices/*/basic/nodeName",
            "devices/*/basic/nodeSelector",
            "devices/*/basic/allNodes",
        ],
    ),
    gated(
        &["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"],
        &[
            "devices/*/bindingConditions",
            "devices/*/bindingFailureConditions",
            "devices/*/bindsToNode",
            "devices/*/basic/bindingConditions",
            "devices/*/basic/bindingFailureConditions",
            "devices/*/basic/bindsToNode",
        ],
    ),
    gated(
        &["DRAConsumableCapacity"],
        &[
            "devices/*/allowMultipleAllocations",
            "devices/*/capacity/*/requestPolicy",
            "devices/*/basic/allowMultipleAllocations",
            "devices/*/basic/capacity/*/requestPolicy",
        ],
    ),
    gated(
        &["DRANodeAllocatableResources"],
        &["devices/*/nodeAllocatableResourceMappings", "devices/*/basic/nodeAllocatableResourceMappings"],
    ),
    gated(
        &["DRAListTypeAttributes"],
        &[
            "devices/*/attributes/*/bools",
            "devices/*/attributes/*/ints",
            "devices/*/attributes/*/strings",
            "devices/*/attributes/*/versions",
            "devices/*/basic/attributes/*/bools",
            "devices/*/basic/attributes/*/ints",
            "devices/*/basic/attributes/*/strings",
            "devices/*/basic/attributes/*/versions",
        ],
    ),
];

/// Drops what the gates do not allow and `old` has not.
pub(super) fn drop_disabled(
    kind: &GroupVersionKind,
    object: &mut Map,
    old: Option<&Map>,
    features: &FeatureGates,
) {
    let table = match (&*kind.group, &*kind.kind) {
        ("", "Pod") => {
            pod_spec(object, old, &["spec"], features);
            POD
        }
        ("", "PodTemplate") => {
            pod_spec(object, old, &["template", "spec"], features);
            return;
        }
        ("batch", "CronJob") => {
            pod_spec(object, old, &["spec", "jobTemplate", "spec", "template", "spec"], features);
            return;
        }
        ("apps", "Deployment" | "ReplicaSet") => {
            pod_spec(object, old, &["spec", "template", "spec"], features);
            TERMINATING_REPLICAS
        }
        ("apps", "StatefulSet") => {
            pod_spec(object, old, &["spec", "template", "spec"], features);
            STATEFUL_SET
        }
        ("apps", "DaemonSet") | ("batch", "Job") | ("", "ReplicationController") => {
            pod_spec(object, old, &["spec", "template", "spec"], features);
            return;
        }
        ("", "Node") => NODE,
        ("autoscaling", "HorizontalPodAutoscaler") => AUTOSCALER,
        ("coordination.k8s.io", "Lease") => LEASE,
        ("storage.k8s.io", "CSIDriver") => CSI_DRIVER,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => CUSTOM_RESOURCE_DEFINITION,
        ("scheduling.k8s.io", "PodGroup") => POD_GROUP,
        ("scheduling.k8s.io", "Workload") => WORKLOAD,
        ("resource.k8s.io", "DeviceClass") => DEVICE_CLASS,
        ("resource.k8s.io", "ResourceClaim") => {
            drop_below(object, old, &["spec"], CLAIM_SPEC, features);
            return drop_below(object, old, &["status"], CLAIM_STATUS, features);
        }
        ("resource.k8s.io", "ResourceClaimTemplate") => {
            return drop_below(object, old, &["spec", "spec"], CLAIM_SPEC, features);
        }
        ("resource.k8s.io", "ResourceSlice") => {
            return drop_below(object, old, &["spec"], SLICE_SPEC, features);
        }
        _ => return,
    };
    drop_below(object, old, &[], table, features);
}

fn pod_spec(object: &mut Map, old: Option<&Map>, path: &[&str], features: &FeatureGates) {
    drop_below(object, old, path, POD_SPEC, features);
    // Sidecars are not behind this gate, so init containers keep the policy that makes them one.
    if !features.enabled("ContainerRestartRules") {
        drop_below(object, old, path, CONTAINER_RESTART_RULES, features);
        if let Some(spec) = path.iter().try_fold(object, |map, field| child_mut(map, field)) {
            for container in items_mut(spec, "initContainers") {
                if text(container, "restartPolicy") != "Always" {
                    container.remove("restartPolicy");
                }
            }
        }
    }
}

fn drop_below(object: &mut Map, old: Option<&Map>, path: &[&str], table: &[Gated], features: &FeatureGates) {
    let old = path.iter().try_fold(old, |map, field| map.map(|map| child(map, field))).flatten();
    let Some(map) = path.iter().try_fold(object, |map, field| child_mut(map, field)) else { return };
    for Gated { gates, fields } in table {
        let is_open = gates.iter().all(|gate| features.enabled(gate));
        let in_use = || old.is_some_and(|old| fields.iter().any(|field| is_used(old, field)));
        if !is_open && !in_use() {
            fields.iter().for_each(|field| remove(map, field));
        }
    }
}

fn is_used(map: &Map, field: &str) -> bool {
    let Some((step, rest)) = field.split_once('/') else {
        return map.get(field).is_some_and(|value| !value.is_null());
    };
    let Some(value) = map.get(step.trim_end_matches('!')) else { return false };
    match (value, rest.strip_prefix("*/")) {
        (Value::Array(items), Some(rest)) => {
            items.iter().filter_map(Value::as_object).any(|item| is_used(item, rest))
        }
        (Value::Object(entries), Some(rest)) => {
            entries.values().filter_map(Value::as_object).any(|entry| is_used(entry, rest))
        }
        (Value::Object(map), None) => is_used(map, rest),
        _ => false,
    }
}

fn remove(map: &mut Map, field: &str) {
    let Some((step, rest)) = field.split_once('/') else {
        map.remove(field);
        return;
    };
    let name = step.trim_end_matches('!');
    let Some(value) = map.get_mut(name) else { return };
    match (value, rest.strip_prefix("*/")) {
        (Value::Array(items), Some(rest)) => {
            items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| remove(item, rest));
        }
        (Value::Object(entries), Some(rest)) => {
            entries.values_mut().filter_map(Value::as_object_mut).for_each(|entry| remove(entry, rest));
        }
        (Value::Object(inner), None) => {
            let was_used = is_used(inner, rest);
            remove(inner, rest);
            if was_used && inner.is_empty() && name.len() < step.len() {
                map.remove(name);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{created, updated};
    use crate::value::json;

    #[test]
    fn drops_what_the_gates_do_not_allow() {
        let lifecycle = json!({"stopSignal": "SIGTERM"});
        let sources = json!([{"clusterTrustBundle": {"path": "a"}}, {"secret": {"name": "a"}}]);
        let spec = json!({
            "containers": [{"name": "a", "lifecycle": lifecycle}, {"name": "b", "lifecycle": {"preStop": {}}}],
            "hostnameOverride": "a",
            "schedulingGroup": {"podGroupName": "a"},
            "volumes": [{"name": "a", "projected": {"sources": sources}}]
        });
        let pod = created(&json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}));
        assert_eq!(pod["spec"].get("schedulingGroup"), None);
        assert_eq!(pod["spec"]["hostnameOverride"], "a");
        assert_eq!(pod["spec"]["containers"][0].get("lifecycle"), None);
        assert_eq!(pod["spec"]["containers"][1]["lifecycle"], json!({"preStop": {}}));
        assert_eq!(pod["spec"]["volumes"][0]["projected"]["sources"], json!([{}, {"secret": {"name": "a"}}]));
    }

    #[test]
    fn keeps_what_has_been_in_use() {
        let lease = |spec| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec});
        let new = lease(json!({"strategy": "a", "preferredHolder": "b"}));
        let lease = updated(&new, &lease(json!({"strategy": "c"})), "");
        assert_eq!(lease["spec"], json!({"strategy": "a"}));
    }
}
