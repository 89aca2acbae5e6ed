//! The table of OpenShift's plugins.

use std::sync::LazyLock;

use crate::admission::Operation::{Connect, Delete};
use crate::plugin::Factory::{Fallible, Plain, Validator};
use crate::plugin::Plugin;
use crate::plugin::openshift::validator::Validated;
use crate::plugin::openshift::{
    build_by_strategy, build_config_secret_injector, cluster_resource_override, cluster_resource_quota,
    csi_inline_volume_security, default_route, default_security_context_constraints,
    deny_delete_cluster_configuration, deny_delete_cluster_operators, external_ip_ranger, image_limit_range,
    image_policy, ingress_admission, jenkins_bootstrapper, managed_node, management_cpus_override,
    mixed_cpus, node_selector_adjuster, origin_namespace_lifecycle, origin_pod_node_environment,
    origin_resource_quota, performant_security_policy, pod_node_constraints, project_request_limit,
    required_route_annotations, restrict_subject_bindings, restricted_endpoints_admission,
    route_host_assignment, run_once_duration, scc_exec_restrictions, security_context_constraint,
};
use crate::plugin::table::{BOTH, CREATE, CREATE_UPDATE, MUTATING, VALIDATING, plugin, since};
use kube_registry::openshift::validators;

impl Plugin {
    /// Adds the name that it had on the masters of Origin.
    const fn formerly(self, name: &'static str) -> Self {
        Self { former_name: Some(name), ..self }
    }

    const fn configured_as(self, kind: &'static str) -> Self {
        Self { openshift_configuration: Some(kind), ..self }
    }
}

const fn validator(name: &'static str, validated: Validated) -> Plugin {
    plugin(name, VALIDATING, CREATE_UPDATE, Validator(validated), "").on()
}

