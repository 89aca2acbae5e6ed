//! The plugins, in the order of kube-apiserver's `AllOrderedPlugins`.
//!
//! One line a plugin: everything that is said about plugins elsewhere is derived from [`ALL_ORDERED_PLUGINS`].

mod always_admit;
mod always_deny;
mod always_pull_images;
mod certificate_approval;
mod certificate_signing;
mod certificate_subject_restriction;
mod cluster_trust_bundle_attest;
mod default_ingress_class;
mod default_storage_class;
mod default_toleration_seconds;
mod deny_service_external_ips;
mod event_rate_limit;
mod extended_resource_toleration;
mod job_validation;
mod limit_pod_hard_anti_affinity_topology;
mod limit_ranger;
mod namespace_auto_provision;
mod namespace_exists;
mod namespace_lifecycle;
mod node_declared_feature_validator;
mod node_restriction;
mod owner_references_permission_enforcement;
mod persistent_volume_claim_resize;
mod pod_group_protection;
mod pod_group_workload_exists;
mod pod_node_selector;
mod pod_resize_validator;
mod pod_security;
mod pod_toleration_restriction;
mod pod_topology_labels;
mod priority;
pub(crate) mod resource_quota;
mod runtime_class;
mod service_account;
mod storage_object_in_use_protection;
mod taint_nodes_by_condition;
#[cfg(test)]
mod testing;

use std::sync::Arc;

use crate::admission::Handler;
use crate::admission::Operation::{self, Create, Delete, Update};
use crate::api::features::FeatureGates;
use crate::api::resource::RuntimeConfig;
use crate::api::version::Version;
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::manifest::versioned;

/// What a factory may build a plugin from.
#[derive(Clone, Debug)]
pub struct PluginInitializer {
    /// The objects that exist.
    pub cluster: Arc<Cluster>,
    /// Says what users may do.
    pub authorizer: Arc<Authorizer>,
    /// The feature gates of the emulated release.
    pub features: Arc<FeatureGates>,
    /// The release that the server behaves as.
    pub emulated_version: Version,
    /// The APIs that the server serves.
    pub runtime_config: RuntimeConfig,
    /// `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
}

/// The configuration of one plugin, as the `AdmissionConfiguration` gives or names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginConfiguration {
    /// The text of the plugin's file; of an inline configuration its JSON with sorted keys.
    pub text: String,
}

/// Builds a plugin, or says why it cannot.
pub type Factory = fn(&PluginInitializer, Option<&PluginConfiguration>) -> Result<Handler, FactoryError>;

/// Why a plugin cannot be built, in the words of kube-apiserver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactoryError {
    /// It cannot be made from its configuration.
    #[error("{0}")]
    Configuration(String),
    /// It was made, and then found to be unfit for work: upstream's `ValidateInitialization`.
    #[error("{0}")]
    Initialization(String),
}

impl From<String> for FactoryError {
    fn from(message: String) -> Self {
        Self::Configuration(message)
    }
}

impl From<versioned::Error> for FactoryError {
    fn from(error: versioned::Error) -> Self {
        Self::Configuration(error.to_string())
    }
}

/// A line of [`ALL_ORDERED_PLUGINS`].
#[derive(Debug)]
pub struct Plugin {
    /// The name in flags and in the `AdmissionConfiguration`.
    pub name: &'static str,
    /// The operations it is called for.
    pub operations: &'static [Operation],
    /// Whether it is on unless a flag says otherwise.
    pub default_on: bool,
    /// Builds it; `None` for a plugin that kadmit does not have yet.
    pub factory: Option<Factory>,
}

const ALL: &[Operation] = Operation::ALL;
const CREATE: &[Operation] = &[Create];
const CREATE_UPDATE: &[Operation] = &[Create, Update];
const CREATE_UPDATE_DELETE: &[Operation] = &[Create, Update, Delete];

const fn on(name: &'static str, operations: &'static [Operation], factory: Option<Factory>) -> Plugin {
    Plugin { name, operations, default_on: true, factory }
}

