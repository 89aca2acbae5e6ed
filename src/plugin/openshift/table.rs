//! The table of OpenShift's plugins: those of kube-apiserver in the order in which it calls them, then those of
//! openshift-apiserver and of Origin.

use std::sync::LazyLock;

use crate::admission::Operation::{Connect, Delete};
use crate::plugin::Plugin;
use crate::plugin::openshift::{
    build_by_strategy, build_config_secret_injector, cluster_resource_override, cluster_resource_quota,
    csi_inline_volume_security, default_route, default_security_context_constraints,
    deny_delete_cluster_configuration, deny_delete_cluster_operators, external_ip_ranger, image_limit_range,
    image_policy, ingress_admission, jenkins_bootstrapper, managed_node, management_cpus_override,
    mixed_cpus, node_selector_adjuster, origin_namespace_lifecycle, origin_pod_node_environment,
    origin_resource_quota, performant_security_policy, pod_node_constraints, project_request_limit,
    required_route_annotations, restrict_subject_bindings, restricted_endpoints_admission,
    route_host_assignment, run_once_duration, scc_exec_restrictions, security_context_constraint,
    validate_api_request_count, validate_api_server, validate_authentication,
    validate_cluster_resource_quota, validate_config_node_v1, validate_console, validate_dns,
    validate_feature_gate, validate_image, validate_kube_controller_manager, validate_network,
    validate_oauth, validate_project, validate_role_binding_restriction, validate_route, validate_scheduler,
    validate_security_context_constraints,
};
use crate::plugin::table::{BOTH, CREATE, CREATE_UPDATE, MUTATING, VALIDATING, plugin, since};

/// OpenShift's plugins in kube-apiserver, in the order in which it calls them; `ClusterResourceQuota` has another
/// position.
pub(super) const KUBE_APISERVER: &[&str] = &[
    "autoscaling.openshift.io/ClusterResourceOverride",
    "autoscaling.openshift.io/ManagementCPUsOverride",
    "authorization.openshift.io/RestrictSubjectBindings",
    "autoscaling.openshift.io/RunOnceDuration",
    "scheduling.openshift.io/PodNodeConstraints",
    "scheduling.openshift.io/OriginPodNodeEnvironment",
    "network.openshift.io/ExternalIPRanger",
    "network.openshift.io/RestrictedEndpointsAdmission",
    "image.openshift.io/ImagePolicy",
    "security.openshift.io/SecurityContextConstraint",
    "security.openshift.io/SCCExecRestrictions",
    "route.openshift.io/IngressAdmission",
    "route.openshift.io/RouteHostAssignment",
    "storage.openshift.io/CSIInlineVolumeSecurity",
    "autoscaling.openshift.io/ManagedNode",
    "autoscaling.openshift.io/MixedCPUs",
    "storage.openshift.io/PerformantSecurityPolicy",
    "scheduling.openshift.io/NodeSelectorAdjuster",
    "config.openshift.io/ValidateAPIServer",
    "config.openshift.io/ValidateAuthentication",
    "config.openshift.io/ValidateFeatureGate",
    "config.openshift.io/ValidateConsole",
    "operator.openshift.io/ValidateDNS",
    "config.openshift.io/ValidateImage",
    "config.openshift.io/ValidateOAuth",
    "config.openshift.io/ValidateProject",
    "config.openshift.io/DenyDeleteClusterConfiguration",
    "operator.openshift.io/DenyDeleteClusterOperators",
    "config.openshift.io/ValidateScheduler",
    "quota.openshift.io/ValidateClusterResourceQuota",
    "security.openshift.io/ValidateSecurityContextConstraints",
    "authorization.openshift.io/ValidateRoleBindingRestriction",
    "config.openshift.io/ValidateNetwork",
    "config.openshift.io/ValidateAPIRequestCount",
    "config.openshift.io/ValidateConfigNodeV1",
    "route.openshift.io/DefaultRoute",
    "route.openshift.io/ValidateRoute",
    "operator.openshift.io/ValidateKubeControllerManager",
    "security.openshift.io/DefaultSecurityContextConstraints",
];

