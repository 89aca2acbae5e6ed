//! `EphemeralContainers`: the object of a Pod's subresource of that name until 1.21.
//!
//! Source: `EphemeralContainersREST` of `k8s.io/kubernetes/pkg/registry/core/pod`.

use crate::defaults;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use gotext::value::json;
use kube_api::tree::items_mut;
use kube_api::{GroupVersionKind, Map, Object, Value};

/// The strategy of `EphemeralContainers`; the rest is done on the Pod.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "EphemeralContainers",
    resource: "pods/ephemeralcontainers",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| {
        items_mut(object, "ephemeralContainers").for_each(defaults::pod::container);
    }),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: None,
    refuse: None,
    warnings: None,
    sub_resources: &[],
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
