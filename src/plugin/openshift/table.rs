//! The table of OpenShift's plugins: those of kube-apiserver in the order in which it calls them, then those of
//! openshift-apiserver and of Origin.

use crate::admission::Operation::Connect;
use crate::plugin::Plugin;
use crate::plugin::openshift::{scc_exec_restrictions, security_context_constraint};
use crate::plugin::table::{BOTH, CREATE_UPDATE, VALIDATING, plugin};

/// OpenShift's plugins in kube-apiserver, in the order in which it calls them; `ClusterResourceQuota` is elsewhere.
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

/// Every plugin of OpenShift's servers that is not Kubernetes'.
#[rustfmt::skip]
pub(crate) static PLUGINS: &[Plugin] = &[
    plugin("security.openshift.io/SecurityContextConstraint", BOTH, CREATE_UPDATE).on()
        .reads(&["securitycontextconstraints.security.openshift.io", "namespaces"])
        .built(security_context_constraint::new, include_str!("security_context_constraint.rs")),
    plugin("security.openshift.io/SCCExecRestrictions", VALIDATING, &[Connect]).on()
        .reads(&["securitycontextconstraints.security.openshift.io", "namespaces", "pods"])
        .built(scc_exec_restrictions::new, include_str!("scc_exec_restrictions.rs")),
];
