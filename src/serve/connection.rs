//! Connections to containers and servers, and logs: nothing runs here, so they end where a server looks for the other end.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/{node,pod,service}`

use std::sync::Arc;

use crate::serve::path::{Query, ResourcePath};
use crate::serve::shelf::Shelf;
use gotext::time;
use kube_api::field::{self, Path};
use kube_api::resources::{ENDPOINTS, NODES, PODS, SERVICES};
use kube_api::{GroupResource, GroupVersionKind, Object, Status};

/// The methods with which a proxy is asked.
const PROXIED: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// The subresources whose answers come from elsewhere, and their methods.
const METHODS: [(&str, &[&str]); 5] = [
    ("attach", &["GET", "POST"]),
    ("exec", &["GET", "POST"]),
    ("log", &["GET"]),
    ("portforward", &["GET", "POST"]),
    ("proxy", PROXIED),
];

/// Returns the methods of the subresource `name`, if its answers come from elsewhere.
pub(super) fn methods(name: &str) -> Option<&'static [&'static str]> {
    METHODS.iter().find(|(sub_resource, _)| *sub_resource == name).map(|(_, methods)| *methods)
}

/// Whether the subresource `name` is a connection, which is admitted; who reads a log only reads.
pub(super) fn is_connection(name: &str) -> bool {
    name != "log" && methods(name).is_some()
}

/// A connection, or a request for a log.
pub(super) struct Connection<'a> {
    pub(super) shelf: &'a Shelf,
    pub(super) path: &'a ResourcePath,
    pub(super) query: &'a Query,
}