/// The plugins of OpenShift's kube-apiserver, in the order in which it calls them. OpenShift 4.3 and later have the release of
/// Kubernetes whose minor version is greater by 13; the plugins of 4.0 are in every release.
#[rustfmt::skip]
pub(super) static KUBE_APISERVER: &[Plugin] = &[
    plugin("autoscaling.openshift.io/ClusterResourceOverride", BOTH, CREATE,
        Fallible(cluster_resource_override::new), include_str!("cluster_resource_override.rs"))
        .on().looks_up(&["namespaces", "limitranges"])
        .formerly("ClusterResourceOverride").configured_as("ClusterResourceOverrideConfig").only_configured(),
    plugin("autoscaling.openshift.io/ManagementCPUsOverride", BOTH, CREATE,
        Plain(management_cpus_override::new), include_str!("management_cpus_override.rs"))
        .only(since(21)).on()
        .looks_up(&["namespaces", "nodes", "infrastructures.config.openshift.io"]),
    plugin("authorization.openshift.io/RestrictSubjectBindings", VALIDATING, CREATE_UPDATE,
        Plain(restrict_subject_bindings::new), include_str!("restrict_subject_bindings.rs"))
        .on()
        .looks_up(&["rolebindingrestrictions.authorization.openshift.io"]).reads(&["users.user.openshift.io", "groups.user.openshift.io"])
        .formerly("openshift.io/RestrictSubjectBindings").only_configured(),
    plugin("autoscaling.openshift.io/RunOnceDuration", MUTATING, CREATE,
        Fallible(run_once_duration::new), include_str!("run_once_duration.rs"))
        .on().looks_up(&["namespaces"])
        .formerly("RunOnceDuration").configured_as("RunOnceDurationConfig").only_configured(),
    plugin("scheduling.openshift.io/PodNodeConstraints", VALIDATING, CREATE_UPDATE,
        Fallible(pod_node_constraints::new), include_str!("pod_node_constraints.rs"))
        .on()
        .formerly("PodNodeConstraints").configured_as("PodNodeConstraintsConfig").only_configured(),
    plugin("scheduling.openshift.io/OriginPodNodeEnvironment", BOTH, CREATE,
        Plain(origin_pod_node_environment::new), include_str!("origin_pod_node_environment.rs"))
        .on().looks_up(&["namespaces", "nodes"])
        .formerly("OriginPodNodeEnvironment"),
    plugin("network.openshift.io/ExternalIPRanger", VALIDATING, CREATE_UPDATE,
        Fallible(external_ip_ranger::new), include_str!("external_ip_ranger.rs"))
        .on()
        .formerly("ExternalIPRanger").configured_as("ExternalIPRangerAdmissionConfig"),
    plugin("network.openshift.io/RestrictedEndpointsAdmission", VALIDATING, CREATE_UPDATE,
        Fallible(restricted_endpoints_admission::new), include_str!("restricted_endpoints_admission.rs"))
        .on()
        .formerly("openshift.io/RestrictedEndpointsAdmission").configured_as("RestrictedEndpointsAdmissionConfig"),
    plugin("image.openshift.io/ImagePolicy", BOTH, CREATE_UPDATE,
        Fallible(image_policy::new), include_str!("image_policy.rs"))
        .on()
        .looks_up(&["imagestreamtags.image.openshift.io", "imagestreams.image.openshift.io", "namespaces"]).reads(&["images.image.openshift.io"])
        .formerly("openshift.io/ImagePolicy").configured_as("ImagePolicyConfig").only_configured(),
    plugin("security.openshift.io/SecurityContextConstraint", BOTH, CREATE_UPDATE,
        Plain(security_context_constraint::new), include_str!("security_context_constraint.rs"))
        .on()
        .looks_up(&["securitycontextconstraints.security.openshift.io", "namespaces"]).reads(&["serviceaccounts"])
        .formerly("SecurityContextConstraint"),
    plugin("security.openshift.io/SCCExecRestrictions", VALIDATING, &[Connect],
        Plain(scc_exec_restrictions::new), include_str!("scc_exec_restrictions.rs"))
        .on()
        .looks_up(&["securitycontextconstraints.security.openshift.io", "namespaces"]).reads(&["pods"])
        .formerly("SCCExecRestrictions"),
    plugin("route.openshift.io/IngressAdmission", VALIDATING, CREATE_UPDATE,
        Fallible(ingress_admission::new), include_str!("ingress_admission.rs"))
        .on()
        .formerly("openshift.io/IngressAdmission").configured_as("IngressAdmissionConfig"),
    plugin("route.openshift.io/RouteHostAssignment", MUTATING, CREATE_UPDATE,
        Fallible(route_host_assignment::new), include_str!("route_host_assignment.rs"))
        .only(since(27)).on()
        .configured_as("HostAssignmentAdmissionConfig"),
    plugin("storage.openshift.io/CSIInlineVolumeSecurity", VALIDATING, CREATE,
        Plain(csi_inline_volume_security::new), include_str!("csi_inline_volume_security.rs"))
        .only(since(26)).on()
        .looks_up(&["namespaces", "csidrivers.storage.k8s.io"]),
    plugin("autoscaling.openshift.io/ManagedNode", VALIDATING, CREATE_UPDATE,
        Plain(managed_node::new), include_str!("managed_node.rs"))
        .only(since(26)).on()
        .looks_up(&["infrastructures.config.openshift.io"]),
    plugin("autoscaling.openshift.io/MixedCPUs", MUTATING, CREATE,
        Plain(mixed_cpus::new), include_str!("mixed_cpus.rs"))
        .only(since(29)).on().looks_up(&["namespaces"]),
    plugin("storage.openshift.io/PerformantSecurityPolicy", MUTATING, CREATE,
        Plain(performant_security_policy::new), include_str!("performant_security_policy.rs"))
        .only(since(33)).on().looks_up(&["namespaces"]),
    plugin("scheduling.openshift.io/NodeSelectorAdjuster", MUTATING, CREATE,
        Plain(node_selector_adjuster::new), include_str!("node_selector_adjuster.rs"))
        .only(since(35)),
    validator("config.openshift.io/ValidateAPIServer",
        Validated::of_cluster(&validators::API_SERVER, "apiservers", "the configuration of the API servers: allowed origins, TLS profile, certificates", &[
            "An allowed origin is not a regular expression.",
            "The TLS profile is incomplete, or its ciphers cannot serve HTTP/2.",
            "A certificate is for the address that the cluster itself uses.",
        ]).reading("`infrastructures.config.openshift.io` `cluster`"))
        .looks_up(&["infrastructures.config.openshift.io"]),
    validator("config.openshift.io/ValidateAuthentication",
        Validated::of_cluster(&validators::AUTHENTICATION, "authentications", "how users are authenticated: webhooks, metadata and OIDC providers with their expressions", &[
            "A referenced secret or config map has an impossible name, or the webhook does not fit the type.",
            "An expression over claims does not compile, or must be a condition and is not one.",
        ]).warning(validators::authentication_warnings)),
    validator("config.openshift.io/ValidateFeatureGate",
        Validated::of_cluster(&validators::FEATURE_GATE, "featuregates", "the feature set of the cluster", &[
            "The feature set `OKD` is enabled.",
        ])),
    validator("config.openshift.io/ValidateConsole",
        Validated::of_cluster(&validators::CONSOLE, "consoles", "the configuration of the web console", &[])),
    validator("operator.openshift.io/ValidateDNS",
        Validated::of(&validators::DNS, "dnses", "the DNS operator: where its pods run, and how they talk to other servers", &[
            "The node selector or a toleration is not valid.",
            "TLS is required without a server name, or settings of TLS are given without it.",
            "TLS is demanded of the resolvers of the nodes.",
        ])),
    validator("config.openshift.io/ValidateImage",
        Validated::of_cluster(&validators::IMAGE, "images", "which registries images come from", &[])),
    validator("config.openshift.io/ValidateOAuth",
        Validated::of_cluster(&validators::OAUTH, "oauths", "how users log in: identity providers, tokens and templates", &[
            "An identity provider is incomplete, contradicts itself or has the name of another.",
            "Providers that redirect and providers that ask for a password are mixed.",
            "Tokens time out after less than five minutes.",
        ])),
    validator("config.openshift.io/ValidateProject",
        Validated::of_cluster(&validators::PROJECT, "projects", "how projects are requested", &[
            "The message is longer than 4096 characters, or the name of the template is impossible.",
        ])),
    plugin("config.openshift.io/DenyDeleteClusterConfiguration", VALIDATING, &[Delete],
        Plain(deny_delete_cluster_configuration::new), include_str!("deny_delete_cluster_configuration.rs"))
        .only(since(14)).on(),
    plugin("operator.openshift.io/DenyDeleteClusterOperators", VALIDATING, &[Delete],
        Plain(deny_delete_cluster_operators::new), include_str!("deny_delete_cluster_operators.rs"))
        .only(since(18)).on(),
    validator("config.openshift.io/ValidateScheduler",
        Validated::of_cluster(&validators::SCHEDULER, "schedulers", "the policy of the scheduler", &[
            "The name of the policy is impossible.",
        ])),
    validator("quota.openshift.io/ValidateClusterResourceQuota",
        Validated::of(&validators::CLUSTER_RESOURCE_QUOTA, "clusterresourcequotas", "quotas over several projects", &[
            "No project is selected, or the selector is not valid.",
            "A limit is not one that a quota can have.",
        ])),
    validator("security.openshift.io/ValidateSecurityContextConstraints",
        Validated::of(&validators::SECURITY_CONTEXT_CONSTRAINTS, "securitycontextconstraints", "the rights of pods on nodes", &[
            "A strategy is unknown, a number negative, a range reversed.",
            "A capability is dropped and added or allowed.",
            "Volumes or sysctls contradict each other.",
        ])),
    validator("authorization.openshift.io/ValidateRoleBindingRestriction",
        Validated::of(&validators::ROLE_BINDING_RESTRICTION, "rolebindingrestrictions", "the restrictions on who may be bound to roles in a project", &[
            "Not exactly one of the three kinds of restriction is given, or it is empty.",
            "A label selector is not valid.",
        ])),
    validator("config.openshift.io/ValidateNetwork",
        Validated::of_cluster(&validators::NETWORK, "networks", "the network of the cluster", &[
            "The range of node ports shrinks, or cannot be parsed.",
        ])),
    validator("config.openshift.io/ValidateAPIRequestCount",
        Validated::of(&validators::API_REQUEST_COUNT, "apirequestcounts", "the counts of requests per resource", &[
            "The name of a new object does not have the form `resource.version.group`.",
        ])),
    validator("config.openshift.io/ValidateConfigNodeV1",
        Validated::of_cluster(&validators::NODE, "nodes", "settings of all nodes", &[
            "The worker latency profile changes from one extreme to the other in one step.",
            "With the feature gate `MinimumKubeletVersion`, a node has an older kubelet than `spec.minimumKubeletVersion`, or one of the versions is malformed.",
        ]).reading("`nodes`, with the feature gate"))
        .reads(&["nodes"]),
    plugin("route.openshift.io/DefaultRoute", MUTATING, CREATE_UPDATE,
        Plain(default_route::new), include_str!("default_route.rs"))
        .only(since(27)).on(),
    validator("route.openshift.io/ValidateRoute",
        Validated::of(&validators::ROUTE, "routes", "routes, where custom resources serve them", &[
            "The host, the subdomain, the path or a target is not valid.",
            "Certificates do not fit the termination.",
            "The router may not read the secret of an external certificate.",
        ]).reading("`secrets`, roles and bindings of the router"))
        .reads(&["secrets"]),
    validator("operator.openshift.io/ValidateKubeControllerManager",
        Validated::of_cluster(&validators::KUBE_CONTROLLER_MANAGER, "kubecontrollermanagers", "the operator of the controller manager", &[
        "`useMoreSecureServiceCA` is disabled after it was enabled.",
        ])),
    plugin("security.openshift.io/DefaultSecurityContextConstraints", MUTATING, CREATE_UPDATE,
        Plain(default_security_context_constraints::new), include_str!("default_security_context_constraints.rs"))
        .only(since(13)).on(),
];

