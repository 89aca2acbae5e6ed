//! The resources that plugins, controllers and authorizers look up.

use crate::GroupResource;

/// `endpointslices`
pub const ENDPOINT_SLICES: GroupResource = GroupResource::new("discovery.k8s.io", "endpointslices");
/// `endpoints`
pub const ENDPOINTS: GroupResource = GroupResource::new("", "endpoints");
/// `limitranges`
pub const LIMIT_RANGES: GroupResource = GroupResource::new("", "limitranges");
/// `namespaces`
pub const NAMESPACES: GroupResource = GroupResource::new("", "namespaces");
/// `nodes`
pub const NODES: GroupResource = GroupResource::new("", "nodes");
/// `persistentvolumeclaims`
pub const PERSISTENT_VOLUME_CLAIMS: GroupResource = GroupResource::new("", "persistentvolumeclaims");
/// `persistentvolumes`
pub const PERSISTENT_VOLUMES: GroupResource = GroupResource::new("", "persistentvolumes");
/// `pods`
pub const PODS: GroupResource = GroupResource::new("", "pods");
/// `resourcequotas`
pub const RESOURCE_QUOTAS: GroupResource = GroupResource::new("", "resourcequotas");
/// `secrets`
pub const SECRETS: GroupResource = GroupResource::new("", "secrets");
/// `services`
pub const SERVICES: GroupResource = GroupResource::new("", "services");
/// `serviceaccounts`
pub const SERVICE_ACCOUNTS: GroupResource = GroupResource::new("", "serviceaccounts");
/// `mutatingadmissionpolicies.admissionregistration.k8s.io`
pub const MUTATING_ADMISSION_POLICIES: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "mutatingadmissionpolicies");
/// `mutatingadmissionpolicybindings.admissionregistration.k8s.io`
pub const MUTATING_ADMISSION_POLICY_BINDINGS: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "mutatingadmissionpolicybindings");
/// `validatingadmissionpolicies.admissionregistration.k8s.io`
pub const VALIDATING_ADMISSION_POLICIES: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicies");
/// `validatingadmissionpolicybindings.admissionregistration.k8s.io`
pub const VALIDATING_ADMISSION_POLICY_BINDINGS: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "validatingadmissionpolicybindings");
/// `customresourcedefinitions.apiextensions.k8s.io`
pub const CUSTOM_RESOURCE_DEFINITIONS: GroupResource =
    GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions");
/// `controllerrevisions.apps`
pub const CONTROLLER_REVISIONS: GroupResource = GroupResource::new("apps", "controllerrevisions");
/// `deployments.apps`
pub const DEPLOYMENTS: GroupResource = GroupResource::new("apps", "deployments");
/// `replicationcontrollers`
pub const REPLICATION_CONTROLLERS: GroupResource = GroupResource::new("", "replicationcontrollers");
/// `statefulsets.apps`
pub const STATEFUL_SETS: GroupResource = GroupResource::new("apps", "statefulsets");
/// `horizontalpodautoscalers.autoscaling`
pub const HORIZONTAL_POD_AUTOSCALERS: GroupResource =
    GroupResource::new("autoscaling", "horizontalpodautoscalers");
/// `replicasets.apps`
pub const REPLICA_SETS: GroupResource = GroupResource::new("apps", "replicasets");
/// `jobs.batch`
pub const JOBS: GroupResource = GroupResource::new("batch", "jobs");
/// `poddisruptionbudgets.policy`
pub const POD_DISRUPTION_BUDGETS: GroupResource = GroupResource::new("policy", "poddisruptionbudgets");
/// `runtimeclasses.node.k8s.io`
pub const RUNTIME_CLASSES: GroupResource = GroupResource::new("node.k8s.io", "runtimeclasses");
/// `clusterrolebindings.rbac.authorization.k8s.io`
pub const CLUSTER_ROLE_BINDINGS: GroupResource =
    GroupResource::new("rbac.authorization.k8s.io", "clusterrolebindings");
