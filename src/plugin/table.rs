//! The table of plugins: those of Kubernetes from 1.10 to 1.36, in the order in which kube-apiserver calls them.
//!
//! A release means the latest patch of its minor: `TaintNodesByCondition` came with 1.12.6 and 1.13.3, and `Priority`
//! is on by default since 1.11.1.

use super::{
    Plugin, always_admit, always_deny, always_pull_images, certificate_approval, certificate_signing,
    certificate_subject_restriction, cluster_trust_bundle_attest, default_ingress_class,
    default_storage_class, default_toleration_seconds, deny_service_external_ips, event_rate_limit,
    extended_resource_toleration, image_policy_webhook, job_validation,
    limit_pod_hard_anti_affinity_topology, limit_ranger, mutating_admission_policy,
    mutating_admission_webhook, namespace_auto_provision, namespace_exists, namespace_lifecycle,
    node_declared_feature_validator, node_restriction, owner_references_permission_enforcement,
    persistent_volume_claim_resize, pod_group_protection, pod_group_workload_exists, pod_node_selector,
    pod_resize_validator, pod_security, pod_toleration_restriction, pod_topology_labels, priority, removed,
    resource_quota, runtime_class, service_account, storage_object_in_use_protection,
    taint_nodes_by_condition, validating_admission_policy, validating_admission_webhook,
};
use crate::admission::Operation::{self, Connect, Create, Delete, Update};
use crate::admission::Phase::{self, Mutating, Validating};
use crate::plugin::Factory::{self, Fallible, Plain};
use crate::plugin::release::{ConfigurationKind, Gate, Releases};
use crate::policy::configuration as policy;
use crate::versioned::Scheme;
use kube_api::features::Feature;

pub(super) const MUTATING: &[Phase] = &[Mutating];
pub(super) const VALIDATING: &[Phase] = &[Validating];
pub(super) const BOTH: &[Phase] = &[Mutating, Validating];

pub(super) const ALL: &[Operation] = Operation::ALL;
pub(super) const CREATE: &[Operation] = &[Create];
pub(super) const UPDATE: &[Operation] = &[Update];
pub(super) const CREATE_UPDATE: &[Operation] = &[Create, Update];
const CREATE_UPDATE_DELETE: &[Operation] = &[Create, Update, Delete];

pub(super) const fn since(first: u32) -> Releases {
    Releases { first, last: None }
}

const fn within(first: u32, last: u32) -> Releases {
    Releases { first, last: Some(last) }
}

const ALWAYS: Releases = since(Releases::OLDEST);

pub(super) const fn plugin(
    name: &'static str,
    phases: &'static [Phase],
    operations: &'static [Operation],
    factory: Factory,
    source: &'static str,
) -> Plugin {
    Plugin {
        name,
        phases,
        operations,
        releases: ALWAYS,
        default_in: None,
        gates: &[],
        configurations: &[],
        looks_up: &[],
        reads: &[],
        changes: &[],
        needs_gate: false,
        checks_gate: false,
        former_name: None,
        openshift_configuration: None,
        only_configured: false,
        factory,
        effective: None,
        source,
    }
}

impl Plugin {
    pub(super) const fn only(self, releases: Releases) -> Self {
        Self { releases, ..self }
    }

    /// Marks it as on by default in every release that has it.
    pub(super) const fn on(self) -> Self {
        let default_in = Some(self.releases);
        Self { default_in, ..self }
    }

    const fn on_only(self, releases: Releases) -> Self {
        Self { default_in: Some(releases), ..self }
    }

    pub(super) const fn gates(self, gates: &'static [Gate]) -> Self {
        Self { gates, ..self }
    }

    /// Marks that a server with it enabled and its gates off does not start.
    const fn refusing_without_gate(self) -> Self {
        Self { needs_gate: true, ..self }
    }

    /// Marks that it looks at its gates itself.
    const fn checking_gate(self) -> Self {
        Self { checks_gate: true, ..self }
    }

    pub(super) const fn configured(self, configurations: &'static [ConfigurationKind]) -> Self {
        Self { configurations, ..self }
    }

