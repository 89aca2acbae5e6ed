//! API validation: what the server checks between the two phases of admission, and answers with 422.
//!
//! An object comes here decoded, defaulted and prepared, so its types can be trusted. Errors are the server's, in its
//! order; where Go walks a map in no order, the keys are in theirs. CEL expressions are not compiled here.
//!
//! Certificates and keys are not parsed. Kinds without rules of their own pass: reviews of tokens and of one's own
//! rules, which have none. Of updates of the status of resource claims, of Pods' requests for certificates and of
//! requests for the status of pools only the metadata is checked.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/*/validation`, `k8s.io/kubernetes/pkg/registry/*/*/strategy.go`.

mod access;
mod address;
mod admission_policy;
mod autoscaling;
mod batch;
mod certificate;
mod claim;
mod condition;
mod coordination;
mod core;
mod csi_node;
mod custom;
mod definition;
mod devices;
mod difference;
mod discovery;
mod equal;
mod event;
mod expression;
mod flow_control;
mod metadata;
mod migration;
mod network;
mod node;
mod pod;
mod pod_group;
mod policy;
mod printed;
mod registration;
mod resources;
mod review;
mod schedule;
mod selector;
mod service;
mod storage;
mod url;
mod webhook;
mod workload;

pub(super) use custom::{
    parse_cidr_sloppy, parse_ip_sloppy, validate_custom_metadata, validate_custom_metadata_update,
    validate_embedded_metadata,
};
pub use difference::difference;
pub use equal::semantically_equal;

use metadata::Scope;

use node::{Errors, Node};

use crate::api::features::FeatureGates;
use crate::api::field::{self, Path};
use crate::api::{GroupVersionKind, Object, Status, Value};

/// What is wrong with an object that is to be created.
pub fn validate_create(object: &Object, features: &FeatureGates) -> Vec<field::Error> {
    let object = &*object.in_memory();
    let mut errors = Errors::default();
    validate(&mut errors, object, None, features);
    if errors.is_empty() && is_stored(object) {
        validate_stored_metadata(&mut errors, &Node::root(&object.value));
    }
    errors.0
}

/// Whether creating the object stores it; reviews and the like are only answered.
fn is_stored(object: &Object) -> bool {
    let kind = &object.kind;
    !["authentication.k8s.io", "authorization.k8s.io"].contains(&&*kind.group)
        && !["Binding", "Eviction", "Scale"].contains(&&*kind.kind)
}

/// What is wrong with an object that is to be created in `namespace`, apart from what [`validate_create`] sees: access
/// to devices that only namespaces so labelled may ask for. It stands before the rest.
pub fn validate_create_in(object: &Object, namespace: Option<&Object>) -> Option<field::Error> {
    const LABEL: &str = "resource.kubernetes.io/admin-access";
    if object.kind.group != "resource.k8s.io"
        || namespace.and_then(|namespace| namespace.label(LABEL)) == Some("true")
    {
        return None;
    }
    let detail =
        format!("admin access to devices requires the `{LABEL}: true` label on the containing namespace");
    devices::admin_access(object).map(|path| field::Error::forbidden(&path, detail))
}

/// The answer to an object that is not valid, which it names as the server does: events of both groups are those of
/// the core group inside, and reviews are asked before they are given a kind and a name.
pub fn refusal(kind: &GroupVersionKind, name: &str, errors: &[field::Error]) -> Status {
    match (&*kind.group, &*kind.kind) {
        // The storage of bindings hands its errors on as they are.
        ("", "Binding") => Status::from_error(field::aggregate(errors)),
        ("events.k8s.io", "Event") => {
            Status::new_invalid(&GroupVersionKind::new("", "v1", "Event"), name, errors)
        }
        ("authorization.k8s.io", _) => {
            let nameless = GroupVersionKind { kind: "".into(), ..kind.clone() };
            Status::new_invalid(&nameless, "", errors)
        }
        _ => Status::new_invalid(kind, name, errors),
    }
}

/// What `rest.BeforeCreate` asks of every kind once its own rules are met.
fn validate_stored_metadata(errors: &mut Errors, object: &Node) {
    let metadata = object.child("metadata");
    let scope = if metadata.text("namespace").is_empty() { Scope::Cluster } else { Scope::Namespaced };
    metadata::validate_object_meta_accessor(errors, &metadata, scope, metadata::name_is_path_segment);
}