/// Every plugin of OpenShift's servers that is not Kubernetes'. OpenShift 4.3 and later have the release of Kubernetes whose
/// minor version is greater by 13; the plugins of 4.0 are in every release.
#[rustfmt::skip]
pub(crate) static PLUGINS: &[Plugin] = &[
    plugin("security.openshift.io/SecurityContextConstraint", BOTH, CREATE_UPDATE).on()
        .looks_up(&["securitycontextconstraints.security.openshift.io", "namespaces"]).reads(&["serviceaccounts"])
        .built(security_context_constraint::new, include_str!("security_context_constraint.rs")),
    plugin("security.openshift.io/SCCExecRestrictions", VALIDATING, &[Connect]).on()
        .looks_up(&["securitycontextconstraints.security.openshift.io", "namespaces"]).reads(&["pods"])
        .built(scc_exec_restrictions::new, include_str!("scc_exec_restrictions.rs")),
    plugin("config.openshift.io/ValidateAPIServer", VALIDATING, CREATE_UPDATE).on()
        .looks_up(&["infrastructures.config.openshift.io"])
        .built(validate_api_server::new, include_str!("validate_api_server.rs")),
    plugin("config.openshift.io/ValidateAuthentication", VALIDATING, CREATE_UPDATE).on()
        .built(validate_authentication::new, include_str!("validate_authentication.rs")),
    plugin("config.openshift.io/ValidateFeatureGate", VALIDATING, CREATE_UPDATE).on()
        .built(validate_feature_gate::new, include_str!("validate_feature_gate.rs")),
    plugin("config.openshift.io/ValidateConsole", VALIDATING, CREATE_UPDATE).on()
        .built(validate_console::new, include_str!("validate_console.rs")),
    plugin("operator.openshift.io/ValidateDNS", VALIDATING, CREATE_UPDATE).on()
        .built(validate_dns::new, include_str!("validate_dns.rs")),
    plugin("config.openshift.io/ValidateImage", VALIDATING, CREATE_UPDATE).on()
        .built(validate_image::new, include_str!("validate_image.rs")),
    plugin("config.openshift.io/ValidateOAuth", VALIDATING, CREATE_UPDATE).on()
        .built(validate_oauth::new, include_str!("validate_oauth.rs")),
    plugin("config.openshift.io/ValidateProject", VALIDATING, CREATE_UPDATE).on()
        .built(validate_project::new, include_str!("validate_project.rs")),
    plugin("config.openshift.io/ValidateScheduler", VALIDATING, CREATE_UPDATE).on()
        .built(validate_scheduler::new, include_str!("validate_scheduler.rs")),
    plugin("quota.openshift.io/ValidateClusterResourceQuota", VALIDATING, CREATE_UPDATE).on()
        .built(validate_cluster_resource_quota::new, include_str!("validate_cluster_resource_quota.rs")),
    plugin("security.openshift.io/ValidateSecurityContextConstraints", VALIDATING, CREATE_UPDATE).on()
        .built(validate_security_context_constraints::new, include_str!("validate_security_context_constraints.rs")),
    plugin("authorization.openshift.io/ValidateRoleBindingRestriction", VALIDATING, CREATE_UPDATE).on()
        .built(validate_role_binding_restriction::new, include_str!("validate_role_binding_restriction.rs")),
    plugin("config.openshift.io/ValidateNetwork", VALIDATING, CREATE_UPDATE).on()
        .built(validate_network::new, include_str!("validate_network.rs")),
    plugin("config.openshift.io/ValidateAPIRequestCount", VALIDATING, CREATE_UPDATE).on()
        .built(validate_api_request_count::new, include_str!("validate_api_request_count.rs")),
    plugin("config.openshift.io/ValidateConfigNodeV1", VALIDATING, CREATE_UPDATE).on()
        .reads(&["nodes"])
        .built(validate_config_node_v1::new, include_str!("validate_config_node_v1.rs")),
    plugin("route.openshift.io/ValidateRoute", VALIDATING, CREATE_UPDATE).on()
        .reads(&["secrets"])
        .built(validate_route::new, include_str!("validate_route.rs")),
    plugin("operator.openshift.io/ValidateKubeControllerManager", VALIDATING, CREATE_UPDATE).on()
        .built(validate_kube_controller_manager::new, include_str!("validate_kube_controller_manager.rs")),
    plugin("config.openshift.io/DenyDeleteClusterConfiguration", VALIDATING, &[Delete]).only(since(14)).on()
        .built(deny_delete_cluster_configuration::new, include_str!("deny_delete_cluster_configuration.rs")),
    plugin("operator.openshift.io/DenyDeleteClusterOperators", VALIDATING, &[Delete]).only(since(18)).on()
        .built(deny_delete_cluster_operators::new, include_str!("deny_delete_cluster_operators.rs")),
    plugin("security.openshift.io/DefaultSecurityContextConstraints", MUTATING, CREATE_UPDATE).only(since(13)).on()
        .built(default_security_context_constraints::new, include_str!("default_security_context_constraints.rs")),
    plugin("autoscaling.openshift.io/RunOnceDuration", MUTATING, CREATE).on().looks_up(&["namespaces"])
        .built(run_once_duration::new, include_str!("run_once_duration.rs")),
    plugin("autoscaling.openshift.io/ManagedNode", VALIDATING, CREATE_UPDATE).only(since(26)).on()
        .looks_up(&["infrastructures.config.openshift.io"])
        .built(managed_node::new, include_str!("managed_node.rs")),
    plugin("autoscaling.openshift.io/MixedCPUs", MUTATING, CREATE).only(since(29)).on().looks_up(&["namespaces"])
        .built(mixed_cpus::new, include_str!("mixed_cpus.rs")),
    plugin("scheduling.openshift.io/NodeSelectorAdjuster", MUTATING, CREATE).only(since(35))
        .built(node_selector_adjuster::new, include_str!("node_selector_adjuster.rs")),
    plugin("scheduling.openshift.io/PodNodeConstraints", VALIDATING, CREATE_UPDATE).on()
        .built(pod_node_constraints::new, include_str!("pod_node_constraints.rs")),
    plugin("storage.openshift.io/PerformantSecurityPolicy", MUTATING, CREATE).only(since(33)).on().looks_up(&["namespaces"])
        .built(performant_security_policy::new, include_str!("performant_security_policy.rs")),
    plugin("network.openshift.io/ExternalIPRanger", VALIDATING, CREATE_UPDATE).on()
        .built(external_ip_ranger::new, include_str!("external_ip_ranger.rs")),
    plugin("network.openshift.io/RestrictedEndpointsAdmission", VALIDATING, CREATE_UPDATE).on()
        .built(restricted_endpoints_admission::new, include_str!("restricted_endpoints_admission.rs")),
    plugin("scheduling.openshift.io/OriginPodNodeEnvironment", BOTH, CREATE).on().looks_up(&["namespaces", "nodes"])
        .built(origin_pod_node_environment::new, include_str!("origin_pod_node_environment.rs")),
    plugin("storage.openshift.io/CSIInlineVolumeSecurity", VALIDATING, CREATE).only(since(26)).on()
        .looks_up(&["namespaces", "csidrivers.storage.k8s.io"])
        .built(csi_inline_volume_security::new, include_str!("csi_inline_volume_security.rs")),
    plugin("route.openshift.io/IngressAdmission", VALIDATING, CREATE_UPDATE).on()
        .built(ingress_admission::new, include_str!("ingress_admission.rs")),
    plugin("authorization.openshift.io/RestrictSubjectBindings", VALIDATING, CREATE_UPDATE).on()
        .looks_up(&["rolebindingrestrictions.authorization.openshift.io"]).reads(&["users.user.openshift.io", "groups.user.openshift.io"])
        .built(restrict_subject_bindings::new, include_str!("restrict_subject_bindings.rs")),
    plugin("autoscaling.openshift.io/ClusterResourceOverride", BOTH, CREATE).on().looks_up(&["namespaces", "limitranges"])
        .built(cluster_resource_override::new, include_str!("cluster_resource_override.rs")),
    plugin("autoscaling.openshift.io/ManagementCPUsOverride", BOTH, CREATE).only(since(21)).on()
        .looks_up(&["namespaces", "nodes", "infrastructures.config.openshift.io"])
        .built(management_cpus_override::new, include_str!("management_cpus_override.rs")),
    plugin("route.openshift.io/DefaultRoute", MUTATING, CREATE_UPDATE).only(since(27)).on()
        .built(default_route::new, include_str!("default_route.rs")),
    plugin("route.openshift.io/RouteHostAssignment", MUTATING, CREATE_UPDATE).only(since(27)).on()
        .built(route_host_assignment::new, include_str!("route_host_assignment.rs")),
    plugin("route.openshift.io/RequiredRouteAnnotations", VALIDATING, CREATE_UPDATE).only(since(22)).on()
        .looks_up(&["ingresses.config.openshift.io", "namespaces"])
        .built(required_route_annotations::new, include_str!("required_route_annotations.rs")),
    plugin("build.openshift.io/BuildByStrategy", VALIDATING, CREATE_UPDATE).on()
        .reads(&["builds.build.openshift.io", "buildconfigs.build.openshift.io"])
        .built(build_by_strategy::new, include_str!("build_by_strategy.rs")),
    plugin("project.openshift.io/ProjectRequestLimit", VALIDATING, CREATE).on()
        .looks_up(&["namespaces"]).reads(&["users.user.openshift.io"])
        .built(project_request_limit::new, include_str!("project_request_limit.rs")),
    plugin("quota.openshift.io/ClusterResourceQuota", VALIDATING, CREATE_UPDATE).on()
        .looks_up(&["clusterresourcequotas.quota.openshift.io", "namespaces"])
        .built(cluster_resource_quota::new, include_str!("cluster_resource_quota.rs")),
    plugin("build.openshift.io/BuildConfigSecretInjector", BOTH, CREATE).on().reads(&["secrets"])
        .built(build_config_secret_injector::new, include_str!("build_config_secret_injector.rs")),
    plugin("image.openshift.io/ImagePolicy", BOTH, CREATE_UPDATE).on()
        .looks_up(&["imagestreamtags.image.openshift.io", "imagestreams.image.openshift.io", "namespaces"]).reads(&["images.image.openshift.io"])
        .built(image_policy::new, include_str!("image_policy.rs")),
    plugin("image.openshift.io/ImageLimitRange", BOTH, CREATE).on().looks_up(&["limitranges"])
        .built(image_limit_range::new, include_str!("image_limit_range.rs")),
    plugin("OriginNamespaceLifecycle", MUTATING, CREATE).on().looks_up(&["namespaces"])
        .built(origin_namespace_lifecycle::new, include_str!("origin_namespace_lifecycle.rs")),
    plugin("openshift.io/JenkinsBootstrapper", MUTATING, CREATE).on()
        .reads(&["services", "templates"])
        .built(jenkins_bootstrapper::new, include_str!("jenkins_bootstrapper.rs")),
    plugin("openshift.io/OriginResourceQuota", MUTATING, CREATE_UPDATE).on()
        .looks_up(&["imagestreams", "resourcequotas"])
        .built(origin_resource_quota::new, include_str!("origin_resource_quota.rs")),
];

