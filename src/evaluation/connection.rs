//! Requests for connections, whose object is in their URL.

use gotext::value::json;
use kube_api::Value;

/// Returns the object of a request for a connection: its options, of which `all` returns the values of one, and the path
/// after `/proxy/`.
///
/// Source: `k8s.io/api/core/v1`, `PodExecOptions` and its neighbours
pub fn connection_options(
    resource: &str,
    sub_resource: &str,
    all: impl Fn(&str) -> Vec<String>,
    path: Option<&str>,
) -> Option<Value> {
    let kind = match (resource, sub_resource) {
        ("pods", "attach") => "PodAttachOptions",
        ("pods", "exec") => "PodExecOptions",
        ("pods", "portforward") => "PodPortForwardOptions",
        ("pods", "proxy") => "PodProxyOptions",
        ("nodes", "proxy") => "NodeProxyOptions",
        ("services", "proxy") => "ServiceProxyOptions",
        _ => return None,
    };
    let mut options = json!({"apiVersion": "v1", "kind": kind});
    for field in ["stdin", "stdout", "stderr", "tty"] {
        if let Some(value) = all(field).first() {
            options[field] = (!matches!(value.as_str(), "false" | "0")).into();
        }
    }
    if let Some(container) = all("container").into_iter().next() {
        options["container"] = container.into();
    }
    let command = all("command");
    if !command.is_empty() {
        options["command"] = json!(command);
    }
    let ports: Vec<i64> = all("ports").iter().filter_map(|port| port.parse().ok()).collect();
    if !ports.is_empty() {
        options["ports"] = json!(ports);
    }
    if let (true, Some(path)) = (kind.ends_with("ProxyOptions"), path) {
        options["path"] = path.into();
    }
    Some(options)
}