    pub(super) const fn looks_up(self, looks_up: &'static [&'static str]) -> Self {
        Self { looks_up, ..self }
    }

    pub(super) const fn reads(self, reads: &'static [&'static str]) -> Self {
        Self { reads, ..self }
    }

    /// Adds behaviour that it has since some release, and that kadmit's has in every release.
    const fn changed(self, changes: &'static [(u32, &'static str)]) -> Self {
        Self { changes, ..self }
    }

    const fn shown(self, effective: super::Effective) -> Self {
        Self { effective: Some(effective), ..self }
    }

    /// Marks that a master of Origin has it only if it is configured.
    pub(super) const fn only_configured(self) -> Self {
        Self { only_configured: true, ..self }
    }
}

pub(super) const fn gate(feature: Feature, releases: Releases, on: Option<Releases>) -> Gate {
    Gate { feature, releases, on }
}

const GENERIC_WORKLOAD: Gate = gate(Feature::GenericWorkload, since(35), None);

/// Returns a configuration without a version: a file with this key.
const fn key(key: &'static str) -> ConfigurationKind {
    ConfigurationKind { api_version: "", kind: key, table: "", releases: ALWAYS }
}

/// Returns the kinds of a plugin's files, the oldest first, with the releases that read them.
const fn kinds<const N: usize>(scheme: &Scheme, releases: [Releases; N]) -> [ConfigurationKind; N] {
    assert!(scheme.kinds.len() == N, "every kind of the scheme has releases");
    let mut kinds = [key(""); N];
    let mut position = 0;
    while position < N {
        kinds[position] = ConfigurationKind::of(&scheme.kinds[N - 1 - position], releases[position]);
        position += 1;
    }
    kinds
}

const WEBHOOK_ADMISSION: &[ConfigurationKind] =
    &kinds(&crate::webhook::SCHEME, [within(Releases::OLDEST, 35), since(17)]);

