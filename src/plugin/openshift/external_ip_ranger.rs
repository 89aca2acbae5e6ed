//! Forbids external IPs of Services outside of the networks that the administrator allows, so that users cannot
//! intercept traffic meant for others.
//!
//! # When it rejects
//!
//! - External IPs are disabled, because no network is allowed.
//! - An external IP is in no allowed network, or in one that is excluded by `!`.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: network.openshift.io/v1
//! kind: ExternalIPRangerAdmissionConfig
//! externalIPNetworkCIDRs: [203.0.113.0/24, '!203.0.113.64/26']
//! allowIngressIP: false
//! ```
//!
//! # Cluster objects it reads
//!
//! Roles and bindings (`create` on `service/externalips` of network.openshift.io).
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.0; without a configuration it does nothing.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/network/externalipranger`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::openshift::configuration;
use crate::plugin::openshift::network::Network;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::Value;
use kube_api::field::{self, Path};

const KIND: &str = "ExternalIPRangerAdmissionConfig";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let given = configuration::read(initializer, given, ("network.openshift.io", KIND))?;
    let Some(given) = given else { return Ok(Handler::default()) };
    let (mut rejected, mut admitted) = (Vec::new(), Vec::new());
    for text in configuration::texts(&given, "externalIPNetworkCIDRs") {
        match text.strip_prefix('!') {
            Some(text) => rejected.push(Network::parse(text)?),
            None => admitted.push(Network::parse(&text)?),
        }
    }
    let allows_ingress = given.get("allowIngressIP") == Some(&Value::Bool(true));
    let authorizer = initializer.authorizer.clone();
    Ok(Handler::validating(ExternalIPRanger { authorizer, rejected, admitted, allows_ingress }))
}

struct ExternalIPRanger {
    authorizer: Arc<Authorizer>,
    rejected: Vec<Network>,
    admitted: Vec<Network>,
    allows_ingress: bool,
}

impl ValidationInterface for ExternalIPRanger {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.resource.is("", "services") {
            return Ok(());
        }
        let Some(service) = attributes.object.as_deref() else { return Ok(()) };
        let addresses: Vec<&str> =
            service.list(["spec", "externalIPs"]).iter().filter_map(Value::as_str).collect();
        let errors = self.errors(&addresses, self.ingress(attributes));
        if errors.is_empty() || self.may_use_any(attributes) {
            return Ok(());
        }
        let refusal = attributes.new_forbidden(field::aggregate(&errors));
        Err(refusal.at_all(errors.into_iter().filter_map(|error| error.path)))
    }
}

impl ExternalIPRanger {
    fn errors(&self, addresses: &[&str], ingress: &str) -> Vec<field::Error> {
        let path = Path::new("spec.externalIPs");
        if addresses.is_empty() {
            return Vec::new();
        }
        if self.admitted.is_empty() {
            return match addresses {
                [address] if *address == ingress => Vec::new(),
                _ => vec![field::Error::forbidden(&path, "externalIPs have been disabled")],
            };
        }
        let mut errors = Vec::new();
        for (index, text) in addresses.iter().enumerate() {
            let path = path.index(index);
            let Some(address) = Network::address(text) else {
                errors.push(field::Error::forbidden(&path, "externalIPs must be a valid address"));
                continue;
            };
            let within = |networks: &[Network]| networks.iter().any(|network| network.contains(address));
            if (within(&self.rejected) || !within(&self.admitted)) && *text != ingress {
                errors.push(field::Error::forbidden(&path, "externalIP is not allowed"));
            }
        }
        errors
    }

    /// Returns the address that the load balancer of a stored Service has.
    fn ingress<'a>(&self, attributes: &'a Attributes) -> &'a str {
        let is_balanced =
            attributes.object.as_deref().is_some_and(|new| new.text(["spec", "type"]) == "LoadBalancer");
        if !self.allows_ingress || attributes.operation != Operation::Update || !is_balanced {
            return "";
        }
        let old = attributes.old_object.as_deref();
        let first = old.and_then(|old| old.list(["status", "loadBalancer", "ingress"]).first());
        first.and_then(|first| first.at("ip")).and_then(Value::as_str).unwrap_or_default()
    }

    fn may_use_any(&self, attributes: &Attributes) -> bool {
        let resource = ResourceAttributes {
            group: "network.openshift.io",
            resource: "service",
            sub_resource: "externalips",
            ..ResourceAttributes::default()
        };
        self.authorizer.authorize(&attributes.user_info.access("create", resource)).allowed
    }
}
