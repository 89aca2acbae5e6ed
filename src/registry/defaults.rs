//! What the API server fills in when it has decoded an object: API defaulting, and what converting to the internal
//! version and back leaves behind.
//!
//! Source: `k8s.io/kubernetes/pkg/apis`, the `defaults.go`, `zz_generated.defaults.go` and `conversion.go` of each
//! version.

mod admission_registration;
mod autoscaling;
mod cluster;
mod core;
mod device;
mod image;
mod pod;
mod resources;
mod volume;
mod workload;

pub(super) use autoscaling::STATUS_ANNOTATIONS as AUTOSCALER_STATUS_ANNOTATIONS;
pub(super) use core::label_namespace;

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use device::Requests;

/// Fills in the defaults that the server takes from its clock: `now` as RFC 3339.
pub fn fill_times(object: &mut Object, now: &str) {
    let Object { kind, value: Value::Object(map), .. } = object else { return };
    if kind.group == "resource.k8s.io" {
        match &*kind.kind {
            "DeviceTaintRule" => device::rule_time(map, now),
            "ResourceSlice" => device::slice_times(map, now),
            _ => {}
        }
    }
}

/// Fills in the defaults of `object`. What is there already stays; doing it twice changes nothing.
///
/// The object must have been decoded: fields of other types than the API's are passed over.
pub fn set_defaults(object: &mut Object, features: &FeatureGates) {
    let Object { kind, value: Value::Object(map), .. } = object else { return };
    match (&*kind.group, &*kind.version, &*kind.kind) {
        ("", "v1", "Pod") => pod::pod(map, features),
        ("", "v1", "PodTemplate") => workload::pod_template(map),
        ("", "v1", "ReplicationController") => workload::replication_controller(map),
        ("", "v1", "Service") => core::service(map),
        ("", "v1", "Endpoints") => core::endpoints(map),
        ("", "v1", "Secret") => core::secret(map),
        ("", "v1", "Namespace") => core::namespace(map),
        ("", "v1", "Node") => core::node(map),
        ("", "v1", "LimitRange") => core::limit_range(map),
        ("", "v1", "ResourceQuota") => core::resource_quota(map),
        ("", "v1", "PersistentVolume") => volume::persistent_volume(map),
        ("", "v1", "PersistentVolumeClaim") => volume::claim(map),
        ("apps", "v1", "Deployment") => workload::deployment(map),
        ("apps", "v1", "ReplicaSet") => workload::replica_set(map),
        ("apps", "v1", "StatefulSet") => workload::stateful_set(map, features),
        ("apps", "v1", "DaemonSet") => workload::daemon_set(map),
        ("batch", "v1", "Job") => workload::job(map),
        ("batch", "v1", "CronJob") => workload::cron_job(map),
        ("autoscaling", "v1", "HorizontalPodAutoscaler") => autoscaling::v1(map),
        ("autoscaling", "v2", "HorizontalPodAutoscaler") => autoscaling::v2(map),
        ("admissionregistration.k8s.io", version, kind) => match (version, kind) {
            ("v1", "ValidatingWebhookConfiguration") => admission_registration::validating_webhooks(map),
            ("v1", "MutatingWebhookConfiguration") => admission_registration::mutating_webhooks(map),
            (_, "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy") => {
                admission_registration::policy(map);
            }
            ("v1alpha1", "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding") => {
                admission_registration::alpha_binding(map);
            }
            (_, "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding") => {
                admission_registration::binding(map);
            }
            _ => {}
        },
        ("networking.k8s.io", "v1", "NetworkPolicy") => cluster::network_policy(map),
        ("networking.k8s.io", "v1", "IngressClass") => cluster::ingress_class(map),
        ("discovery.k8s.io", "v1", "EndpointSlice") => cluster::endpoint_slice(map),
        ("storage.k8s.io", "v1", "StorageClass") => cluster::storage_class(map),
        ("storage.k8s.io", "v1", "CSIDriver") => cluster::csi_driver(map, features),
        ("storage.k8s.io", "v1", "VolumeAttachment") => volume::attachment(map),
        ("scheduling.k8s.io", "v1", "PriorityClass") => cluster::priority_class(map),
        ("scheduling.k8s.io", "v1alpha2", "PodGroup") => cluster::pod_group(map),
        ("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema") => cluster::flow_schema(map),
        ("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration") => cluster::priority_level(map),
        ("rbac.authorization.k8s.io", "v1", "RoleBinding" | "ClusterRoleBinding") => {
            cluster::role_binding(map);
        }
        ("policy", "v1", "PodDisruptionBudget") => cluster::disruption_budget(map),
        ("apiextensions.k8s.io", "v1", "CustomResourceDefinition") => {
            cluster::custom_resource_definition(map);
        }
        ("apiregistration.k8s.io", "v1", "APIService") => cluster::api_service(map),
        ("certificates.k8s.io", "v1beta1", "PodCertificateRequest") => cluster::pod_certificate_request(map),
        ("authentication.k8s.io", "v1", "TokenRequest") => cluster::token_request(map),
        ("resource.k8s.io", version, kind) => {
            let requests = if version == "v1beta1" { Requests::Inline } else { Requests::Exactly };
            match kind {
                "ResourceClaim" => device::claim(map, requests),
                "ResourceClaimTemplate" => device::claim_template(map, requests),
                "ResourceSlice" => device::slice(map, requests),
                "ResourcePoolStatusRequest" => device::pool_status_request(map),
                _ => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::GroupVersionKind;
    use crate::value::json;

    /// What defaulting makes of `value`; doing it again must change nothing.
    pub(super) fn defaulted(value: Value) -> Value {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let kind = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
        let mut object = Object::new(kind, value);
        set_defaults(&mut object, &FeatureGates::default());
        let once = object.value.clone();
        set_defaults(&mut object, &FeatureGates::default());
        assert_eq!(object.value, once, "defaulting twice");
        once
    }

    #[test]
    fn what_is_given_stays() {
        let class = json!({
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "reclaimPolicy": "Retain",
            "volumeBindingMode": "WaitForFirstConsumer"
        });
        assert_eq!(defaulted(class.clone()), class);
    }

    #[test]
    fn kinds_without_defaults_stay_as_they_are() {
        for value in [
            json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}),
            json!({"apiVersion": "example.com/v1", "kind": "Pod", "spec": {}}),
            json!([]),
        ] {
            assert_eq!(defaulted(value.clone()), value);
        }
    }

    #[test]
    fn other_types_than_the_apis_are_passed_over() {
        for (api_version, kind) in
            [("v1", "Pod"), ("v1", "Service"), ("apps/v1", "StatefulSet"), ("batch/v1", "Job")]
        {
            let wrong =
                json!({"containers": {"a": 1}, "volumes": [1, "x", null], "ports": "x", "template": 5});
            defaulted(
                json!({"apiVersion": api_version, "kind": kind, "metadata": [], "spec": wrong, "status": 3}),
            );
        }
    }

    #[test]
    fn taints_are_as_old_as_the_clock_says() {
        let rule = json!({"spec": {"taint": {"key": "a"}}});
        let mut rule =
            Object::new(GroupVersionKind::new("resource.k8s.io", "v1beta2", "DeviceTaintRule"), rule);
        fill_times(&mut rule, "2026-01-01T00:00:00Z");
        fill_times(&mut rule, "2027-01-01T00:00:00Z");
        assert_eq!(rule.text(&["spec", "taint", "timeAdded"]), "2026-01-01T00:00:00Z");
    }
}
