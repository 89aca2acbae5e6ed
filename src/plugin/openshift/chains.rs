//! The order in which each of OpenShift's servers calls its plugins, and the plugins that it enables.

use crate::plugin::Plugin;
use crate::plugin::openshift::table::{self, KUBE_APISERVER, of_origin};
use kube_api::distribution::{OriginRelease, Server};

/// Kubernetes' plugins that OpenShift's kube-apiserver enables and Kubernetes does not.
const SWITCHED_ON: &[&str] = &[
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodNodeSelector",
    "PodTolerationRestriction",
];

/// The chain of openshift-apiserver.
const OPENSHIFT_APISERVER: &[&str] = &[
    "NamespaceLifecycle",
    "OwnerReferencesPermissionEnforcement",
    "project.openshift.io/ProjectRequestLimit",
    "build.openshift.io/BuildConfigSecretInjector",
    "build.openshift.io/BuildByStrategy",
    "image.openshift.io/ImageLimitRange",
    "image.openshift.io/ImagePolicy",
    "quota.openshift.io/ClusterResourceQuota",
    "route.openshift.io/RequiredRouteAnnotations",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
    "ResourceQuota",
];

/// The combined chain of Origin 1.4.
const ORIGIN_1_4: &[&str] = &[
    "NamespaceLifecycle",
    "ProjectRequestLimit",
    "OriginNamespaceLifecycle",
    "openshift.io/RestrictSubjectBindings",
    "PodNodeConstraints",
    "openshift.io/JenkinsBootstrapper",
    "BuildByStrategy",
    "openshift.io/ImageLimitRange",
    "RunOnceDuration",
    "OriginPodNodeEnvironment",
    "ClusterResourceOverride",
    "ExternalIPRanger",
    "openshift.io/RestrictedEndpointsAdmission",
    "openshift.io/ImagePolicy",
    "ImagePolicyWebhook",
    "LimitRanger",
    "ServiceAccount",
    "SecurityContextConstraint",
    "DefaultStorageClass",
    "AlwaysPullImages",
    "LimitPodHardAntiAffinityTopology",
    "SCCExecRestrictions",
    "PersistentVolumeLabel",
    "OwnerReferencesPermissionEnforcement",
    "openshift.io/OriginResourceQuota",
    "openshift.io/ClusterResourceQuota",
];

/// The chain of Origin 3.11, limited to the plugins whose behaviour is documented.
const ORIGIN_3_11: &[&str] = &[
    "NamespaceLifecycle",
    "ProjectRequestLimit",
    "openshift.io/RestrictSubjectBindings",
    "openshift.io/JenkinsBootstrapper",
    "openshift.io/BuildConfigSecretInjector",
    "BuildByStrategy",
    "openshift.io/ImageLimitRange",
    "RunOnceDuration",
    "PodNodeConstraints",
    "OriginPodNodeEnvironment",
    "ClusterResourceOverride",
    "ExternalIPRanger",
    "openshift.io/RestrictedEndpointsAdmission",
    "openshift.io/ImagePolicy",
    "ImagePolicyWebhook",
    "LimitRanger",
    "ServiceAccount",
    "NodeRestriction",
    "SecurityContextConstraint",
    "StorageObjectInUseProtection",
    "PodNodeSelector",
    "Priority",
    "DefaultStorageClass",
    "AlwaysPullImages",
    "PodTolerationRestriction",
    "SCCExecRestrictions",
    "PersistentVolumeClaimResize",
    "openshift.io/IngressAdmission",
    "OwnerReferencesPermissionEnforcement",
    "ResourceQuota",
    "openshift.io/ClusterResourceQuota",
];

/// Returns the plugins of `server`, in the order in which it calls them; `kubernetes` are those of its release of
/// Kubernetes.
pub(crate) fn plugins(server: Server, kubernetes: Vec<&'static Plugin>) -> Vec<&'static Plugin> {
    let names = match server {
        Server::Kubernetes => return kubernetes,
        Server::OpenShift => return kube_apiserver(kubernetes),
        Server::OpenShiftApiserver => OPENSHIFT_APISERVER,
        Server::Origin(OriginRelease::V1_4) => ORIGIN_1_4,
        Server::Origin(OriginRelease::V3_11) => ORIGIN_3_11,
    };
    let known: Vec<&'static Plugin> = kubernetes.into_iter().chain(table::own()).chain(of_origin()).collect();
    names.iter().filter_map(|name| known.iter().find(|plugin| plugin.name == *name).copied()).collect()
}

/// Returns Kubernetes' chain with OpenShift's plugins directly before the webhooks, and the quota that spans projects
/// after the quota of the namespace.
fn kube_apiserver(kubernetes: Vec<&'static Plugin>) -> Vec<&'static Plugin> {
    let mut plugins = Vec::with_capacity(kubernetes.len() + KUBE_APISERVER.len());
    for plugin in kubernetes {
        if plugin.name == "MutatingAdmissionWebhook" {
            plugins.extend(KUBE_APISERVER);
        }
        plugins.push(plugin);
        if plugin.name == "ResourceQuota" {
            plugins
                .extend(table::own().find(|plugin| plugin.name == "quota.openshift.io/ClusterResourceQuota"));
        }
    }
    plugins
}

/// Whether `server` calls the plugin `name` by default, independent of Kubernetes.
pub(crate) fn switches_on(server: Server, name: &str) -> bool {
    match server {
        Server::Kubernetes => false,
        Server::OpenShift => SWITCHED_ON.contains(&name),
        Server::OpenShiftApiserver => true,
        Server::Origin(_) => name != "AlwaysPullImages",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin;
    use kube_api::version::Version;

    #[test]
    fn openshift_has_its_plugins_before_the_webhooks_and_the_cluster_quota_at_the_end() {
        let plugins = plugin::of(Server::OpenShift, Version::BINARY);
        let position = |name: &str| plugins.iter().position(|plugin| plugin.name == name);
        let first = position("autoscaling.openshift.io/ClusterResourceOverride").expect("a plugin");
        assert_eq!(plugins[first - 1].name, "MutatingAdmissionPolicy");
        let last = position("security.openshift.io/DefaultSecurityContextConstraints").expect("a plugin");
        assert_eq!(plugins[last + 1].name, "MutatingAdmissionWebhook");
        let quota = position("quota.openshift.io/ClusterResourceQuota").expect("a plugin");
        assert_eq!(plugins[quota - 1].name, "ResourceQuota");
    }

    #[test]
    fn openshift_apiserver_has_its_plugins_in_order_and_all_are_on() {
        let plugins = plugin::of(Server::OpenShiftApiserver, Version::BINARY);
        let names: Vec<_> = plugins.iter().map(|plugin| plugin.name).collect();
        assert_eq!(names, OPENSHIFT_APISERVER);
        let release = Version::BINARY;
        assert!(plugins.iter().all(|plugin| plugin.default_on_in(Server::OpenShiftApiserver, release)));
    }
}
