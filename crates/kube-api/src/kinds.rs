//! Kinds that the code distinguishes, in any version.

/// A kind without its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupKind<'a> {
    /// API group; empty for the core group.
    pub group: &'a str,
    /// Kind, such as `Pod`.
    pub kind: &'a str,
}

/// `Event`
pub const EVENT: GroupKind<'static> = GroupKind { group: "", kind: "Event" };
/// `LimitRange`
pub const LIMIT_RANGE: GroupKind<'static> = GroupKind { group: "", kind: "LimitRange" };
/// `Namespace`
pub const NAMESPACE: GroupKind<'static> = GroupKind { group: "", kind: "Namespace" };
/// `Node`
pub const NODE: GroupKind<'static> = GroupKind { group: "", kind: "Node" };
/// `PersistentVolumeClaim`
pub const PERSISTENT_VOLUME_CLAIM: GroupKind<'static> =
    GroupKind { group: "", kind: "PersistentVolumeClaim" };
/// `Pod`
pub const POD: GroupKind<'static> = GroupKind { group: "", kind: "Pod" };
/// `ResourceQuota`
pub const RESOURCE_QUOTA: GroupKind<'static> = GroupKind { group: "", kind: "ResourceQuota" };
/// `Secret`
pub const SECRET: GroupKind<'static> = GroupKind { group: "", kind: "Secret" };
/// `Template`
pub const TEMPLATE: GroupKind<'static> = GroupKind { group: "template.openshift.io", kind: "Template" };
/// `Service`
pub const SERVICE: GroupKind<'static> = GroupKind { group: "", kind: "Service" };
/// `ServiceAccount`
pub const SERVICE_ACCOUNT: GroupKind<'static> = GroupKind { group: "", kind: "ServiceAccount" };
/// `AdmissionReview`
pub const ADMISSION_REVIEW: GroupKind<'static> =
    GroupKind { group: "admission.k8s.io", kind: "AdmissionReview" };
/// `ReplicationController`
pub const REPLICATION_CONTROLLER: GroupKind<'static> = GroupKind { group: "", kind: "ReplicationController" };
/// `DaemonSet`
pub const DAEMON_SET: GroupKind<'static> = GroupKind { group: "apps", kind: "DaemonSet" };
/// `Deployment`
pub const DEPLOYMENT: GroupKind<'static> = GroupKind { group: "apps", kind: "Deployment" };
/// `ReplicaSet`
pub const REPLICA_SET: GroupKind<'static> = GroupKind { group: "apps", kind: "ReplicaSet" };
/// `StatefulSet`
pub const STATEFUL_SET: GroupKind<'static> = GroupKind { group: "apps", kind: "StatefulSet" };
/// `HorizontalPodAutoscaler`
pub const HORIZONTAL_POD_AUTOSCALER: GroupKind<'static> =
    GroupKind { group: "autoscaling", kind: "HorizontalPodAutoscaler" };
/// `CronJob`
pub const CRON_JOB: GroupKind<'static> = GroupKind { group: "batch", kind: "CronJob" };
/// `Job`
pub const JOB: GroupKind<'static> = GroupKind { group: "batch", kind: "Job" };
/// `ValidatingAdmissionPolicyBinding`
pub const VALIDATING_ADMISSION_POLICY_BINDING: GroupKind<'static> =
    GroupKind { group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicyBinding" };
/// `MutatingAdmissionPolicyBinding`
pub const MUTATING_ADMISSION_POLICY_BINDING: GroupKind<'static> =
    GroupKind { group: "admissionregistration.k8s.io", kind: "MutatingAdmissionPolicyBinding" };
/// `Role`
pub const ROLE: GroupKind<'static> = GroupKind { group: "rbac.authorization.k8s.io", kind: "Role" };
/// `ClusterRole`
pub const CLUSTER_ROLE: GroupKind<'static> =
    GroupKind { group: "rbac.authorization.k8s.io", kind: "ClusterRole" };
/// `RoleBinding`
pub const ROLE_BINDING: GroupKind<'static> =
    GroupKind { group: "rbac.authorization.k8s.io", kind: "RoleBinding" };
/// `ClusterRoleBinding`
pub const CLUSTER_ROLE_BINDING: GroupKind<'static> =
    GroupKind { group: "rbac.authorization.k8s.io", kind: "ClusterRoleBinding" };