/// What `rest.BeforeUpdate` asks of every kind before its own rules, which often ask the same again: the message then
/// says it once, the causes twice.
fn validate_common_fields(errors: &mut Errors, object: &Node, old: &Node) {
    validate_stored_metadata(errors, object);
    let (metadata, before) = (object.child("metadata"), old.child("metadata"));
    metadata::validate_object_meta_accessor_update(errors, &metadata, &before);
}

/// What is wrong with an object, or with its subresource, that is to replace `old`.
pub fn validate_update(
    object: &Object,
    old: &Object,
    sub_resource: &str,
    features: &FeatureGates,
) -> Vec<field::Error> {
    let object = &*object.in_memory();
    let mut errors = Errors::default();
    validate_common_fields(&mut errors, &Node::root(&object.value), &Node::root(&old.value));
    if sub_resource.is_empty() {
        validate(&mut errors, object, Some(old), features);
    } else {
        validate_sub_resource(&mut errors, object, old, sub_resource, features);
    }
    errors.0
}

/// What is wrong with the tolerations in the list at `path`, where those that compare numbers are not allowed.
///
/// Source: `ValidateTolerations` of `k8s.io/kubernetes/pkg/apis/core/validation`.
pub fn validate_tolerations(tolerations: &[Value], path: &Path) -> Vec<field::Error> {
    let mut errors = Errors::default();
    let items = tolerations.iter().enumerate().map(|(index, item)| Node::new(path.index(index), item));
    pod::validate_tolerations(&mut errors, items, false);
    errors.0
}

/// Kinds of which an update is first checked like a new object, then against the old one.
const CHECKED_AS_NEW: [&str; 6] =
    ["CSIStorageCapacity", "IPAddress", "Namespace", "Node", "RuntimeClass", "StorageClass"];

