//! The manifests of what a cluster must have.

use crate::admission::Change;
use crate::report::Refused;
use crate::require::Key;
use gotext::value::json;
use kube_api::resources::{
    LIMIT_RANGES, NAMESPACES, PRIORITY_CLASSES, RESOURCE_QUOTAS, RUNTIME_CLASSES, SERVICE_ACCOUNTS,
};
use kube_api::{GroupResource, Object, Value};

/// The resources in the order in which their objects can be created; roles come after all others.
const ORDER: [GroupResource; 6] =
    [NAMESPACES, PRIORITY_CLASSES, RUNTIME_CLASSES, SERVICE_ACCOUNTS, LIMIT_RANGES, RESOURCE_QUOTAS];

/// An object that a cluster must have.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Resource, namespace and name.
    pub(super) key: Key,
    /// The object: a new one, or an existing one with the changes.
    pub value: Value,
    /// The requests that are refused without it; those of roles are at their rules.
    pub reasons: Vec<Refused>,
    /// What differs from the existing object.
    pub(super) changes: Vec<Change>,
    /// Whether there is no such object yet.
    pub is_new: bool,
}

impl Manifest {
    /// Returns the least new object `key`, if it can be written, for no request of its own.
    pub(super) fn new(key: Key) -> Option<Self> {
        let value = new_object(&key.0, &key.1, &key.2)?;
        Some(Self { key, value, reasons: Vec::new(), changes: Vec::new(), is_new: true })
    }
}

/// Whether a new object of `resource` can be written without knowing more than its name.
pub(super) fn can_write(resource: &GroupResource) -> bool {
    new_object(resource, "", "a").is_some()
}

/// Returns the position of `resource` among those to be created.
pub(super) fn position(resource: &GroupResource) -> usize {
    ORDER.iter().position(|known| known == resource).unwrap_or(ORDER.len())
}

/// Returns the least object of `resource` that is called `name`.
pub(super) fn new_object(resource: &GroupResource, namespace: &str, name: &str) -> Option<Value> {
    Some(match resource.resource.as_ref() {
        "namespaces" => json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        "serviceaccounts" => json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace},
        }),
        "priorityclasses" => json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": 0,
        }),
        "runtimeclasses" => json!({
            "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name,
        }),
        _ => return None,
    })
}

/// Returns what a choice was made in, of a new object.
pub(super) fn remark(resource: &GroupResource) -> Option<&'static str> {
    Some(match resource.resource.as_ref() {
        "priorityclasses" => "The value is a choice: any is admitted",
        "runtimeclasses" => "The handler is a guess: it is one that the container runtime of the nodes has",
        _ => return None,
    })
}

/// Returns an object that every server creates, as far as a person would write it.
pub(super) fn identity(object: &Object) -> Option<Value> {
    let mut value = json!({
        "apiVersion": object.kind.api_version(), "kind": &*object.kind.kind, "metadata": {"name": object.name()},
    });
    if let Some(labels) = object.at(["metadata", "labels"]) {
        *value.pointer_mut("/metadata")?.as_object_mut()?.entry("labels").or_insert(Value::Null) =
            labels.clone();
    }
    Some(value)
}
