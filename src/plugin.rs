//! The plugins, in the order of kube-apiserver's `AllOrderedPlugins`.
//!
//! One line a plugin: everything that is said about plugins elsewhere is derived from [`ALL_ORDERED_PLUGINS`].

mod limit_ranger;
mod resource_quota;

use std::sync::Arc;

use crate::admission::Handler;
use crate::admission::Operation::{self, Create, Delete, Update};
use crate::api::features::FeatureGates;
use crate::cluster::Cluster;

/// What a factory may build a plugin from.
#[derive(Clone, Debug)]
pub struct PluginInitializer {
    /// The objects that exist.
    pub cluster: Arc<Cluster>,
    /// The feature gates of the emulated release.
    pub features: Arc<FeatureGates>,
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

/// Builds a plugin, or says in the words of kube-apiserver why it cannot.
pub type Factory = fn(&PluginInitializer, Option<&PluginConfiguration>) -> Result<Handler, String>;

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
    off("AlwaysAdmit", ALL, None),
    off("NamespaceAutoProvision", CREATE, None),
    on("NamespaceLifecycle", CREATE_UPDATE_DELETE, None),
    off("NamespaceExists", CREATE_UPDATE_DELETE, None),
    off("LimitPodHardAntiAffinityTopology", CREATE_UPDATE, None),
    on("LimitRanger", CREATE_UPDATE, Some(limit_ranger::new)),
    on("ServiceAccount", CREATE_UPDATE, None),
    off("NodeRestriction", CREATE_UPDATE_DELETE, None),
    on("TaintNodesByCondition", CREATE, None),
    off("AlwaysPullImages", CREATE_UPDATE, None),
    off("ImagePolicyWebhook", CREATE_UPDATE, None),
    on("PodSecurity", CREATE_UPDATE, None),
    off("PodNodeSelector", CREATE, None),
    on("Priority", CREATE_UPDATE_DELETE, None),
    on("DefaultTolerationSeconds", CREATE_UPDATE, None),
    off("PodTolerationRestriction", CREATE_UPDATE, None),
    off("EventRateLimit", CREATE_UPDATE, None),
    off("ExtendedResourceToleration", CREATE_UPDATE, None),
    on("DefaultStorageClass", CREATE, None),
    on("StorageObjectInUseProtection", CREATE, None),
    on("PodGroupProtection", CREATE, None),
    off("OwnerReferencesPermissionEnforcement", CREATE_UPDATE, None),
    on("PersistentVolumeClaimResize", &[Update], None),
    on("RuntimeClass", CREATE, None),
    on("CertificateApproval", &[Update], None),
    on("CertificateSigning", &[Update], None),
    on("ClusterTrustBundleAttest", CREATE_UPDATE, None),
    on("CertificateSubjectRestriction", CREATE, None),
    on("DefaultIngressClass", CREATE, None),
    off("DenyServiceExternalIPs", CREATE_UPDATE, None),
    on("PodTopologyLabels", CREATE, None),
    on("PodGroupWorkloadExists", CREATE, None),
    on("NodeDeclaredFeatureValidator", &[Update], None),
    on("JobValidation", &[Update], None),
    on("PodResizeValidator", &[Update], None),
    on("MutatingAdmissionPolicy", ALL, None),
    on("MutatingAdmissionWebhook", ALL, None),
    on("ValidatingAdmissionPolicy", ALL, None),
    on("ValidatingAdmissionWebhook", ALL, None),
    on("ResourceQuota", CREATE_UPDATE, Some(resource_quota::new)),
    off("AlwaysDeny", ALL, None),
];