/// A whole object, new or in place of `old`.
fn validate(errors: &mut Errors, object: &Object, old_object: Option<&Object>, features: &FeatureGates) {
    let node = &Node::root(&object.value);
    let old = &old_object.map(|old| Node::root(&old.value));
    let old = old.as_ref();
    if old.is_some() && CHECKED_AS_NEW.contains(&&*object.kind.kind) {
        validate(errors, object, None, features);
    }
    match (&*object.kind.group, &*object.kind.kind, old) {
        ("", "Pod", None) => pod::validate_pod_create(errors, node, features),
        ("", "Pod", Some(old)) => pod::validate_pod_update(errors, node, old, features),
        ("", "Binding", _) => core::validate_pod_binding(errors, node),
        ("", "PodTemplate", _) => core::validate_pod_template(errors, node, old, features),
        ("", "PersistentVolumeClaim", None) => {
            claim::validate_persistent_volume_claim(errors, node, claim::ClaimOptions::default());
        }
        ("", "PersistentVolumeClaim", Some(old)) => {
            claim::validate_persistent_volume_claim_update(errors, node, old);
        }
        ("", "ReplicationController", _) => {
            workload::validate_replication_controller(errors, node, old, features);
        }
        ("", "Service", None) => service::validate_service_create(errors, node, features),
        ("", "Service", Some(old)) => service::validate_service_update(errors, node, old, features),
        ("", "ConfigMap", _) => core::validate_config_map(errors, node, old),
        ("", "Secret", _) => core::validate_secret(errors, node, old),
        ("", "Namespace", None) => core::validate_namespace(errors, node),
        ("", "Namespace", Some(old)) => metadata::validate_object_meta_update(errors, node, old),
        ("", "Node", None) => core::validate_node(errors, node, features),
        ("", "Node", Some(old)) => core::validate_node_update(errors, node, old),
        ("", "LimitRange", _) => core::validate_limit_range(errors, node),
        ("", "ResourceQuota", _) => core::validate_resource_quota(errors, node, old),
        ("", "ServiceAccount", _) => core::validate_service_account(errors, node, old),
        ("", "Endpoints", _) => core::validate_endpoints(errors, node, old, features),
        ("apps", "Deployment", _) => workload::validate_deployment(errors, node, old, features),
        ("apps", "ReplicaSet", _) => workload::validate_replica_set(errors, node, old, features),
        ("apps", "StatefulSet", _) => workload::validate_stateful_set(errors, node, old, features),
        ("apps", "DaemonSet", _) => workload::validate_daemon_set(errors, node, old, features),
        ("apps", "ControllerRevision", _) => workload::validate_controller_revision(errors, node, old),
        ("autoscaling", "HorizontalPodAutoscaler", _) => {
            autoscaling::validate_horizontal_pod_autoscaler(errors, node, old, features);
        }
        ("coordination.k8s.io", "Lease", _) => coordination::validate_lease(errors, node, old, features),
        ("coordination.k8s.io", "LeaseCandidate", _) => {
            coordination::validate_lease_candidate(errors, node, old);
        }
        ("batch", "Job", None) => batch::validate_job_create(errors, node, features),
        ("batch", "Job", Some(old)) => batch::validate_job_update(errors, node, old, features),
        ("batch", "CronJob", _) => batch::validate_cron_job(errors, node, old, features),
        ("rbac.authorization.k8s.io", "Role", _) => {
            access::validate_role(errors, node, old, Scope::Namespaced);
        }
        ("rbac.authorization.k8s.io", "ClusterRole", _) => {
            access::validate_role(errors, node, old, Scope::Cluster);
        }
        ("rbac.authorization.k8s.io", "RoleBinding", _) => {
            access::validate_role_binding(errors, node, old, Scope::Namespaced);
        }
        ("rbac.authorization.k8s.io", "ClusterRoleBinding", _) => {
            access::validate_role_binding(errors, node, old, Scope::Cluster);
        }
        ("networking.k8s.io", "Ingress", _) => network::validate_ingress(errors, node, old, features),
        ("networking.k8s.io", "IngressClass", _) => network::validate_ingress_class(errors, node, old),
        ("networking.k8s.io", "NetworkPolicy", _) => {
            network::validate_network_policy(errors, node, old, features);
        }
        ("networking.k8s.io", "IPAddress", _) => network::validate_ip_address(errors, node, old),
        ("networking.k8s.io", "ServiceCIDR", _) => network::validate_service_cidr(errors, node, old),
        ("", "PersistentVolume", _) => storage::validate_persistent_volume(errors, node, old, features),
        ("storage.k8s.io", "StorageClass", _) => storage::validate_storage_class(errors, node, old),
        ("storage.k8s.io", "VolumeAttributesClass", _) => {
            storage::validate_volume_attributes_class(errors, node, old);
        }
        ("storage.k8s.io", "VolumeAttachment", _) => storage::validate_volume_attachment(errors, node, old),
        ("storage.k8s.io", "CSIDriver", _) => storage::validate_csi_driver(errors, node, old, features),
        ("storage.k8s.io", "CSIStorageCapacity", _) => {
            storage::validate_csi_storage_capacity(errors, node, old);
        }
        ("policy", "PodDisruptionBudget", _) => policy::validate_pod_disruption_budget(errors, node, old),
        ("node.k8s.io", "RuntimeClass", _) => policy::validate_runtime_class(errors, node, old, features),
        ("scheduling.k8s.io", "PriorityClass", _) => core::validate_priority_class(errors, node, old),
        _ => validate_more(errors, object, old_object, features),
    }
}

