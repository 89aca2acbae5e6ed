//! Forbids users to point Endpoints and EndpointSlices at addresses of the cluster's own networks or at the ports of
//! the machine config server, which would circumvent network policies.
//!
//! # When it rejects
//!
//! - An address is in a restricted network, or a port is TCP 22623 or 22624, unless the user may create
//!   `endpoints/restricted` or `endpointslices/restricted`.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: network.openshift.io/v1
//! kind: RestrictedEndpointsAdmissionConfig
//! restrictedCIDRs: [10.128.0.0/14, 172.30.0.0/16]
//! ```
//!
//! # Cluster objects it reads
//!
//! Roles and bindings.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.2; without a configuration it does nothing.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/network/restrictedendpoints`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::openshift::configuration;
use crate::plugin::openshift::network::Network;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::Path;
use kube_api::{Object, Value};

const KIND: &str = "RestrictedEndpointsAdmissionConfig";
/// Link-local addresses, where clouds answer for their machines.
const LINK_LOCAL: &str = "169.254.0.0/16";
/// The ports of the machine config server.
const PORTS: [i64; 2] = [22623, 22624];

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let given = configuration::read(initializer, given, ("network.openshift.io", KIND))?;
    let Some(given) = given else { return Ok(Handler::default()) };
    let texts = configuration::texts(&given, "restrictedCIDRs");
    let networks = texts.iter().map(|text| Network::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let networks = [networks, vec![Network::parse(LINK_LOCAL)?]];
    let authorizer = initializer.authorizer.clone();
    Ok(Handler::validating(RestrictedEndpointsAdmission { authorizer, networks }))
}

struct RestrictedEndpointsAdmission {
    authorizer: Arc<Authorizer>,
    /// The configured networks, then those that are always restricted; all addresses are looked up in the former before
    /// any is in the latter.
    networks: [Vec<Network>; 2],
}

impl ValidationInterface for RestrictedEndpointsAdmission {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let is_slice = attributes.is_for("discovery.k8s.io", "endpointslices");
        if !is_slice && !attributes.is_for("", "endpoints") {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        let fields: &[&str] = if is_slice { &["endpoints", "ports"] } else { &["subsets"] };
        let is_same = |old: &Object| fields.iter().all(|field| old.value.at(field) == object.at(field));
        if attributes.old_object.as_deref().is_some_and(is_same) {
            return Ok(());
        }
        let found = if is_slice { self.in_slice(object) } else { self.in_subsets(object) };
        match found {
            Some((error, path)) if !self.is_privileged(attributes) => {
                Err(attributes.new_forbidden(error).at(path))
            }
            _ => Ok(()),
        }
    }
}

impl RestrictedEndpointsAdmission {
    fn in_subsets(&self, endpoints: &Object) -> Option<(String, Path)> {
        let subsets = endpoints.list("subsets").iter().enumerate();
        for (networks, (index, subset)) in
            self.networks.iter().flat_map(|networks| subsets.clone().map(move |subset| (networks, subset)))
        {
            for list in ["addresses", "notReadyAddresses"] {
                for (position, address) in subset.list(list).iter().enumerate() {
                    let ip = address.text("ip");
                    if let Some(error) = restricts(networks, ip) {
                        let path = Path::new("subsets").index(index).child(list).index(position).child("ip");
                        return Some((error, path));
                    }
                }
            }
        }
        for (index, subset) in subsets {
            if let Some((error, position)) = restricted_port(subset.list("ports")) {
                return Some((error, Path::new("subsets").index(index).child("ports").index(position)));
            }
        }
        None
    }

    fn in_slice(&self, slice: &Object) -> Option<(String, Path)> {
        let endpoints = slice.list("endpoints").iter().enumerate();
        for (networks, (index, endpoint)) in self
            .networks
            .iter()
            .flat_map(|networks| endpoints.clone().map(move |endpoint| (networks, endpoint)))
        {
            for (position, address) in endpoint.list("addresses").iter().enumerate() {
                if let Some(error) = restricts(networks, address.as_str().unwrap_or_default()) {
                    let path = Path::new("endpoints").index(index).child("addresses").index(position);
                    return Some((error, path));
                }
            }
        }
        let (error, position) = restricted_port(slice.list("ports"))?;
        Some((error, Path::new("ports").index(position)))
    }

    fn is_privileged(&self, attributes: &Attributes) -> bool {
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            group: &attributes.resource.group,
            resource: &attributes.resource.resource,
            sub_resource: "restricted",
            name: &attributes.name,
        };
        self.authorizer.authorize(&attributes.user_info.access("create", resource)).allowed
    }
}

fn restricts(networks: &[Network], text: &str) -> Option<String> {
    let address = Network::address(text)?;
    let is_restricted = networks.iter().any(|network| network.contains(address));
    is_restricted.then(|| format!("endpoint address {text} is not allowed"))
}

fn restricted_port(ports: &[Value]) -> Option<(String, usize)> {
    ports.iter().enumerate().find_map(|(index, port)| {
        let protocol = port.at("protocol").and_then(Value::as_str).unwrap_or("TCP");
        let number = port.at("port").and_then(Value::as_i64)?;
        let is_restricted = protocol == "TCP" && PORTS.contains(&number);
        is_restricted.then(|| (format!("endpoint port TCP:{number} is not allowed"), index))
    })
}
