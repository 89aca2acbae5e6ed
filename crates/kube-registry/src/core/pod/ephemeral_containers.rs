//! `EphemeralContainers`: the object of a Pod's subresource of that name until 1.21.
//!
//! Source: `EphemeralContainersREST` of `k8s.io/kubernetes/pkg/registry/core/pod`.

use crate::defaults;
use crate::strategy::Strategy;
use gotext::value::json;
use kube_api::tree::items_mut;
use kube_api::{GroupVersionKind, Map, Object, Value};

/// The strategy of `EphemeralContainers`; the rest is done on the Pod.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| {
        items_mut(object, "ephemeralContainers").for_each(defaults::pod::container);
    }),
    ..Strategy::new("", "EphemeralContainers")
};

/// Returns the `ephemeralcontainers` subresource of `pod`.
pub fn ephemeral_containers_of(pod: &Object) -> Object {
    let kind = GroupVersionKind::new("", "v1", "EphemeralContainers");
    let mut metadata = Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        metadata.extend(pod.at(["metadata", field]).map(|value| (field, value.clone())));
    }
    let mut value = json!({"apiVersion": "v1", "kind": "EphemeralContainers", "metadata": metadata});
    value["ephemeralContainers"] = Value::from(pod.list(["spec", "ephemeralContainers"]));
    Object::new(kind, value)
}

/// Returns `pod` with the ephemeral containers of `view`.
pub fn apply_ephemeral_containers(pod: &Object, view: &Object) -> Object {
    let mut pod = pod.clone();
    pod.remove(["spec", "ephemeralContainers"]);
    let containers = view.list("ephemeralContainers");
    if !containers.is_empty() {
        pod.set(["spec", "ephemeralContainers"], containers.to_vec());
    }
    pod
}