/// The kinds that clusters and their parts use among themselves.
fn validate_more(errors: &mut Errors, object: &Object, old_object: Option<&Object>, features: &FeatureGates) {
    let node = &Node::root(&object.value);
    let old = &old_object.map(|old| Node::root(&old.value));
    let old = old.as_ref();
    match (&*object.kind.group, &*object.kind.kind, old) {
        ("discovery.k8s.io", "EndpointSlice", _) => {
            discovery::validate_endpoint_slice(errors, node, old, features);
        }
        (group @ ("" | "events.k8s.io"), "Event", _) => event::validate_event(errors, node, old, group),
        (
            "authorization.k8s.io",
            kind @ ("SubjectAccessReview" | "LocalSubjectAccessReview" | "SelfSubjectAccessReview"),
            _,
        ) => review::validate_access_review(errors, node, kind),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema", _) => flow_control::validate_flow_schema(errors, node),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", _) => {
            flow_control::validate_priority_level_configuration(errors, node);
        }
        ("apiregistration.k8s.io", "APIService", _) => registration::validate_api_service(errors, node),
        ("internal.apiserver.k8s.io", "StorageVersion", None) => {
            registration::validate_storage_version(errors, node);
        }
        ("certificates.k8s.io", "CertificateSigningRequest", _) => {
            certificate::validate_signing_request(errors, node, old, certificate::Way::Whole);
        }
        ("certificates.k8s.io", "ClusterTrustBundle", _) => {
            certificate::validate_cluster_trust_bundle(errors, node, old);
        }
        ("certificates.k8s.io", "PodCertificateRequest", _) => {
            certificate::validate_pod_certificate_request(errors, node, old);
        }
        ("scheduling.k8s.io", "Workload", _) => pod_group::validate_workload(errors, node, old, features),
        ("scheduling.k8s.io", "PodGroup", _) => pod_group::validate_pod_group(errors, node, old, features),
        ("storage.k8s.io", "CSINode", _) => csi_node::validate_csi_node(errors, node, old, features),
        ("storagemigration.k8s.io", "StorageVersionMigration", _) => {
            migration::validate_storage_version_migration(errors, node, old);
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition", _) => {
            definition::validate_definition(errors, node, old);
        }
        ("resource.k8s.io", ..) => devices::validate_device_kind(errors, object, old_object, features),
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
            _,
        ) => webhook::validate_webhook_configuration(errors, node, old, features),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", _) => {
            admission_policy::validate_validating_policy(errors, node, old, features);
        }
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy", _) => {
            admission_policy::validate_mutating_policy(errors, node, old, features);
        }
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", _) => {
            admission_policy::validate_validating_binding(errors, node, old, features);
        }
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", _) => {
            admission_policy::validate_mutating_binding(errors, node, old, features);
        }
        _ => {}
    }
}