/// The names of plugins on the masters of Origin, and their later names.
const OLDER_NAMES: [(&str, &str); 16] = [
    ("BuildByStrategy", "build.openshift.io/BuildByStrategy"),
    ("ClusterResourceOverride", "autoscaling.openshift.io/ClusterResourceOverride"),
    ("ExternalIPRanger", "network.openshift.io/ExternalIPRanger"),
    ("OriginPodNodeEnvironment", "scheduling.openshift.io/OriginPodNodeEnvironment"),
    ("PodNodeConstraints", "scheduling.openshift.io/PodNodeConstraints"),
    ("ProjectRequestLimit", "project.openshift.io/ProjectRequestLimit"),
    ("RunOnceDuration", "autoscaling.openshift.io/RunOnceDuration"),
    ("SCCExecRestrictions", "security.openshift.io/SCCExecRestrictions"),
    ("SecurityContextConstraint", "security.openshift.io/SecurityContextConstraint"),
    ("openshift.io/BuildConfigSecretInjector", "build.openshift.io/BuildConfigSecretInjector"),
    ("openshift.io/ClusterResourceQuota", "quota.openshift.io/ClusterResourceQuota"),
    ("openshift.io/ImageLimitRange", "image.openshift.io/ImageLimitRange"),
    ("openshift.io/ImagePolicy", "image.openshift.io/ImagePolicy"),
    ("openshift.io/IngressAdmission", "route.openshift.io/IngressAdmission"),
    ("openshift.io/RestrictSubjectBindings", "authorization.openshift.io/RestrictSubjectBindings"),
    ("openshift.io/RestrictedEndpointsAdmission", "network.openshift.io/RestrictedEndpointsAdmission"),
];

/// Returns the plugins that had another name on the masters of Origin, under that name.
pub(crate) fn of_origin() -> &'static [Plugin] {
    static PLUGINS_OF_ORIGIN: LazyLock<Vec<Plugin>> = LazyLock::new(|| {
        let found = OLDER_NAMES.iter().filter_map(|(name, later)| {
            let plugin = PLUGINS.iter().find(|plugin| plugin.name == *later)?;
            Some(Plugin { name, ..*plugin })
        });
        found.collect()
    });
    &PLUGINS_OF_ORIGIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_plugin_that_had_another_name() {
        assert_eq!(of_origin().len(), OLDER_NAMES.len());
    }
}