/// `clusterroles.rbac.authorization.k8s.io`
pub const CLUSTER_ROLES: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "clusterroles");
/// `rolebindings.rbac.authorization.k8s.io`
pub const ROLE_BINDINGS: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "rolebindings");
/// `roles.rbac.authorization.k8s.io`
pub const ROLES: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "roles");
/// `ipaddresses.networking.k8s.io`
pub const IP_ADDRESSES: GroupResource = GroupResource::new("networking.k8s.io", "ipaddresses");
/// `servicecidrs.networking.k8s.io`
pub const SERVICE_CIDRS: GroupResource = GroupResource::new("networking.k8s.io", "servicecidrs");
/// `deviceclasses.resource.k8s.io`
pub const DEVICE_CLASSES: GroupResource = GroupResource::new("resource.k8s.io", "deviceclasses");
/// `resourceclaims.resource.k8s.io`
pub const RESOURCE_CLAIMS: GroupResource = GroupResource::new("resource.k8s.io", "resourceclaims");
/// `resourceclaimtemplates.resource.k8s.io`
pub const RESOURCE_CLAIM_TEMPLATES: GroupResource =
    GroupResource::new("resource.k8s.io", "resourceclaimtemplates");
/// `resourceslices.resource.k8s.io`
pub const RESOURCE_SLICES: GroupResource = GroupResource::new("resource.k8s.io", "resourceslices");
/// `podgroups.scheduling.k8s.io`
pub const POD_GROUPS: GroupResource = GroupResource::new("scheduling.k8s.io", "podgroups");
/// `priorityclasses.scheduling.k8s.io`
pub const PRIORITY_CLASSES: GroupResource = GroupResource::new("scheduling.k8s.io", "priorityclasses");
/// The names of the PriorityClasses that every server has.
pub const SYSTEM_PRIORITY_CLASSES: [&str; 2] = ["system-cluster-critical", "system-node-critical"];
/// `workloads.scheduling.k8s.io`
pub const WORKLOADS: GroupResource = GroupResource::new("scheduling.k8s.io", "workloads");
/// `csidrivers.storage.k8s.io`
pub const CSI_DRIVERS: GroupResource = GroupResource::new("storage.k8s.io", "csidrivers");
/// `storageclasses.storage.k8s.io`
pub const STORAGE_CLASSES: GroupResource = GroupResource::new("storage.k8s.io", "storageclasses");
/// `volumeattachments.storage.k8s.io`
pub const VOLUME_ATTACHMENTS: GroupResource = GroupResource::new("storage.k8s.io", "volumeattachments");
/// `mutatingwebhookconfigurations.admissionregistration.k8s.io`
pub const MUTATING_WEBHOOK_CONFIGURATIONS: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "mutatingwebhookconfigurations");
/// `validatingwebhookconfigurations.admissionregistration.k8s.io`
pub const VALIDATING_WEBHOOK_CONFIGURATIONS: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "validatingwebhookconfigurations");
/// `initializerconfigurations.admissionregistration.k8s.io`
pub const INITIALIZER_CONFIGURATIONS: GroupResource =
    GroupResource::new("admissionregistration.k8s.io", "initializerconfigurations");
/// `podpresets.settings.k8s.io`
pub const POD_PRESETS: GroupResource = GroupResource::new("settings.k8s.io", "podpresets");
/// `podsecuritypolicies.policy`
pub const POD_SECURITY_POLICIES: GroupResource = GroupResource::new("policy", "podsecuritypolicies");
/// `cloudvolumelabels.kadmit.dev`: the labels that a cloud provider would answer with.
pub const CLOUD_VOLUME_LABELS: GroupResource = GroupResource::new("kadmit.dev", "cloudvolumelabels");
/// `usagesamples.kadmit.dev`: recorded usage of containers.
pub const USAGE_SAMPLES: GroupResource = GroupResource::new("kadmit.dev", "usagesamples");
