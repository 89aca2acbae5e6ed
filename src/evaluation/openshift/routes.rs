//! The openshift-apiserver's handling of routes that depends on rights and on other objects.
//!
//! Source: `openshift-apiserver` `pkg/route/apiserver/registry/route/strategy.go`.

use crate::evaluation::openshift::OpenShift;
use crate::evaluation::server::{Call, Server};
use crate::plugin::openshift::{may_set_hosts, router_may, type_of_secret};
use kube_api::{GroupResource, field};
use kube_registry::openshift::ClusterFacts;
use kube_registry::openshift::route_host::{self, HostAssignment};

const INGRESSES: GroupResource = GroupResource::new("config.openshift.io", "ingresses");

impl OpenShift {
    /// Returns the errors that `check` finds in the host of a route; none in other objects.
    pub(super) fn with_assignment(
        &self,
        server: Server<'_>,
        call: &Call,
        check: impl FnOnce(&HostAssignment<'_>) -> Vec<field::Error>,
    ) -> Vec<field::Error> {
        if !is_route(call) {
            return Vec::new();
        }
        let may = |verb: &str| may_set_hosts(server.authorizer, &call.user_info, &call.namespace, verb);
        let domain = self.route_domain(server);
        check(&HostAssignment { namespace: &call.namespace, domain: &domain, may: &may })
    }

    /// Returns the domain of generated hosts: the configured one, or the one that OpenShift's operator configures.
    fn route_domain(&self, server: Server<'_>) -> String {
        if !self.settings.route_domain.is_empty() {
            return self.settings.route_domain.clone();
        }
        let ingress = server.cluster.get(&INGRESSES, "", "cluster");
        let text = |field: &str| ingress.as_ref().map_or("", |ingress| ingress.text(["spec", field]));
        let domain = Some(text("appsDomain")).filter(|domain| !domain.is_empty());
        route_host::domain(domain.unwrap_or_else(|| text("domain"))).unwrap_or_default()
    }
}

/// Calls `with` with what the validation of a route needs to know of the cluster; with nothing for other kinds.
pub(super) fn with_facts(server: Server<'_>, call: &Call, with: impl FnOnce(Option<&ClusterFacts<'_>>)) {
    if !is_route(call) {
        return with(None);
    }
    with(Some(&ClusterFacts {
        internal_uri: None,
        router_may: &|verb, namespace, name| router_may(server.authorizer, verb, namespace, name),
        type_of_secret: &|namespace, name| type_of_secret(server.cluster, namespace, name),
        kubelets: None,
    }));
}

/// Whether the request is for a route that the openshift-apiserver serves.
fn is_route(call: &Call) -> bool {
    route_host::is_route(&call.target.kind) && call.target.is_aggregated()
}
