//! Services: their number, node ports and load balancers.

use super::evaluator::{Evaluator, count};
use crate::admission::{Attributes, Operation};
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::{Object, Value};

const RESOURCES: &[&str] = &["count/services", "services", "services.nodeports", "services.loadbalancers"];

/// A Service as quotas see it.
pub(crate) struct Services<'a>(pub(crate) &'a Object);

/// Updates count, because a Service can change its type.
///
/// Source: `serviceEvaluator.Handles`.
pub(crate) fn handles(attributes: &Attributes) -> bool {
    matches!(attributes.operation, Operation::Create | Operation::Update) && !attributes.has_sub_resource()
}

impl Evaluator for Services<'_> {
    fn counts(&self, name: &str) -> bool {
        RESOURCES.contains(&name)
    }

    /// Returns the usage. A load balancer is charged for one node port per port, unless it wants only those that it
    /// names.
    fn usage(&self) -> ResourceList<'_> {
        let ports = self.0.list(["spec", "ports"]);
        let allocate = self.0.at(["spec", "allocateLoadBalancerNodePorts"]).and_then(Value::as_bool);
        let (node_ports, load_balancers) = match self.0.text(["spec", "type"]) {
            "NodePort" => (ports.len(), 0),
            "LoadBalancer" if allocate == Some(false) => {
                let explicit = |port: &&Value| port.at("nodePort").is_some_and(|port| port != 0);
                (ports.iter().filter(explicit).count(), 1)
            }
            "LoadBalancer" => (ports.len(), 1),
            _ => (0, 0),
        };
        RESOURCES.iter().copied().zip([1, 1, node_ports, load_balancers].map(count)).collect()
    }

    fn fields(&self, name: &str) -> Vec<Path> {
        let (service_type, ports) = (Path::new("spec.type"), Path::new("spec.ports"));
        match name {
            "services.nodeports" => vec![ports, service_type],
            "services.loadbalancers" => vec![service_type],
            _ => Vec::new(),
        }
    }
}