/// The plugins of openshift-apiserver and of Origin's masters alone, and the quota, which kube-apiserver calls elsewhere.
#[rustfmt::skip]
pub(super) static OTHERS: &[Plugin] = &[
    plugin("route.openshift.io/RequiredRouteAnnotations", VALIDATING, CREATE_UPDATE,
        Plain(required_route_annotations::new), include_str!("required_route_annotations.rs"))
        .only(since(22)).on()
        .looks_up(&["ingresses.config.openshift.io", "namespaces"]),
    plugin("build.openshift.io/BuildByStrategy", VALIDATING, CREATE_UPDATE,
        Plain(build_by_strategy::new), include_str!("build_by_strategy.rs"))
        .on()
        .reads(&["builds.build.openshift.io", "buildconfigs.build.openshift.io"])
        .formerly("BuildByStrategy"),
    plugin("project.openshift.io/ProjectRequestLimit", VALIDATING, CREATE,
        Fallible(project_request_limit::new), include_str!("project_request_limit.rs"))
        .on()
        .looks_up(&["namespaces"]).reads(&["users.user.openshift.io"])
        .formerly("ProjectRequestLimit").configured_as("ProjectRequestLimitConfig").only_configured(),
    plugin("quota.openshift.io/ClusterResourceQuota", VALIDATING, CREATE_UPDATE,
        Plain(cluster_resource_quota::new), include_str!("cluster_resource_quota.rs"))
        .on()
        .looks_up(&["clusterresourcequotas.quota.openshift.io", "namespaces"])
        .formerly("openshift.io/ClusterResourceQuota"),
    plugin("build.openshift.io/BuildConfigSecretInjector", BOTH, CREATE,
        Plain(build_config_secret_injector::new), include_str!("build_config_secret_injector.rs"))
        .on().reads(&["secrets"])
        .formerly("openshift.io/BuildConfigSecretInjector"),
    plugin("image.openshift.io/ImageLimitRange", BOTH, CREATE,
        Plain(image_limit_range::new), include_str!("image_limit_range.rs"))
        .on().looks_up(&["limitranges"])
        .formerly("openshift.io/ImageLimitRange"),
    plugin("OriginNamespaceLifecycle", MUTATING, CREATE,
        Plain(origin_namespace_lifecycle::new), include_str!("origin_namespace_lifecycle.rs"))
        .on().looks_up(&["namespaces"]),
    plugin("openshift.io/JenkinsBootstrapper", MUTATING, CREATE,
        Plain(jenkins_bootstrapper::new), include_str!("jenkins_bootstrapper.rs"))
        .on()
        .reads(&["services", "templates"]),
    plugin("openshift.io/OriginResourceQuota", MUTATING, CREATE_UPDATE,
        Plain(origin_resource_quota::new), include_str!("origin_resource_quota.rs"))
        .on()
        .looks_up(&["imagestreams", "resourcequotas"]),
];

/// Returns every plugin of OpenShift's servers that is not Kubernetes'.
pub(crate) fn own() -> impl Iterator<Item = &'static Plugin> {
    KUBE_APISERVER.iter().chain(OTHERS)
}

/// Returns the plugins that had another name on the masters of Origin, under that name.
pub(crate) fn of_origin() -> &'static [Plugin] {
    static PLUGINS_OF_ORIGIN: LazyLock<Vec<Plugin>> = LazyLock::new(|| {
        own().filter_map(|plugin| Some(Plugin { name: plugin.former_name?, ..*plugin })).collect()
    });
    &PLUGINS_OF_ORIGIN
}