const fn off(name: &'static str, operations: &'static [Operation], factory: Option<Factory>) -> Plugin {
    Plugin { name, operations, default_on: false, factory }
}

/// Every plugin, in the order in which kube-apiserver calls them.
///
/// Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go`.
#[rustfmt::skip]
pub static ALL_ORDERED_PLUGINS: &[Plugin] = &[
    off("AlwaysAdmit", ALL, Some(always_admit::new)),
    off("NamespaceAutoProvision", CREATE, Some(namespace_auto_provision::new)),
    on("NamespaceLifecycle", CREATE_UPDATE_DELETE, Some(namespace_lifecycle::new)),
    off("NamespaceExists", CREATE_UPDATE_DELETE, Some(namespace_exists::new)),
    off("LimitPodHardAntiAffinityTopology", CREATE_UPDATE, Some(limit_pod_hard_anti_affinity_topology::new)),
    on("LimitRanger", CREATE_UPDATE, Some(limit_ranger::new)),
    on("ServiceAccount", CREATE_UPDATE, Some(service_account::new)),
    off("NodeRestriction", CREATE_UPDATE_DELETE, Some(node_restriction::new)),
    on("TaintNodesByCondition", CREATE, Some(taint_nodes_by_condition::new)),
    off("AlwaysPullImages", CREATE_UPDATE, Some(always_pull_images::new)),
    off("ImagePolicyWebhook", CREATE_UPDATE, None),
    on("PodSecurity", CREATE_UPDATE, Some(pod_security::new)),
    off("PodNodeSelector", CREATE, Some(pod_node_selector::new)),
    on("Priority", CREATE_UPDATE_DELETE, Some(priority::new)),
    on("DefaultTolerationSeconds", CREATE_UPDATE, Some(default_toleration_seconds::new)),
    off("PodTolerationRestriction", CREATE_UPDATE, Some(pod_toleration_restriction::new)),
    off("EventRateLimit", CREATE_UPDATE, Some(event_rate_limit::new)),
    off("ExtendedResourceToleration", CREATE_UPDATE, Some(extended_resource_toleration::new)),
    on("DefaultStorageClass", CREATE, Some(default_storage_class::new)),
    on("StorageObjectInUseProtection", CREATE, Some(storage_object_in_use_protection::new)),
    on("PodGroupProtection", CREATE, Some(pod_group_protection::new)),
    off("OwnerReferencesPermissionEnforcement", CREATE_UPDATE, Some(owner_references_permission_enforcement::new)),
    on("PersistentVolumeClaimResize", &[Update], Some(persistent_volume_claim_resize::new)),
    on("RuntimeClass", CREATE, Some(runtime_class::new)),
    on("CertificateApproval", &[Update], Some(certificate_approval::new)),
    on("CertificateSigning", &[Update], Some(certificate_signing::new)),
    on("ClusterTrustBundleAttest", CREATE_UPDATE, Some(cluster_trust_bundle_attest::new)),
    on("CertificateSubjectRestriction", CREATE, Some(certificate_subject_restriction::new)),
    on("DefaultIngressClass", CREATE, Some(default_ingress_class::new)),
    off("DenyServiceExternalIPs", CREATE_UPDATE, Some(deny_service_external_ips::new)),
    on("PodTopologyLabels", CREATE, Some(pod_topology_labels::new)),
    on("PodGroupWorkloadExists", CREATE, Some(pod_group_workload_exists::new)),
    on("NodeDeclaredFeatureValidator", &[Update], Some(node_declared_feature_validator::new)),
    on("JobValidation", &[Update], Some(job_validation::new)),
    on("PodResizeValidator", &[Update], Some(pod_resize_validator::new)),
    on("MutatingAdmissionPolicy", &[Create, Update, Operation::Connect], None),
    on("MutatingAdmissionWebhook", ALL, None),
    on("ValidatingAdmissionPolicy", ALL, None),
    on("ValidatingAdmissionWebhook", ALL, None),
    on("ResourceQuota", CREATE_UPDATE, Some(resource_quota::new)),
    off("AlwaysDeny", ALL, Some(always_deny::new)),
];
