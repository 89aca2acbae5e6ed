//! The openshift-apiserver's handling of routes that depends on rights and on other objects.
//!
//! Source: `openshift-apiserver` `pkg/route/apiserver/registry/route/strategy.go`.

use crate::evaluation::server::{Call, Server};
use crate::plugin::openshift::{may_set_hosts, router_may, type_of_secret};
use kube_api::{GroupResource, Object, field};
use kube_registry::openshift::ClusterFacts;
use kube_registry::openshift::route_host::{self, HostAssignment};

const INGRESSES: GroupResource = GroupResource::new("config.openshift.io", "ingresses");

impl Server<'_> {
    /// Generates the host of a new route; returns the errors in fields that the user may not set.
    pub(super) fn allocate_host(self, route: &mut Object, call: &Call) -> Vec<field::Error> {
        self.with_assignment(call, |assignment| assignment.allocate(route))
    }

    /// Returns the errors in the fields of a route that the user may not change.
    pub(super) fn host_errors(self, route: &Object, old: &Object, call: &Call) -> Vec<field::Error> {
        if !call.sub_resource.is_empty() {
            return Vec::new();
        }
        self.with_assignment(call, |assignment| assignment.validate_update(route, old))
    }

    fn with_assignment(
        self,
        call: &Call,
        check: impl FnOnce(&HostAssignment<'_>) -> Vec<field::Error>,
    ) -> Vec<field::Error> {
        if !self.serves_route(call) {
            return Vec::new();
        }
        let may = |verb: &str| may_set_hosts(self.authorizer, &call.user_info, &call.namespace, verb);
        let domain = self.route_domain();
        check(&HostAssignment { namespace: &call.namespace, domain: &domain, may: &may })
    }

    /// Calls `with` with what the validation of a route needs to know of the cluster; with nothing for other kinds.
    pub(super) fn with_facts<T>(self, call: &Call, with: impl FnOnce(Option<&ClusterFacts<'_>>) -> T) -> T {
        if !self.serves_route(call) {
            return with(None);
        }
        with(Some(&ClusterFacts {
            internal_uri: None,
            router_may: &|verb, namespace, name| router_may(self.authorizer, verb, namespace, name),
            type_of_secret: &|namespace, name| type_of_secret(self.cluster, namespace, name),
            kubelets: None,
        }))
    }

    /// Whether the request is for a route that the openshift-apiserver serves.
    fn serves_route(self, call: &Call) -> bool {
        route_host::is_route(&call.target.kind)
            && call.target.is_aggregated()
            && self.profile.origin().is_none()
    }

    /// Returns the domain of generated hosts: the configured one, or the one that OpenShift's operator configures.
    fn route_domain(self) -> String {
        if !self.route_domain.is_empty() {
            return self.route_domain.to_owned();
        }
        let ingress = self.cluster.get(&INGRESSES, "", "cluster");
        let text = |field: &str| ingress.as_ref().map_or("", |ingress| ingress.text(["spec", field]));
        let domain = Some(text("appsDomain")).filter(|domain| !domain.is_empty());
        route_host::domain(domain.unwrap_or_else(|| text("domain"))).unwrap_or_default()
    }
}