impl Connection<'_> {
    /// Checks a request for the log of a container.
    ///
    /// # Errors
    ///
    /// Fails unless the log is empty, as that of a Pod without a node.
    ///
    /// Source: `LogLocation`
    pub(super) fn log(&self) -> Result<(), Status> {
        self.check_log_options()?;
        let pod = self.find(&PODS, &self.path.name)?;
        self.check_container(&pod)?;
        if pod.text(["spec", "nodeName"]).is_empty() {
            return Ok(());
        }
        self.find_address(&PODS, pod.text(["spec", "nodeName"]))?;
        Err(not_implemented("no containers run, so there is nothing to read from"))
    }

    /// Returns the answer to a connection that was admitted.
    pub(super) fn refusal(&self) -> Status {
        let sub_resource = &self.path.sub_resource;
        let message = format!("nothing runs, so there is nothing to connect to with {sub_resource}");
        self.find_other_end().err().unwrap_or_else(|| not_implemented(&message))
    }

    fn find_other_end(&self) -> Result<(), Status> {
        match (&*self.path.resource.resource, &*self.path.sub_resource) {
            ("nodes", _) => {
                let (name, _) = self.name_and_port("node")?;
                self.find_address(&NODES, name)
            }
            ("services", _) => self.find_endpoints(),
            (_, "proxy") => {
                let (name, _) = self.name_and_port("pod")?;
                let pod = self.find(&PODS, name)?;
                if pod.text(["status", "podIP"]).is_empty() {
                    return Err(Status::new_bad_request("address not allowed"));
                }
                Ok(())
            }
            (_, sub_resource) => {
                let name = &self.path.name;
                let pod = self.find(&PODS, name)?;
                if sub_resource != "portforward" {
                    self.check_container(&pod)?;
                }
                let node = pod.text(["spec", "nodeName"]);
                if node.is_empty() {
                    let message = format!("pod {name} does not have a host assigned");
                    return Err(Status::new_bad_request(message));
                }
                self.find_address(&PODS, node)
            }
        }
    }

    fn find(&self, resource: &GroupResource, name: &str) -> Result<Arc<Object>, Status> {
        let namespace = if *resource == NODES { "" } else { &*self.path.namespace };
        let found = self.shelf.get(resource, namespace, name);
        found.ok_or_else(|| Status::new_not_found(resource, name))
    }

    /// Looks for the address of a node; who misses it names `resource`, to which the request goes.
    ///
    /// Source: `NodeConnectionInfoGetter.GetConnectionInfo`
    fn find_address(&self, resource: &GroupResource, node: &str) -> Result<(), Status> {
        let node = self.find(&NODES, node).map_err(|_| Status::new_not_found(resource, node))?;
        if !node.list(["status", "addresses"]).is_empty() {
            return Ok(());
        }
        let message = "no preferred addresses found; known addresses: []".to_owned();
        Err(Status { code: 500, reason: String::new(), message, ..Status::default() })
    }

    /// Looks for the Pods of a Service.
    ///
    /// Source: `REST.ResourceLocation` of `k8s.io/kubernetes/pkg/registry/core/service/storage`
    fn find_endpoints(&self) -> Result<(), Status> {
        let (name, port) = self.name_and_port("service")?;
        let unavailable = |message: String| Status {
            code: 503,
            reason: "ServiceUnavailable".to_owned(),
            message,
            ..Status::default()
        };
        if let Ok(number) = port.parse::<i64>() {
            let service = self.find(&SERVICES, name)?;
            if !service.items(["spec", "ports"]).any(|port| port.int("port") == number) {
                let message = format!("no service port {number} found for service \"{name}\"");
                return Err(unavailable(message));
            }
        }
        let endpoints = self.find(&ENDPOINTS, name).map_err(|_| Status::new_not_found(&SERVICES, name))?;
        if endpoints.items("subsets").all(|subset| subset.list("addresses").is_empty()) {
            return Err(unavailable(format!("no endpoints available for service \"{name}\"")));
        }
        Ok(())
    }

    /// Reads the name in the path, as `name`, `name:port` or `scheme:name:port`.
    ///
    /// Source: `SplitSchemeNamePort` of `k8s.io/apimachinery/pkg/util/net`
    fn name_and_port(&self, kind: &str) -> Result<(&str, &str), Status> {
        let text = &*self.path.name;
        match text.split(':').collect::<Vec<_>>().as_slice() {
            [name] if !name.is_empty() => Ok((name, "")),
            [name, port] if !name.is_empty() => Ok((name, port)),
            ["" | "http" | "https", name, port] if !name.is_empty() => Ok((name, port)),
            _ => Err(Status::new_bad_request(format!("invalid {kind} request \"{text}\""))),
        }
    }

    /// Refuses a request for a container that `pod` does not have, or that has to name one.
    ///
    /// Source: `validateContainer` of `k8s.io/kubernetes/pkg/registry/core/pod`
    fn check_container(&self, pod: &Object) -> Result<(), Status> {
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let names = lists.iter().flat_map(|list| pod.items(["spec", *list]).map(|found| found.text("name")));
        let names: Vec<&str> = names.collect();
        let error = match self.query.get("container") {
            Some(name) if !names.contains(&name) => {
                format!("container {name} is not valid for pod {}", pod.name())
            }
            None if pod.list(["spec", "containers"]).len() > 1 => {
                let (pod, names) = (pod.name(), names.join(" "));
                format!("a container name must be specified for pod {pod}, choose one of: [{names}]")
            }
            _ => return Ok(()),
        };
        Err(Status::new_bad_request(error))
    }

    /// Source: `ValidatePodLogOptions`
    fn check_log_options(&self) -> Result<(), Status> {
        let limit = self.query.number("limitBytes")?;
        let since = self.query.number("sinceSeconds")?;
        let lines = self.query.number("tailLines")?;
        let time = self.query.get("sinceTime").map(time::to_the_second).transpose();
        let time = time.map_err(Status::new_bad_request)?;
        let check = |name: &'static str, value: Option<i64>, least: i64, detail: &str| {
            let value = value.filter(|value| *value < least)?;
            Some(field::Error::invalid(&Path::new(name), &value.into(), detail))
        };
        let since = if time.is_some() && since.is_some() {
            let detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
            Some(field::Error::forbidden(&Path::new("[]"), detail))
        } else {
            check("sinceSeconds", since, 1, "must be greater than 0")
        };
        let stream = self
            .query
            .has("stream")
            .then(|| field::Error::forbidden(&Path::new("stream"), "may not be specified"));
        let lines = check("tailLines", lines, 0, "must be greater than or equal to 0");
        let limit = check("limitBytes", limit, 1, "must be greater than 0");
        let errors: Vec<_> = [lines, limit, since, stream].into_iter().flatten().collect();
        if errors.is_empty() {
            return Ok(());
        }
        let kind = GroupVersionKind::new("", "v1", "PodLogOptions");
        Err(Status::new_invalid(&kind, &self.path.name, &errors))
    }
}

/// Returns 501 about what this server does not do.
fn not_implemented(message: &str) -> Status {
    Status {
        code: 501,
        reason: "NotImplemented".to_owned(),
        message: message.to_owned(),
        ..Status::default()
    }
}
