//! The plugins that OpenShift adds, and the chains of its servers.
//!
//! Source: `openshift/kubernetes` `openshift-kube-apiserver/admission`, `openshift/openshift-apiserver`
//! `pkg/cmd/openshift-apiserver/openshiftadmission`, `openshift/origin` `pkg/cmd/server/origin/admission`.

mod additions;
mod build_by_strategy;
mod build_config_secret_injector;
mod chains;
mod cluster_resource_override;
mod cluster_resource_quota;
mod configuration;
mod csi_inline_volume_security;
mod default_route;
mod default_security_context_constraints;
mod deny_delete_cluster_configuration;
mod deny_delete_cluster_operators;
mod exemption;
mod external_ip_ranger;
mod image_limit_range;
mod image_policy;
mod ingress_admission;
mod jenkins_bootstrapper;
mod lookup;
mod managed_node;
mod management_cpus_override;
mod mixed_cpus;
mod network;
mod node_selector_adjuster;
mod origin_namespace_lifecycle;
mod origin_pod_node_environment;
mod origin_resource_quota;
mod pattern;
mod performant_security_policy;
mod pod_node_constraints;
mod project_request_limit;
mod required_route_annotations;
mod restrict_subject_bindings;
mod restricted_endpoints_admission;
mod route_host_assignment;
mod run_once_duration;
mod scc;
mod scc_exec_restrictions;
mod security_context_constraint;
mod table;
#[cfg(test)]
mod tests;
mod typed;
mod validator;

use kube_api::Value;

pub(crate) use additions::of as additions;
pub(crate) use chains::{plugins, switches_on};
pub(crate) use configuration::switch_of;
pub(crate) use lookup::{may_set_hosts, router_may, type_of_secret};
pub(crate) use table::{of_origin, own};
pub(crate) use validator::Validated;

/// Parts of the configuration of OpenShift's servers that plugins read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenShiftOptions {
    /// `projectConfig.defaultNodeSelector`
    pub default_node_selector: String,
    /// `imagePolicyConfig.internalRegistryHostname`
    pub internal_registry_hostname: String,
    /// Whether the feature gate `StoragePerformantSecurityPolicy` is on.
    pub performant_security_policy: bool,
    /// Whether the feature gate `MinimumKubeletVersion` is on.
    pub minimum_kubelet_version: bool,
    /// `jenkinsPipelineConfig`
    pub jenkins_pipeline: Value,
}