/// Every plugin, in the order in which kube-apiserver calls them; those that Kubernetes has removed keep their
/// position.
///
/// Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go` of the releases.
#[rustfmt::skip]
pub static ALL_ORDERED_PLUGINS: &[Plugin] = &[
    plugin("AlwaysAdmit", BOTH, ALL, Plain(always_admit::new), include_str!("always_admit.rs")),
    plugin("NamespaceAutoProvision", MUTATING, CREATE,
        Plain(namespace_auto_provision::new), include_str!("namespace_auto_provision.rs"))
        .looks_up(&["namespaces"])
        .changed(&[
            (12, "a dry run creates no namespace"),
        ]),
    plugin("NamespaceLifecycle", MUTATING, CREATE_UPDATE_DELETE,
        Plain(namespace_lifecycle::new), include_str!("namespace_lifecycle.rs"))
        .on().looks_up(&["namespaces"]),
    plugin("NamespaceExists", VALIDATING, CREATE_UPDATE_DELETE,
        Plain(namespace_exists::new), include_str!("namespace_exists.rs"))
        .looks_up(&["namespaces"]),
    plugin("SecurityContextDeny", VALIDATING, CREATE_UPDATE,
        Fallible(removed::security_context_deny::new), include_str!("removed/security_context_deny.rs"))
        .only(within(Releases::OLDEST, 29))
        .gates(&[gate(Feature::SecurityContextDeny, within(27, 29), None)]).refusing_without_gate(),
    plugin("LimitPodHardAntiAffinityTopology", VALIDATING, CREATE_UPDATE,
        Plain(limit_pod_hard_anti_affinity_topology::new), include_str!("limit_pod_hard_anti_affinity_topology.rs")),
    plugin("InitialResources", MUTATING, CREATE,
        Plain(removed::initial_resources::new), include_str!("removed/initial_resources.rs"))
        .only(within(Releases::OLDEST, 10)),
    plugin("PodPreset", MUTATING, CREATE_UPDATE,
        Plain(removed::pod_preset::new), include_str!("removed/pod_preset.rs"))
        .only(within(Releases::OLDEST, 19))
        .looks_up(&["podpresets.settings.k8s.io"]),
    plugin("LimitRanger", BOTH, CREATE_UPDATE, Plain(limit_ranger::new), include_str!("limit_ranger.rs"))
        .on().looks_up(&["limitranges"])
        .changed(&[
            (28, "sidecars count"),
            (32, "pods/resize is checked"),
            (34, "spec.resources of pods counts"),
        ]),
    plugin("ServiceAccount", BOTH, CREATE_UPDATE, Plain(service_account::new), include_str!("service_account.rs"))
        .on().looks_up(&["serviceaccounts"]).reads(&["secrets"]),
    plugin("NodeRestriction", MUTATING, CREATE_UPDATE_DELETE,
        Plain(node_restriction::new), include_str!("node_restriction.rs"))
        .looks_up(&["nodes", "csidrivers.storage.k8s.io", "serviceaccounts"]).reads(&["pods", "persistentvolumeclaims", "persistentvolumes"])
        .changed(&[
            (16, "unknown labels below kubernetes.io are refused on new nodes"),
            (17, "owner references and UIDs of mirror pods are checked"),
            (31, "signing requests of kubelets are checked"),
            (32, "owner references of nodes are checked"),
            (33, "the audience of service account tokens is checked"),
        ]),
    plugin("TaintNodesByCondition", MUTATING, CREATE,
        Plain(taint_nodes_by_condition::new), include_str!("taint_nodes_by_condition.rs"))
        .only(since(12)).on()
        .gates(&[gate(Feature::TaintNodesByCondition, within(Releases::OLDEST, 17), Some(within(12, 17)))]),
    plugin("AlwaysPullImages", BOTH, CREATE_UPDATE,
        Plain(always_pull_images::new), include_str!("always_pull_images.rs"))
        .changed(&[
            (33, "image volumes count"),
        ]),
    plugin("ImagePolicyWebhook", VALIDATING, CREATE_UPDATE,
        Fallible(image_policy_webhook::new), include_str!("image_policy_webhook.rs"))
        .configured(&[
            key("imagePolicy"),
        ])
        .only_configured(),
    plugin("PodSecurity", VALIDATING, CREATE_UPDATE, Fallible(pod_security::new), include_str!("pod_security.rs"))
        .only(since(22)).on()
        .gates(&[gate(Feature::PodSecurity, within(22, 27), Some(within(23, 27)))]).looks_up(&["namespaces"]).reads(&["pods"])
        .configured(const { &kinds(&pod_security::configuration::SCHEME, [since(22), since(23), since(25)]) })
        .shown(pod_security::effective),
    plugin("PodSecurityPolicy", BOTH, CREATE_UPDATE,
        Plain(removed::pod_security_policy::new), include_str!("removed/pod_security_policy.rs"))
        .only(within(Releases::OLDEST, 24))
        .looks_up(&["podsecuritypolicies.policy"]),
    plugin("PodNodeSelector", BOTH, CREATE, Fallible(pod_node_selector::new), include_str!("pod_node_selector.rs"))
        .looks_up(&["namespaces"])
        .configured(&[
            key("podNodeSelectorPluginConfig"),
        ])
        .shown(pod_node_selector::effective),
    plugin("Priority", BOTH, CREATE_UPDATE_DELETE, Plain(priority::new), include_str!("priority.rs"))
        .on_only(since(11))
        .gates(&[gate(Feature::PodPriority, within(Releases::OLDEST, 17), Some(within(11, 17)))])
        .looks_up(&["priorityclasses.scheduling.k8s.io"]),
    plugin("DefaultTolerationSeconds", MUTATING, CREATE_UPDATE,
        Plain(default_toleration_seconds::new), include_str!("default_toleration_seconds.rs"))
        .on()
        .shown(default_toleration_seconds::effective),
    plugin("PodTolerationRestriction", BOTH, CREATE_UPDATE,
        Fallible(pod_toleration_restriction::new), include_str!("pod_toleration_restriction.rs"))
        .looks_up(&["namespaces"])
        .configured(const { &kinds(&pod_toleration_restriction::configuration::SCHEME, [ALWAYS]) })
        .changed(&[
            (18, "tolerations are merged by what they tolerate"),
        ])
        .shown(pod_toleration_restriction::effective),
    plugin("DenyEscalatingExec", VALIDATING, &[Connect],
        Plain(removed::deny_escalating_exec::new), include_str!("removed/deny_escalating_exec.rs"))
        .only(within(Releases::OLDEST, 20)).reads(&["pods"]),
    plugin("DenyExecOnPrivileged", VALIDATING, &[Connect],
        Plain(removed::deny_exec_on_privileged::new), include_str!("removed/deny_exec_on_privileged.rs"))
        .only(within(Releases::OLDEST, 20))
        .reads(&["pods"]),
    plugin("EventRateLimit", VALIDATING, CREATE_UPDATE,
        Fallible(event_rate_limit::new), include_str!("event_rate_limit.rs"))
        .configured(const { &kinds(&event_rate_limit::configuration::SCHEME, [ALWAYS]) })
        .shown(event_rate_limit::effective),
    plugin("ExtendedResourceToleration", MUTATING, CREATE_UPDATE,
        Plain(extended_resource_toleration::new), include_str!("extended_resource_toleration.rs")),
    plugin("PersistentVolumeLabel", MUTATING, CREATE,
        Plain(removed::persistent_volume_label::new), include_str!("removed/persistent_volume_label.rs"))
        .only(within(Releases::OLDEST, 30))
        .on_only(within(10, 10)),
    plugin("DefaultStorageClass", MUTATING, CREATE,
        Plain(default_storage_class::new), include_str!("default_storage_class.rs"))
        .on().looks_up(&["storageclasses.storage.k8s.io"]),
    plugin("StorageObjectInUseProtection", MUTATING, CREATE,
        Plain(storage_object_in_use_protection::new), include_str!("storage_object_in_use_protection.rs"))
        .on_only(since(15))
        .gates(&[gate(Feature::StorageObjectInUseProtection, within(10, 24), Some(within(10, 24)))]),
    plugin("PodGroupProtection", MUTATING, CREATE,
        Plain(pod_group_protection::new), include_str!("pod_group_protection.rs"))
        .only(since(36)).on().gates(&[GENERIC_WORKLOAD]),
    plugin("OwnerReferencesPermissionEnforcement", VALIDATING, CREATE_UPDATE,
        Plain(owner_references_permission_enforcement::new), include_str!("owner_references_permission_enforcement.rs")),
    plugin("PersistentVolumeClaimResize", VALIDATING, UPDATE,
        Plain(persistent_volume_claim_resize::new), include_str!("persistent_volume_claim_resize.rs"))
        .on_only(since(11))
        .looks_up(&["storageclasses.storage.k8s.io"]),
    plugin("RuntimeClass", BOTH, CREATE, Plain(runtime_class::new), include_str!("runtime_class.rs"))
        .only(since(16)).on()
        .gates(&[gate(Feature::RuntimeClass, within(12, 24), Some(within(14, 24)))])
        .looks_up(&["runtimeclasses.node.k8s.io"])
        .changed(&[
            (18, "spec.overhead is filled in without a gate"),
        ]),
    plugin("CertificateApproval", VALIDATING, UPDATE,
        Plain(certificate_approval::new), include_str!("certificate_approval.rs"))
        .only(since(18)).on(),
    plugin("CertificateSigning", VALIDATING, UPDATE,
        Plain(certificate_signing::new), include_str!("certificate_signing.rs"))
        .only(since(18)).on(),
    plugin("ClusterTrustBundleAttest", VALIDATING, CREATE_UPDATE,
        Plain(cluster_trust_bundle_attest::new), include_str!("cluster_trust_bundle_attest.rs"))
        .only(since(27)).on()
        .gates(&[gate(Feature::ClusterTrustBundle, since(27), None)]).checking_gate(),
    plugin("CertificateSubjectRestriction", VALIDATING, CREATE,
        Plain(certificate_subject_restriction::new), include_str!("certificate_subject_restriction.rs"))
        .only(since(18)).on(),
    plugin("DefaultIngressClass", MUTATING, CREATE,
        Plain(default_ingress_class::new), include_str!("default_ingress_class.rs"))
        .only(since(18)).on()
        .gates(&[gate(Feature::DefaultIngressClass, within(18, 19), Some(within(18, 19)))])
        .looks_up(&["ingressclasses.networking.k8s.io"]),
    plugin("DenyServiceExternalIPs", VALIDATING, CREATE_UPDATE,
        Plain(deny_service_external_ips::new), include_str!("deny_service_external_ips.rs"))
        .only(since(21)),
    plugin("PodTopologyLabels", MUTATING, CREATE,
        Plain(pod_topology_labels::new), include_str!("pod_topology_labels.rs"))
        .only(since(33)).on()
        .gates(&[gate(Feature::PodTopologyLabelsAdmission, since(33), Some(since(35)))]).looks_up(&["nodes"]),
    plugin("PodGroupWorkloadExists", VALIDATING, CREATE,
        Plain(pod_group_workload_exists::new), include_str!("pod_group_workload_exists.rs"))
        .only(since(36)).on().gates(&[GENERIC_WORKLOAD])
        .reads(&["workloads.scheduling.k8s.io"]),
    plugin("NodeDeclaredFeatureValidator", VALIDATING, UPDATE,
        Plain(node_declared_feature_validator::new), include_str!("node_declared_feature_validator.rs"))
        .only(since(35)).on()
        .gates(&[gate(Feature::NodeDeclaredFeatures, since(35), Some(since(36)))]).looks_up(&["nodes"]),
    plugin("JobValidation", VALIDATING, UPDATE, Plain(job_validation::new), include_str!("job_validation.rs"))
        .only(since(36)).on()
        .gates(&[gate(Feature::WorkloadWithJob, since(36), None), GENERIC_WORKLOAD])
        .reads(&["podgroups.scheduling.k8s.io"]),
    plugin("PodResizeValidator", VALIDATING, UPDATE,
        Plain(pod_resize_validator::new), include_str!("pod_resize_validator.rs"))
        .only(since(36)).on()
        .gates(&[gate(Feature::InPlacePodVerticalScaling, since(27), Some(since(33)))]).looks_up(&["nodes"]),
    plugin("MutatingAdmissionPolicy", MUTATING, &[Create, Update, Connect],
        Fallible(mutating_admission_policy::new), include_str!("mutating_admission_policy.rs"))
        .only(since(32)).on()
        .gates(&[gate(Feature::MutatingAdmissionPolicy, since(30), Some(since(36)))])
        .looks_up(&["mutatingadmissionpolicies.admissionregistration.k8s.io", "mutatingadmissionpolicybindings.admissionregistration.k8s.io", "namespaces"])
        .configured(const { &[ConfigurationKind::of(&policy::MUTATING, since(36))] }),
    plugin("MutatingAdmissionWebhook", MUTATING, ALL,
        Fallible(mutating_admission_webhook::new), include_str!("mutating_admission_webhook.rs"))
        .on()
        .looks_up(&["mutatingwebhookconfigurations.admissionregistration.k8s.io", "namespaces"])
        .configured(WEBHOOK_ADMISSION),
    plugin("Initializers", MUTATING, CREATE_UPDATE,
        Plain(removed::initializers::new), include_str!("removed/initializers.rs"))
        .only(within(Releases::OLDEST, 13))
        .looks_up(&["initializerconfigurations.admissionregistration.k8s.io"]),
    plugin("ValidatingAdmissionPolicy", VALIDATING, ALL,
        Fallible(validating_admission_policy::new), include_str!("validating_admission_policy.rs"))
        .only(since(26)).on()
        .gates(&[gate(Feature::ValidatingAdmissionPolicy, within(26, 31), Some(within(30, 31)))])
        .looks_up(&["validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io", "namespaces"])
        .configured(const { &[ConfigurationKind::of(&policy::VALIDATING, since(36))] }),
    plugin("ValidatingAdmissionWebhook", VALIDATING, ALL,
        Fallible(validating_admission_webhook::new), include_str!("validating_admission_webhook.rs"))
        .on()
        .looks_up(&["validatingwebhookconfigurations.admissionregistration.k8s.io", "namespaces"])
        .configured(WEBHOOK_ADMISSION),
    plugin("ResourceQuota", VALIDATING, CREATE_UPDATE,
        Fallible(resource_quota::new), include_str!("resource_quota.rs"))
        .on()
        .looks_up(&["resourcequotas", "deviceclasses.resource.k8s.io"]).reads(&["pods", "resourceclaims.resource.k8s.io"])
        .configured(const { &kinds(&resource_quota::configuration::SCHEME, [ALWAYS, since(12), since(17)]) })
        .changed(&[
            (12, "quotas have the scope PriorityClass"),
            (15, "count/… counts custom resources"),
            (22, "quotas have the scope CrossNamespacePodAffinity"),
            (32, "pods/resize is counted"),
            (34, "pod-level resources, device classes and the scope VolumeAttributesClass count"),
            (36, "devices as extended resources count"),
        ])
        .shown(resource_quota::effective),
    plugin("AlwaysDeny", BOTH, ALL, Plain(always_deny::new), include_str!("always_deny.rs")),
];
