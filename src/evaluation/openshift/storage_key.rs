//! The keys by which OpenShift's own servers store objects.
//!
//! Source: `specialDefaultResourcePrefixes` of openshift-apiserver, of oauth-apiserver and of Origin's masters.

use crate::evaluation::target::Target;
use kube_api::resource;

/// The prefix of kube-apiserver.
const KUBERNETES: &str = "/kubernetes.io";

/// The prefix of the other servers.
const OPENSHIFT: &str = "/openshift.io";

/// The groups of oauth-apiserver, whose kinds kadmit knows as custom resources.
const OF_OAUTH_APISERVER: [&str; 2] = ["oauth.openshift.io", "user.openshift.io"];

/// What a master of Origin stores as Kubernetes does.
const CONSTRAINTS: &str = "securitycontextconstraints";

/// The names in keys that are not those of the resources.
const NAMES: [(&str, &str); 13] = [
    ("clusterpolicies", "authorization/cluster/policies"),
    ("clusterpolicybindings", "authorization/cluster/policybindings"),
    ("policies", "authorization/local/policies"),
    ("policybindings", "authorization/local/policybindings"),
    ("oauthaccesstokens", "oauth/accesstokens"),
    ("oauthauthorizetokens", "oauth/authorizetokens"),
    ("oauthclientauthorizations", "oauth/clientauthorizations"),
    ("oauthclients", "oauth/clients"),
    ("identities", "useridentities"),
    ("clusternetworks", "registry/sdnnetworks"),
    ("egressnetworkpolicies", "registry/egressnetworkpolicy"),
    ("hostsubnets", "registry/sdnsubnets"),
    ("netnamespaces", "registry/sdnnetnamespaces"),
];

/// Returns the start of the keys of `target`, and its name in them if it is not that of Kubernetes. A master of Origin
/// stores all of OpenShift's kinds itself; later, those that other servers do not store are custom resources.
pub(super) fn of(target: &Target, is_origin: bool) -> (&'static str, Option<String>) {
    let resource = target.group_resource();
    let is_own = if is_origin {
        resource::is_kind_of_origin(&target.kind) || resource.group.ends_with(".openshift.io")
    } else {
        OF_OAUTH_APISERVER.contains(&&*resource.group)
    };
    if !is_own && !target.is_aggregated() {
        return (KUBERNETES, None);
    }
    let prefix = if resource.resource == CONSTRAINTS { KUBERNETES } else { OPENSHIFT };
    let name = NAMES.iter().find(|(of, _)| *of == resource.resource);
    (prefix, Some(name.map_or_else(|| resource.resource.to_string(), |(_, name)| (*name).to_owned())))
}
