//! `autoscaling/v1` Scale: the `scale` subresource of a workload.
//!
//! Source: the `ScaleREST` of each workload in `k8s.io/kubernetes/pkg/registry`.

use gotext::value::json;

use kube_api::labels::Selector;
use kube_api::{GroupVersionKind, Map, Object};

/// Returns the `scale` subresource of `workload`.
pub fn scale_of(workload: &Object) -> Object {
    let replicas = |part| workload.int([part, "replicas"]);
    let selector = workload.at(["spec", "selector"]).and_then(|selector| match workload.kind.kind.as_ref() {
        "ReplicationController" => Selector::from_label_selector(&json!({"matchLabels": selector})).ok(),
        _ => Selector::from_label_selector(selector).ok(),
    });
    let selector = selector.map(|selector| selector.to_string());
    scale(workload, replicas("spec"), replicas("status"), selector)
}

/// Returns the scale of `object` with the numbers of its spec and status.
pub(super) fn scale(object: &Object, replicas: i64, running: i64, selector: Option<String>) -> Object {
    let mut metadata = Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object.at(["metadata", field]) {
            metadata.insert(field.to_owned(), value.clone());
        }
    }
    let mut spec = Map::new();
    if replicas != 0 {
        spec.insert("replicas".to_owned(), replicas.into());
    }
    let mut status = json!({"replicas": running});
    if let Some(selector) = selector {
        status["selector"] = selector.into();
    }
    let kind = GroupVersionKind::new("autoscaling", "v1", "Scale");
    let value = json!({
        "apiVersion": kind.api_version(),
        "kind": "Scale",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    });
    Object::new(kind, value)
}

/// Returns `workload` with the number of replicas that `scale` requests.
pub fn apply_scale(workload: &Object, scale: &Object) -> Object {
    let mut workload = workload.clone();
    let replicas = scale.int(["spec", "replicas"]);
    workload.set(["spec", "replicas"], replicas);
    workload
}