/// A subresource that writes the object; others bring kinds of their own.
fn validate_sub_resource(
    errors: &mut Errors,
    object: &Object,
    old: &Object,
    sub_resource: &str,
    features: &FeatureGates,
) {
    let (node, before) = (&Node::root(&object.value), &Node::root(&old.value));
    match (&*object.kind.group, &*object.kind.kind, sub_resource) {
        ("", "Pod", "ephemeralcontainers") => {
            pod::validate_pod_ephemeral_containers_update(errors, node, before, features);
        }
        ("", "Pod", "resize") => pod::validate_pod_resize(errors, node, before, features),
        ("", "Pod", "status") => pod::validate_pod_status_update(errors, node, before, features),
        ("", "PersistentVolumeClaim", "status") => {
            claim::validate_persistent_volume_claim_status_update(errors, node, before);
        }
        ("", "Namespace", "status") => core::validate_namespace_status_update(errors, node, before),
        ("", "Namespace", "finalize") => core::validate_namespace_finalize_update(errors, node, before),
        ("", "Node", "status") => core::validate_node_update(errors, node, before),
        ("", "ResourceQuota", "status") => core::validate_resource_quota_status_update(errors, node, before),
        ("autoscaling", "HorizontalPodAutoscaler", "status") => {
            autoscaling::validate_autoscaler_status_update(errors, node, before);
        }
        ("batch", "Job", "status") => batch::validate_job_status_update(errors, node, before),
        ("" | "apps", kind, "status") => {
            let counters = workload::status_counters(kind);
            workload::validate_replica_status(errors, node, before, counters);
        }
        ("flowcontrol.apiserver.k8s.io", _, "status") => {
            flow_control::validate_flow_control_status(errors, node);
        }
        ("certificates.k8s.io", "CertificateSigningRequest", "status" | "approval") => {
            let way = match sub_resource {
                "status" => certificate::Way::Status,
                _ => certificate::Way::Approval,
            };
            certificate::validate_signing_request(errors, node, Some(before), way);
        }
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "status") => {
            admission_policy::validate_policy_status(errors, node);
        }
        ("resource.k8s.io", "DeviceTaintRule", "status") => {
            devices::validate_device_taint_rule_status(errors, node, before);
        }
        ("scheduling.k8s.io", "PodGroup", "status") => {
            pod_group::validate_pod_group_status(errors, node, before);
        }
        ("storagemigration.k8s.io", "StorageVersionMigration", "status") => {
            migration::validate_migration_status(errors, node, before);
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition", "status") => {
            definition::validate_definition_status(errors, node);
        }
        ("apiregistration.k8s.io", "APIService", "status") => {
            metadata::validate_object_meta_update(errors, node, before);
            registration::validate_api_service_status(errors, node);
        }
        ("internal.apiserver.k8s.io", "StorageVersion", "status") => {
            registration::validate_storage_version_status(errors, node);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Value;
    use crate::value::json;

    fn object(group: &'static str, kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new(group, "v1", kind), value)
    }

    fn pod(change: impl FnOnce(&mut Value)) -> Object {
        let mut value = json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": {
                "containers": [{
                    "name": "web", "image": "web:1", "imagePullPolicy": "IfNotPresent",
                    "terminationMessagePolicy": "File", "resources": {"requests": {"cpu": "100m"}},
                }],
                "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
            },
        });
        change(&mut value);
        object("", "Pod", value)
    }

    fn update(new: &Object, old: &Object, sub_resource: &str) -> Vec<String> {
        let errors = validate_update(new, old, sub_resource, &FeatureGates::default());
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lets_an_update_change_the_image_of_a_pod_and_little_else() {
        let old = pod(|_| {});
        assert_eq!(
            update(&pod(|pod| pod["spec"]["containers"][0]["image"] = json!("web:2")), &old, ""),
            [""; 0]
        );
        let errors = update(&pod(|pod| pod["spec"]["hostname"] = json!("web")), &old, "");
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].starts_with("spec: Forbidden: pod updates may not change fields other than `spec.")
        );
        let errors = update(&pod(|pod| pod["metadata"]["name"] = json!("other")), &old, "");
        assert_eq!(errors, ["metadata.name: Invalid value: \"other\": field is immutable"; 2]);
    }

    #[test]
    fn shows_what_a_refused_update_would_change() {
        let claim = |size: &str| {
            let value = json!({
                "metadata": {"name": "data", "namespace": "shop", "resourceVersion": "1"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}},
                    "volumeMode": "Filesystem",
                },
            });
            object("", "PersistentVolumeClaim", value)
        };
        assert_eq!(
            update(&claim("2Gi"), &claim("1Gi"), ""),
            ["spec: Forbidden: spec is immutable after creation except resources.requests and \
              volumeAttributesClassName for bound claims\n@@ -6,7 +6,7 @@\n  \"Resources\": {\n   \"Limits\": null,\n   \
              \"Requests\": {\n-   \"storage\": \"1Gi\"\n+   \"storage\": \"2Gi\"\n   }\n  },\n  \"VolumeName\": \"\",\n"]
        );
        let debugged = |image: &str| {
            let container = json!({
                "name": "debug", "image": image, "imagePullPolicy": "IfNotPresent",
                "terminationMessagePolicy": "File",
            });
            pod(move |pod| pod["spec"]["ephemeralContainers"] = json!([container]))
        };
        let errors = update(&debugged("shell:2"), &debugged("shell:1"), "ephemeralcontainers");
        assert_eq!(
            errors,
            [
                "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n\
              @@ -1,6 +1,6 @@\n {\n  \"Name\": \"debug\",\n- \"Image\": \"shell:1\",\n+ \"Image\": \"shell:2\",\n  \
              \"Command\": null,\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n"
            ]
        );
    }

    #[test]
    fn lets_a_resize_change_cpu_and_memory_alone() {
        let old = pod(|_| {});
        let resources = |pod: &mut Value, cpu: &str| {
            pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(cpu);
        };
        assert_eq!(update(&pod(|pod| resources(pod, "200m")), &old, "resize"), [""; 0]);
        let errors =
            update(&pod(|pod| pod["spec"]["containers"][0]["image"] = json!("web:2")), &old, "resize");
        assert_eq!(errors, ["spec: Forbidden: only cpu and memory resources are mutable"]);
    }

    #[test]
    fn keeps_immutable_data_and_selectors() {
        let old = json!({"metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"}, "immutable": true, "data": {"k": "1"}});
        let mut new = old.clone();
        new["data"]["k"] = json!("2");
        let errors = update(&object("", "ConfigMap", new), &object("", "ConfigMap", old), "");
        assert_eq!(errors, ["data: Forbidden: field is immutable when `immutable` is set"]);
    }

    #[test]
    fn lets_a_suspended_job_change_what_its_pods_ask_for() {
        let job = |change: fn(&mut Value)| {
            let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {
                "containers": [{
                    "name": "web", "image": "web:1", "imagePullPolicy": "IfNotPresent",
                    "terminationMessagePolicy": "File", "resources": {},
                }],
                "restartPolicy": "Never", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
            }});
            let mut value = json!({
                "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"},
                "spec": {
                    "manualSelector": true, "selector": {"matchLabels": {"app": "a"}}, "template": template,
                    "suspend": true, "completionMode": "NonIndexed", "parallelism": 1, "completions": 1,
                },
            });
            change(&mut value);
            object("batch", "Job", value)
        };
        let resources = |job: &mut Value| {
            job["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "1"}});
        };
        assert_eq!(update(&job(resources), &job(|_| {}), ""), [""; 0]);
        let errors = update(&job(resources), &job(|job| job["spec"]["suspend"] = json!(false)), "");
        assert!(errors[0].starts_with(
            "spec.template: Invalid value: {\"labels\":{\"app\":\"a\"},\"Spec\":{\"Volumes\":null,"
        ));
        assert!(errors[0].ends_with(": field is immutable"));
        let ended = |job: &mut Value| {
            job["status"] = json!({"conditions": [{"type": "Complete", "status": "True"}], "active": 1});
        };
        assert_eq!(
            update(&job(ended), &job(|_| {}), "status"),
            [
                "status.completionTime: Required value: completionTime is required for Complete jobs",
                "status.conditions: Invalid value: cannot set Complete=True condition without the \
                 SuccessCriteriaMet=true condition",
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
                "status.startTime: Required value: startTime is required for finished job",
            ]
        );
    }

    #[test]
    fn reads_tolerations_in_an_annotation_as_go_does() {
        let refused = |text: &str| {
            let pod = pod(|pod| {
                pod["metadata"]["annotations"] = json!({"scheduler.alpha.kubernetes.io/tolerations": text});
            });
            let errors = validate_create(&pod, &FeatureGates::default());
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let bad = "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": ";
        assert_eq!(refused("[{\"Key\": \"a\", \"operator\": \"Exists\"}]"), [""; 0]);
        assert_eq!(
            refused("[{\"operator\": \"Sometimes\", \"key\": \"a\"}]"),
            [
                "metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: \
              \"Sometimes\": supported values: \"Equal\", \"Exists\""
            ]
        );
        assert_eq!(refused("[{}"), [format!("{bad}unexpected end of JSON input")]);
        assert_eq!(
            refused("[{\"key\": 1}]"),
            [format!(
                "{bad}json: cannot unmarshal number into Go struct field Toleration.Key of type string"
            )]
        );
    }

    #[test]
    fn lets_a_container_that_ended_run_again_where_its_policy_says_so() {
        let state = |policy: &'static str, state: &str| {
            let state = json!({state: {"exitCode": 1}});
            pod(move |pod| {
                pod["spec"]["restartPolicy"] = json!(policy);
                pod["status"] = json!({"containerStatuses": [{"name": "web", "state": state}]});
            })
        };
        let change = |policy| update(&state(policy, "running"), &state(policy, "terminated"), "status");
        assert_eq!(change("OnFailure"), [""; 0]);
        assert_eq!(
            change("Never"),
            ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"]
        );
    }

    #[test]
    fn words_broken_schedules_as_the_parser_does() {
        let parse = schedule::parse_standard_schedule;
        assert_eq!(parse("every night"), Err("expected exactly 5 fields, found 2: [every night]".to_owned()));
        assert_eq!(parse("61 * * * *"), Err("end of range (61) above maximum (59): 61".to_owned()));
        assert_eq!(parse("*/5 0-6 1,15 jan mon"), Ok(()));
        assert_eq!(parse("@every 1h30m"), Ok(()));
    }
}
